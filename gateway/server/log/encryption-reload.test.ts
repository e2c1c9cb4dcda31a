/** A configuration that changes under a running server, up to what lies in the key file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { testLogger } from '../../../actors/request/given.fixture.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { MemoryKms } from '../../../streams/encryption/given-kms.fixture.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { KeyFile } from '../../../streams/encryption/key-file.ts';
import { openEncryption, type Encryption } from './encryption.ts';
import { givenPlugin } from './given-kms-plugin.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'encryption-reload-'));
const file = join(folder, 'encryption.yaml');
const kms = new MemoryKms();
const clock = new ManualClock();
const logger = testLogger();
const AES = {
  aesgcm: { keys: [{ name: 'one', secret: Buffer.alloc(32, 7).toString('base64') }] },
};
const KMS = {
  kms: { apiVersion: 'v2', name: 'vault', endpoint: `unix://${join(folder, 'kms.sock')}` },
};
const plugin = await givenPlugin(join(folder, 'kms.sock'), kms);
let encryption: Encryption;
let stop: () => void;

function write(...providers: JsonObject[]): void {
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' };
  const resources = [{ resources: ['secrets'], providers }];
  writeFileSync(file, JSON.stringify({ ...kind, resources }));
}

function said(message: string): number {
  return logger.lines.filter((line) => line.message === message).length;
}

/** Lets time pass, second by second, until it is so. */
async function untilSo(isSo: () => boolean): Promise<void> {
  await vi.waitFor(
    () => {
      clock.advance(1_000);
      expect(isSo()).toBe(true);
    },
    { timeout: 120_000, interval: 5 },
  );
}

function sealedBy(prefix: string): boolean {
  const keys = readFileSync(join(folder, 'keys'), 'latin1');
  const sealed = [...keys.matchAll(/"([A-Za-z0-9+/=]+)"\]/g)];
  const texts = sealed.map(([, text = '']) => Buffer.from(text, 'base64').toString('latin1'));
  return texts.length === 2 && texts.every((text) => text.startsWith(prefix));
}

beforeAll(async () => {
  write(AES);
  const opened = await openEncryption(
    { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: true },
    KeyFile.open(join(folder, 'keys')),
    { clock, logger },
  );
  if (opened === undefined) throw new Error('nothing is encrypted');
  encryption = opened;
  stop = encryption.watch();
  const object = { resource: 'core/secrets', path: 'shop/db' };
  await encryption.keys.forWriting([
    { ...object, uid: 'a' },
    { ...object, uid: 'b' },
  ]);
});

afterAll(async () => {
  stop();
  encryption.close();
  await encryption.keys.close();
  plugin.forceShutdown();
  rmSync(folder, { recursive: true, force: true });
});

test('a plugin that is not well is not taken over, and is when it is well again', async () => {
  expect(encryption.check?.problem()).toBeUndefined();
  kms.healthz = 'sick';
  write(KMS, AES);
  await untilSo(() => said('the encryption configuration is not taken over') > 0);
  expect(sealedBy('k8s:enc:aesgcm:')).toBe(true);
  expect(encryption.check?.problem()).toBeUndefined();
  kms.healthz = 'ok';
  await untilSo(() => said('the encryption configuration has changed') === 1);
  expect(sealedBy('k8s:enc:kms:v2:vault:')).toBe(true);
  const figures = encryption.meters.format();
  expect(figures).toMatch(
    /automatic_reloads_total{apiserver_id_hash="sha256:\w+",status="success"} 1/,
  );
  expect(figures).toMatch(
    /automatic_reloads_total{apiserver_id_hash="sha256:\w+",status="failure"} [1-9]/,
  );
});

test('another key of the plugin seals the keys of all objects anew', async () => {
  kms.keyId = 'two';
  const before = readFileSync(join(folder, 'keys'));
  await untilSo(() => said('keys of objects are sealed anew') === 1);
  expect(readFileSync(join(folder, 'keys')).equals(before)).toBe(false);
  expect(sealedBy('k8s:enc:kms:v2:vault:')).toBe(true);
});

test('a plugin that goes is told by the check, and one that left the file is not asked any more', async () => {
  kms.isDown = true;
  let told: string | undefined;
  await untilSo(() => (told ??= encryption.check?.problem()) !== undefined);
  expect(told).toMatch(
    /^kms-provider-0: failed to perform status section of the healthz check for KMS Provider vault/,
  );
  kms.isDown = false;
  await untilSo(() => encryption.check?.problem() === undefined);
  write(AES, KMS);
  await untilSo(() => said('the encryption configuration has changed') === 2);
  expect(sealedBy('k8s:enc:aesgcm:')).toBe(true);
  write(AES);
  await untilSo(() => said('the encryption configuration has changed') === 3);
  await untilSo(() => {
    kms.calls.length = 0;
    return true;
  });
  clock.advance(600_000);
  expect(encryption.check?.problem()).toBeUndefined();
  expect(kms.calls).toEqual([]);
});
