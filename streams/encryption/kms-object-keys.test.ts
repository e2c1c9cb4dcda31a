/** Keys of objects that a KMS provider seals: over a rotation, without the service, and destroyed meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { MemoryEventLog } from '../memory/memory-event-log.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { aesGcm } from './ciphers.ts';
import { givenKms } from './given-kms.fixture.ts';
import { KeyFile } from './key-file.ts';
import { ObjectKeys } from './object-keys.ts';
import { SealedEventLog } from './sealed-event-log.ts';
import { identity, keyedProvider, ProviderChain } from './sealing-provider.ts';

const folder = await mkdtemp(join(tmpdir(), 'kms-keys-'));
const opened: ObjectKeys[] = [];
let files = 0;
afterAll(async () => {
  for (const keys of opened) await keys.close();
  await rm(folder, { recursive: true, force: true });
});

async function givenLog() {
  files += 1;
  const file = await KeyFile.open(join(folder, String(files)));
  const given = givenKms();
  await given.probe.check();
  const keys = new ObjectKeys(file, () => new ProviderChain([given.provider, identity]));
  opened.push(keys);
  const below = new MemoryEventLog();
  return { ...given, file, keys, below, log: new SealedEventLog(below, keys) };
}

let sequence = 0;

function secret(uid: string, value: string) {
  sequence += 1;
  const json = Buffer.from(JSON.stringify({ kind: 'Secret', metadata: { uid }, data: { value } }));
  return proposedEvent(sequence, { resource: 'core/secrets', path: `shop/${uid}`, uid, json });
}

function textAt(log: SealedEventLog<MemoryEventLog>, version: number): string {
  return Buffer.from(log.at(resourceVersion(version))?.json ?? []).toString();
}

describe('keys that a KMS seals', () => {
  test('are sealed anew with its new key, and read by a server that starts then', async () => {
    const { kms, clock, probe, keys, log, below, file } = await givenLog();
    await log.append(Array.from({ length: 300 }, (_, n) => secret(`u${String(n)}`, 'hunter2')));
    expect(await keys.reseal()).toBe(0);
    kms.keyId = 'two';
    clock.advance(60_000);
    await probe.check();
    expect(await keys.reseal()).toBe(300);
    expect(await keys.reseal()).toBe(0);
    const later = givenKms();
    await later.probe.check();
    later.kms.calls.length = 0;
    const again = new ObjectKeys(file, () => new ProviderChain([later.provider]));
    await again.prepare();
    expect(later.kms.calls).toEqual(['decrypt']);
    expect(textAt(new SealedEventLog(below, again), 299)).toContain('hunter2');
  });

  test('cost the service nothing, and without it only writing stops', async () => {
    const { kms, clock, keys, log } = await givenLog();
    await log.append([secret('a', 'first')]);
    kms.isDown = true;
    await log.append([secret('b', 'second'), secret('a', 'third')]);
    expect(kms.calls).toEqual(['status', 'encrypt']);
    clock.advance(180_001);
    const writing = { type: 'added', resource: 'core/secrets', uid: 'c' } as const;
    expect(log.refusal(writing)).toMatch(
      /^encryptedDEKSource with keyID hash "sha256:\w+" expired/,
    );
    expect(log.refusal({ ...writing, type: 'modified', uid: 'a' })).toBeDefined();
    expect(log.refusal({ ...writing, type: 'deleted', uid: 'a' })).toBeUndefined();
    expect(log.refusal({ ...writing, type: 'deleted' })).toBeDefined();
    expect(textAt(log, 2)).toContain('second');
    expect(await keys.reseal()).toBe(0);
  });

  test('are not sealed anew while the service is away, and then are', async () => {
    const { kms, clock, provider, probe, file, keys, log } = await givenLog();
    await log.append([secret('a', 'first')]);
    const aes = keyedProvider('k8s:enc:aesgcm:v1:', [
      aesGcm({ name: 'one', secret: Buffer.alloc(32, 1) }),
    ]);
    expect(await keys.change(() => new ProviderChain([aes, provider]))).toBe(1);
    kms.isDown = true;
    clock.advance(180_001);
    expect(await keys.change(() => new ProviderChain([provider, aes]))).toBe(0);
    expect(textAt(log, 1)).toContain('first');
    kms.isDown = false;
    await probe.check();
    expect(await keys.reseal()).toBe(1);
    expect([...file.all()][0]?.sealed.toString('latin1')).toMatch(/^k8s:enc:kms:v2:vault:/);
  });

  test('that are destroyed while keys are sealed anew do not come back', async () => {
    const { kms, clock, probe, keys, log, file } = await givenLog();
    await log.append(Array.from({ length: 600 }, (_, n) => secret(`u${String(n)}`, 'hunter2')));
    kms.keyId = 'two';
    clock.advance(60_000);
    await probe.check();
    const resealing = keys.reseal();
    const going = Array.from({ length: 600 }, (_, n) => `u${String(n)}`).filter(
      (_, n) => n % 7 > 0,
    );
    await Promise.all([
      keys.destroy(going.slice(0, 400)),
      keys.destroy(going.slice(400)),
      resealing,
    ]);
    expect([...file.all()].map(({ uid }) => uid).sort()).toEqual(
      Array.from({ length: 86 }, (_, n) => `u${String(n * 7)}`).sort(),
    );
  });
});
