/** Against a real server of gRPC on a unix socket. The Go plugin of e2e/encryption is another one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeWireMessage, WireMessage } from '../../../api/protobuf/wire-message.ts';
import type { KmsService } from '../../../streams/encryption/kms-service.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { type RawHandler, rawPlugin } from './given-kms-plugin.fixture.ts';
import { kmsServiceAt } from './kms-plugins.ts';

const folder = mkdtempSync(join(tmpdir(), 'kms-client-'));
let path = '';
let count = 0;
let server: Server | undefined;
let client: KmsService;
let clock: ManualClock;
const called: string[] = [];

async function serve(handlers: Readonly<Record<string, RawHandler>>): Promise<void> {
  server = await rawPlugin(path, handlers);
}

beforeEach(() => {
  count += 1;
  path = join(folder, `${String(count)}.sock`);
  called.length = 0;
  clock = new ManualClock();
  client = kmsServiceAt({
    name: 'vault',
    path,
    timeoutMs: 3_000,
    clock,
    meters: { called: (_, method, code) => called.push(`${method} ${code}`) },
  });
});

afterEach(() => {
  client.close();
  server?.forceShutdown();
  server = undefined;
  if (count === 7) rmSync(folder, { recursive: true, force: true });
});

describe('a plugin', () => {
  test('is told and tells everything there is', async () => {
    const annotations = new Map([['a.example', Buffer.from([0, 255])]]);
    let asked: WireMessage | undefined;
    await serve({
      Status: (_, done) => {
        done(null, encodeWireMessage({ 1: 'v2', 2: 'ok', 3: 'one' }));
      },
      Encrypt: ({ request }, done) => {
        const message = new WireMessage(request);
        const ciphertext = Buffer.from(message.bytes(1)).reverse();
        done(null, encodeWireMessage({ 1: ciphertext, 2: message.text(2), 3: annotations }));
      },
      Decrypt: ({ request }, done) => {
        asked = new WireMessage(request);
        done(null, encodeWireMessage({ 1: Buffer.from(asked.bytes(1)).reverse() }));
      },
    });
    expect(await client.status()).toEqual({ version: 'v2', healthz: 'ok', keyId: 'one' });
    const sealed = await client.encrypt('uid-1', Buffer.from('abc'));
    expect(Buffer.from(sealed.ciphertext).toString()).toBe('cba');
    expect(sealed.keyId).toBe('uid-1');
    expect((await client.decrypt('uid-2', sealed)).toString()).toBe('abc');
    expect([asked?.text(2), asked?.text(3), asked?.map(4)]).toEqual([
      'uid-2',
      'uid-1',
      new Map([['a.example', Buffer.from([0, 255])]]),
    ]);
    expect(called).toEqual([
      '/v2.KeyManagementService/Status OK',
      '/v2.KeyManagementService/Encrypt OK',
      '/v2.KeyManagementService/Decrypt OK',
    ]);
  });

  test('that refuses is quoted as Go quotes it', async () => {
    await serve({
      Status: (_, done) => {
        done({ code: status.PERMISSION_DENIED, details: 'not you' });
      },
    });
    await expect(client.status()).rejects.toThrow(
      'rpc error: code = PermissionDenied desc = not you',
    );
    await expect(
      client.decrypt('u', { ciphertext: Buffer.of(1), keyId: 'k', annotations: new Map() }),
    ).rejects.toThrow('rpc error: code = Unimplemented desc = ');
    expect(called[0]).toBe('/v2.KeyManagementService/Status PermissionDenied');
  });

  test('that never answers is not waited for longer than the time of a call', async () => {
    let isCancelled: Promise<void> | undefined;
    const reached = new Promise<void>((resolve) => {
      void serve({
        Status: (call) => {
          isCancelled = new Promise((cancelled) => call.once('cancelled', cancelled));
          resolve();
        },
      });
    });
    const asked = client.status();
    await reached;
    clock.advance(3_000);
    await expect(asked).rejects.toThrow(
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
    await isCancelled;
    expect(called).toEqual(['/v2.KeyManagementService/Status DeadlineExceeded']);
  });

  test('that comes late is waited for, and met again after it was away', async () => {
    const answer: RawHandler = (_, done) => {
      done(null, encodeWireMessage({ 1: 'v2', 2: 'ok', 3: 'one' }));
    };
    const early = client.status();
    await serve({ Status: answer });
    expect((await early).keyId).toBe('one');
    server?.forceShutdown();
    const away = client.status();
    // Either way: the connection broke under the call, or the call waits for another one.
    const said = away.then(
      () => 'met',
      () => 'broken',
    );
    await serve({ Status: answer });
    expect(['met', 'broken']).toContain(await said);
    expect((await client.status()).keyId).toBe('one');
  });

  test('that answers nonsense does no harm', async () => {
    await serve({
      Status: (_, done) => {
        done(null, Buffer.from([0x0a, 0x7f]));
      },
    });
    await expect(client.status()).rejects.toThrow('rpc error: code = Internal desc = ');
  });

  test('is not called any more once its client is closed', async () => {
    client.close();
    await expect(client.status()).rejects.toThrow('rpc error: code = Canceled');
  });

  test('is not called when its client is closed while it connects', async () => {
    let calls = 0;
    await serve({
      Status: (_, done) => {
        calls += 1;
        done(null, encodeWireMessage({ 1: 'v2', 2: 'ok', 3: 'one' }));
      },
    });
    const asked = client.status();
    client.close();
    await expect(asked).rejects.toThrow('rpc error: code = Canceled');
    expect(calls).toBe(0);
  });
});
