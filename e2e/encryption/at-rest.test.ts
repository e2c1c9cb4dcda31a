/**
 * Encryption at rest: what lies in the data directory is searched for secrets, over new keys, a crash,
 * and a key that is destroyed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { FORKS, forkPath, makeFork } from '../forks/fork-client.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, textAt, type JsonObject } from '../support/json.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { everwatchWith } from '../tools/everwatch.ts';
import { liesIn } from './on-disk.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';

function key(name: string, fill: number): JsonObject {
  return { name, secret: Buffer.alloc(32, fill).toString('base64') };
}

function configuration(...providers: JsonObject[]): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers }],
  });
}

function secret(name: string, value: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { value } };
}

describe('secrets that are encrypted at rest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-at-rest-'));
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'encryption.yaml')];
  const everwatch = everwatchWith(() => ({ KUBECONFIG: join(dataDir, 'admin.kubeconfig') }));
  let server: RunningServer;
  let client: AdminClient;

  async function start(...providers: JsonObject[]): Promise<void> {
    writeFileSync(file, configuration(...providers));
    server = await startServer({ dataDir, args: ['--encryption-provider-config', file] });
    client = adminClient(server);
  }

  async function stop(): Promise<void> {
    client.close();
    await server.stop();
  }

  const lies = (value: string): boolean => liesIn(dataDir, value);

  async function valueOf(path: string): Promise<string> {
    const { body } = await client.get(path);
    return Buffer.from(textAt(body, 'data', 'value'), 'base64').toString();
  }

  beforeAll(() => start({ aescbc: { keys: [key('one', 1)] } }, { identity: {} }));
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lie nowhere on the disk, and config maps do', async () => {
    await client.post(SECRETS, secret('db', 'a-value-nobody-may-see'));
    const data = { value: 'a-value-for-everybody' };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data };
    await client.post('/api/v1/namespaces/default/configmaps', map);
    await client.patch(`${SECRETS}/db`, { stringData: { value: 'another-one-for-nobody' } });
    expect(lies('a-value-nobody-may-see')).toBe(false);
    expect(lies('another-one-for-nobody')).toBe(false);
    expect(lies('a-value-for-everybody')).toBe(true);
  });

  it('are there again behind a crash', async () => {
    await server.kill9();
    await server.restart();
    expect(await valueOf(`${SECRETS}/db`)).toBe('another-one-for-nobody');
  });

  it('in a fork lie nowhere either', async () => {
    const fork = { apiVersion: 'dev.everwatch/v1alpha1', kind: 'Fork', metadata: { name: 'f' } };
    expect((await client.post('/apis/dev.everwatch/v1alpha1/forks', fork)).status).toBe(201);
    const made = await client.post(`/forks/f${SECRETS}`, secret('inside', 'a-value-of-the-fork'));
    expect(made.status).toBe(201);
    expect(await valueOf(`/forks/f${SECRETS}/inside`)).toBe('a-value-of-the-fork');
    expect(await valueOf(`/forks/f${SECRETS}/db`)).toBe('another-one-for-nobody');
    expect(lies('a-value-of-the-fork')).toBe(false);
  });

  it('are read with other keys in another provider, when the old ones are gone as well', async () => {
    await stop();
    const secretbox = { secretbox: { keys: [key('two', 2)] } };
    await start(secretbox, { aescbc: { keys: [key('one', 1)] } });
    await stop();
    await start(secretbox);
    expect(await valueOf(`${SECRETS}/db`)).toBe('another-one-for-nobody');
    const version = at((await client.get(`${SECRETS}/db`)).body, 'metadata', 'resourceVersion');
    const [first] = await everwatch.lines('history', 'secret/db', '-o', 'jsonl');
    const before = Number(at(first ?? {}, 'resourceVersion'));
    expect(before).toBeLessThan(Number(version));
    expect(await valueOf(`/at/${String(before)}${SECRETS}/db`)).toBe('a-value-nobody-may-see');
  });

  it('without the keys are not opened, and no server starts', async () => {
    await stop();
    const wrong = { secretbox: { keys: [key('two', 3)] } };
    await expect(start(wrong)).rejects.toThrow('its keys cannot be opened');
    await expect(startServer({ dataDir })).rejects.toThrow('no --encryption-provider-config');
    await start({ secretbox: { keys: [key('two', 2)] } });
  });

  it('are forgotten for good when their keys are destroyed, and only then', async () => {
    const early = await everwatch.attempt('shred', 'secret/db');
    expect(early.stderr).toContain('the object exists, and so its past is kept: delete it first');
    const version = textAt((await client.get(`${SECRETS}/db`)).body, 'metadata', 'resourceVersion');
    await client.post(SECRETS, secret('kept', 'a-value-that-stays'));
    await client.delete(`${SECRETS}/db`);
    await client.delete(`${FORKS}/f`);
    expect(await valueOf(`/at/${version}${SECRETS}/db`)).toBe('another-one-for-nobody');
    expect(await everwatch('shred', 'secret/db')).toBe('secrets/db: shredded 1 object\n');
    const past = await client.get(`/at/${version}${SECRETS}/db`);
    expect(at(past.body, 'data')).toBeUndefined();
    expect(at(past.body, 'metadata', 'annotations', 'dev.everwatch/erased')).toBe('true');
    await server.kill9();
    await server.restart();
    expect(at((await client.get(`/at/${version}${SECRETS}/db`)).body, 'data')).toBeUndefined();
    expect(await valueOf(`${SECRETS}/kept`)).toBe('a-value-that-stays');
    expect((await everwatch.attempt('shred', 'secret/db')).code).toBe(1);
  });

  it('are kept where a fork has them, by whatever way', async () => {
    await client.post(SECRETS, secret('inherited', 'a-value-from-before'));
    await makeFork(client, 'trial');
    const inFork = forkPath('trial', SECRETS);
    await client.post(inFork, secret('made', 'a-value-of-the-fork'));
    for (const name of ['inherited', 'made']) {
      await client.delete(`${SECRETS}/${name}`);
      const { code, stderr } = await everwatch.attempt('shred', `secret/${name}`);
      expect(code).not.toBe(0);
      expect(stderr).toContain('the object exists in the fork trial, and so its past is kept');
    }
    await server.kill9();
    await server.restart();
    expect(await valueOf(`${inFork}/inherited`)).toBe('a-value-from-before');
    expect(await valueOf(`${inFork}/made`)).toBe('a-value-of-the-fork');
    await client.delete(`${FORKS}/trial`);
    expect(await everwatch('shred', 'secret/made')).toBe('secrets/made: shredded 1 object\n');
  });

  it('shows tools without keys that there is something, and not what', async () => {
    await stop();
    const shown = await everwatch('history', 'secret/kept', '--data-dir', dataDir, '-o', 'jsonl');
    expect(shown).not.toContain('a-value-that-stays');
    await start({ secretbox: { keys: [key('two', 2)] } });
    expect(await valueOf(`${SECRETS}/kept`)).toBe('a-value-that-stays');
  });
});
