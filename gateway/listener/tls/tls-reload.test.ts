import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { testClock, testLogger } from '../../../actors/request/given.fixture.ts';
import { makeAuthority, makeLeaf } from './certificate-maker.ts';
import {
  authority,
  closeAll,
  HOST,
  http2Session,
  listening,
  overHttp2,
  serving,
  text,
} from '../given-listener.fixture.ts';
import type { Pki } from './self-signed.ts';
import { startTlsReload, TLS_LOOK_MS } from './tls-reload.ts';

const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
const newer = await makeLeaf(authority, {
  commonName: 'newer',
  organizations: [],
  use: 'server',
  names: [{ type: 'ip', value: HOST }],
  validity,
});
const otherAuthority = await makeAuthority('other', validity);

const folders: string[] = [];
afterEach(() => {
  closeAll();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function given() {
  const folder = mkdtempSync(join(tmpdir(), 'tls-reload-'));
  folders.push(folder);
  const files = {
    tlsCertFile: join(folder, 'tls.crt'),
    tlsPrivateKeyFile: join(folder, 'tls.key'),
    clientCaFile: join(folder, 'ca.crt'),
  };
  writeFileSync(files.tlsCertFile, serving.certificate);
  writeFileSync(files.tlsPrivateKeyFile, serving.key);
  writeFileSync(files.clientCaFile, authority.certificate);
  const { listener } = await listening((request) => request.reply(text('ok')));
  const pki = { authority: authority.certificate } as Pki; // All that is read where there are files.
  const logger = testLogger();
  const clock = testClock();
  const stopping = new AbortController();
  const reloads = await startTlsReload({
    pki,
    files,
    clock,
    logger,
    renew: (tls, change) => {
      listener.renew(tls, change);
    },
    until: stopping.signal,
  });
  const shown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { host: HOST, port: listener.port, ca: authority.certificate };
      const socket = connect(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const look = async (): Promise<void> => {
    clock.advance(TLS_LOOK_MS);
    await expect.poll(() => clock.waiting).toBe(1);
  };
  return { files, listener, logger, clock, reloads, look, shown, stopping };
}

it('shows the new certificate when both halves are there, and the old one until then', async () => {
  const { files, reloads, look, shown, logger } = await given();
  expect(await shown()).toBe('server');
  writeFileSync(files.tlsCertFile, newer.certificate);
  await look();
  await look();
  expect(await shown()).toBe('server');
  expect(reloads).toEqual({ success: 0, failure: 1 });
  expect(logger.lines.at(-1)?.level).toBe('error');

  writeFileSync(files.tlsPrivateKeyFile, newer.key);
  await look();
  expect(await shown()).toBe('newer');
  expect(reloads).toEqual({ success: 1, failure: 1 });
});

it('goes on with what it has where a file disappears or is no certificate', async () => {
  const { files, reloads, look, shown } = await given();
  rmSync(files.tlsCertFile);
  await look();
  writeFileSync(files.tlsCertFile, 'nonsense');
  await look();
  expect(await shown()).toBe('server');
  expect(reloads).toEqual({ success: 0, failure: 2 });
});

it('asks connected clients to come again when the authorities change', async () => {
  const { files, listener, reloads, look } = await given();
  const session = http2Session(listener);
  await overHttp2(session);
  const closed = new Promise((resolve) => session.once('close', resolve));
  writeFileSync(files.clientCaFile, otherAuthority.certificate);
  await look();
  await closed;
  expect(reloads.success).toBe(1);
});

it('looks by itself every two seconds, until it is stopped', async () => {
  const { files, reloads, clock, stopping } = await given();
  writeFileSync(files.clientCaFile, otherAuthority.certificate);
  clock.advance(1_999);
  expect(clock.waiting).toBe(1);
  clock.advance(1);
  await expect.poll(() => [clock.waiting, reloads.success]).toEqual([1, 1]);
  stopping.abort();
  expect(clock.waiting).toBe(0);
});
