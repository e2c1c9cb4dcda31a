import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EventLog } from '../event-log.ts';
import { eventLogContract } from '../event-log.contract.ts';
import { MemoryEventLog } from '../memory/memory-event-log.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { aesGcm } from './ciphers.ts';
import { KeyFile } from './key-file.ts';
import { ObjectKeys, type ProvidersOf } from './object-keys.ts';
import { SealedEventLog } from './sealed-event-log.ts';
import { identity, keyedProvider, ProviderChain } from './sealing-provider.ts';

const folders: string[] = [];
const opened: ObjectKeys[] = [];
afterAll(async () => {
  for (const keys of opened) await keys.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

function provider(name: string, fill: number) {
  return keyedProvider('k8s:enc:aesgcm:v1:', [aesGcm({ name, secret: Buffer.alloc(32, fill) })]);
}

const ENCRYPTED = new ProviderChain([provider('one', 1), identity]);

async function givenKeys(providersOf: ProvidersOf = () => ENCRYPTED): Promise<ObjectKeys> {
  const folder = await mkdtemp(join(tmpdir(), 'sealed-log-'));
  folders.push(folder);
  const keys = new ObjectKeys(await KeyFile.open(join(folder, 'keys')), providersOf);
  opened.push(keys);
  return keys;
}

eventLogContract('SealedEventLog', async () => ({
  log: new SealedEventLog(new MemoryEventLog(), await givenKeys()),
  // What it begins with, nonce and tag.
  addedBytes: `everwatch:sealed:v1:uid-1.${'0'.repeat(12)} {}\n`.length + 12 + 16,
}));

let sequence = 0;

function secret(uid: string, value: string) {
  sequence += 1;
  const object = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'db', uid },
    data: { value },
  };
  const json = Buffer.from(JSON.stringify(object));
  return proposedEvent(sequence, { resource: 'core/secrets', path: 'shop/db', uid, json });
}

async function readAll(log: EventLog, count: number): Promise<string[]> {
  const ending = new AbortController();
  const texts: string[] = [];
  for await (const batch of log.read(resourceVersion(1), ending.signal)) {
    texts.push(...batch.map(({ json }) => Buffer.from(json).toString()));
    if (texts.length >= count) break;
  }
  ending.abort();
  return texts;
}

describe('what lies in the log', () => {
  test('is sealed, and opens only through the keys', async () => {
    const below = new MemoryEventLog();
    const log = new SealedEventLog(below, await givenKeys());
    await log.append([secret('u1', 'hunter2')]);
    const lying = Buffer.from(below.at(resourceVersion(1))?.json ?? []).toString('latin1');
    expect(lying).not.toContain('hunter2');
    expect(lying).toMatch(
      /^everwatch:sealed:v1:u1\.[0-9a-f]{12} \{"kind":"Secret","apiVersion":"v1"\}\n/,
    );
    expect(Buffer.from(log.at(resourceVersion(1))?.json ?? []).toString()).toContain('hunter2');
    expect((await readAll(log, 1))[0]).toContain('hunter2');
  });

  test('of another resource is as it was', async () => {
    const below = new MemoryEventLog();
    const keys = await givenKeys((resource) =>
      resource === 'core/secrets' ? ENCRYPTED : undefined,
    );
    const log = new SealedEventLog(below, keys);
    const event = proposedEvent(1_000);
    await log.append([event, secret('u1', 'hunter2')]);
    expect(below.at(resourceVersion(1))?.json).toEqual(event.json);
    expect(Buffer.from(below.at(resourceVersion(2))?.json ?? []).includes('hunter2')).toBe(false);
  });

  test('cannot be moved to another object', async () => {
    const below = new MemoryEventLog();
    const keys = await givenKeys();
    const log = new SealedEventLog(below, keys);
    await log.append([secret('u1', 'hunter2')]);
    const stolen = below.at(resourceVersion(1));
    if (stolen === undefined) throw new Error('nothing was written');
    await below.append([{ ...stolen, path: 'shop/other', sequence: stolen.sequence + 1 }]);
    expect(() => log.at(resourceVersion(2))).toThrow('core/secrets shop/other cannot be decrypted');
  });
});

describe('a key that is destroyed', () => {
  test('takes every version of its object with it, and no other object', async () => {
    const below = new MemoryEventLog();
    const keys = await givenKeys();
    const log = new SealedEventLog(below, keys);
    await log.append([secret('u1', 'first'), secret('u1', 'second'), secret('u2', 'third')]);
    expect(await keys.ofPath('core/secrets', 'shop/db')).toEqual(['u1', 'u2']);
    await keys.destroy(['u1']);
    const texts = await readAll(log, 3);
    expect(texts[0]).toBe(
      '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db","namespace":"shop","uid":"u1",' +
        '"annotations":{"dev.everwatch/erased":"true"}}}',
    );
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toContain('third');
  });
});

describe('other providers', () => {
  test('seal the keys anew and read the same log', async () => {
    const below = new MemoryEventLog();
    const keys = await givenKeys();
    const log = new SealedEventLog(below, keys);
    await log.append([secret('u1', 'first')]);
    const lying = below.at(resourceVersion(1))?.json;
    await expect(keys.change(() => new ProviderChain([provider('two', 2)]))).rejects.toThrow();
    expect(
      await keys.change(() => new ProviderChain([provider('two', 2), provider('one', 1)])),
    ).toBe(1);
    expect(await keys.reseal()).toBe(0);
    expect(await keys.change(() => new ProviderChain([provider('two', 2)]))).toBe(0);
    expect((await readAll(log, 1))[0]).toContain('first');
    expect(below.at(resourceVersion(1))?.json).toEqual(lying);
  });

  test('say of what lies there plainly, and of what need not be sealed, that it is stale', async () => {
    const below = new MemoryEventLog();
    let chain = new ProviderChain([identity, provider('one', 1)]);
    const log = new SealedEventLog(below, await givenKeys(() => chain));
    await log.append([secret('u1', 'plain')]);
    expect(log.at(resourceVersion(1))?.isStale).toBeUndefined();
    chain = ENCRYPTED;
    expect(log.at(resourceVersion(1))?.isStale).toBe(true);
    await log.append([secret('u1', 'sealed')]);
    expect(log.at(resourceVersion(2))?.isStale).toBeUndefined();
    chain = new ProviderChain([identity, provider('one', 1)]);
    expect(log.at(resourceVersion(2))?.isStale).toBe(true);
  });
});
