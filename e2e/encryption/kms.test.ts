/**
 * Encryption at rest with a KMS plugin, which is a process of its own: it rotates its key, is not there,
 * and hangs, and neither a secret nor the server is lost.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { at, textAt, type JsonObject } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { everwatchWith } from '../tools/everwatch.ts';
import { KmsPlugin } from './kms-plugin.ts';
import { liesIn } from './on-disk.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const CHECK = '/readyz/kms-providers';

function secret(name: string, value: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { value } };
}

await describeWith('kms-plugin', 'secrets that a KMS plugin keeps', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-kms-data-'));
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'encryption.yaml')];
  const everwatch = everwatchWith(() => ({ KUBECONFIG: join(dataDir, 'admin.kubeconfig') }));
  const plugin = new KmsPlugin(program);
  let port = 0;
  let server: RunningServer;
  let client: AdminClient;
  let starting: Promise<void> = Promise.resolve();

  /** Resolves when it is ready. */
  async function start(): Promise<void> {
    server = await startServer({ dataDir, port, args: ['--encryption-provider-config', file] });
    client = adminClient(server);
  }

  async function stop(): Promise<void> {
    client.close();
    await server.stop();
  }

  async function valueOf(path: string): Promise<string> {
    const { body } = await client.get(path);
    return Buffer.from(textAt(body, 'data', 'value'), 'base64').toString();
  }

  beforeAll(async () => {
    port = (await freePorts(1))[0] ?? 0;
    const resources = [{ resources: ['secrets'], providers: [plugin.provider, { identity: {} }] }];
    const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' };
    writeFileSync(file, JSON.stringify({ ...kind, resources }));
    plugin.start();
    await start();
  });

  afterAll(async () => {
    await stop();
    await plugin.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lie nowhere on the disk, and the plugin is asked once for all of them', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `s${String(n)}`);
    const made = names.map((name) => client.post(SECRETS, secret(name, 'a-value-nobody-may-see')));
    for (const { status } of await Promise.all(made)) expect(status).toBe(201);
    expect(liesIn(dataDir, 'a-value-nobody-may-see')).toBe(false);
    // How it is, it is asked now and then.
    expect(plugin.newCalls().filter((call) => call !== 'Status')).toEqual(['Encrypt']);
    expect(readFileSync(join(dataDir, 'object-keys'), 'latin1')).toContain(
      Buffer.from('k8s:enc:kms:v2:vault:').toString('base64').slice(0, 26),
    );
  });

  it('are read and written while the plugin is dead', async () => {
    await plugin.kill();
    expect((await client.post(SECRETS, secret('late', 'a-late-value'))).status).toBe(201);
    const patched = await client.patch(`${SECRETS}/s1`, { stringData: { value: 'another-value' } });
    expect(patched.status).toBe(200);
    expect(await valueOf(`${SECRETS}/s2`)).toBe('a-value-nobody-may-see');
    expect(await valueOf(`${SECRETS}/late`)).toBe('a-late-value');
  });

  it('wait for the plugin at a start: without it no client can read, and nothing is lost', async () => {
    await stop();
    starting = start();
    plugin.say({ keyID: 'one', mode: 'hang' });
    plugin.start();
    await eventually('it was asked, and hung', () =>
      plugin.newCalls().includes('Decrypt') ? true : undefined,
    );
    plugin.say({ keyID: 'one', mode: 'sick' });
    const early = await eventually('it serves, and is not ready', async () => {
      const looking = adminClient({ kubeconfig: join(dataDir, 'admin.kubeconfig') });
      const answer = await looking.get(CHECK).finally(() => looking.close());
      return JSON.stringify(answer.body).includes('sick') ? answer : undefined;
    });
    expect([early.status, early.body]).toEqual([
      500,
      'internal server error: kms-provider-0: kmsv2 Provider vault is not healthy, error: ' +
        'got unexpected healthz status: the plugin is told to be sick\n',
    ]);
  });

  it('are sealed with its next key without a restart, and then the old one may go', async () => {
    plugin.say({ keyID: 'two', mode: 'ok' });
    await starting;
    expect(server.logs()).toContain('waiting for a KMS plugin');
    expect(server.logs()).toContain('rpc error: code = DeadlineExceeded');
    expect((await client.get(CHECK)).status).toBe(200);
    expect((await client.get('/healthz/kms-providers')).status).toBe(200);
    expect((await client.get('/livez/kms-providers')).status).toBe(404);
    await eventually('all keys are sealed anew', () =>
      server.logs().includes('keys of objects are sealed anew') ? true : undefined,
    );
    plugin.destroyKey('one');
    plugin.newCalls();
    await server.kill9();
    await server.restart();
    expect(plugin.newCalls().filter((call) => call === 'Decrypt')).toHaveLength(1);
    expect(await valueOf(`${SECRETS}/s1`)).toBe('another-value');
    expect(await valueOf(`${SECRETS}/late`)).toBe('a-late-value');
    expect(await valueOf(`${SECRETS}/s29`)).toBe('a-value-nobody-may-see');
  });

  it('are forgotten for good when their keys are destroyed', async () => {
    const path = `${SECRETS}/s3`;
    const version = textAt((await client.get(path)).body, 'metadata', 'resourceVersion');
    await client.delete(path);
    expect(await everwatch('shred', 'secret/s3')).toBe('secrets/s3: shredded 1 object\n');
    const { body } = await client.get(`/at/${version}${path}`);
    expect(at(body, 'metadata', 'annotations', 'dev.everwatch/erased')).toBe('true');
    expect(await valueOf(`${SECRETS}/s4`)).toBe('a-value-nobody-may-see');
  });

  it('are shown in figures, without the ids of keys', async () => {
    const text = (await client.get('/metrics')).body;
    const envelope = 'apiserver_envelope_encryption';
    expect(text).toMatch(
      new RegExp(
        `${envelope}_kms_operations_latency_seconds_count{grpc_status_code="OK",` +
          `method_name="/v2.KeyManagementService/Status",provider_name="vault"} [1-9]`,
      ),
    );
    expect(text).toContain(`${envelope}_dek_source_cache_size{provider_name="vault"}`);
    expect(text).toMatch(
      new RegExp(
        `${envelope}_key_id_hash_total{apiserver_id_hash="sha256:[0-9a-f]{64}",` +
          `key_id_hash="sha256:[0-9a-f]{64}",provider_name="vault",transformation_type="from_storage"} [1-9]`,
      ),
    );
    expect(text).toMatch(/apiserver_encryption_config_controller_last_config_info{.*hash="sha256:/);
  });

  it('are not written before the plugin was ever there, and all else is', async () => {
    const fresh = join(folder, 'fresh');
    await plugin.kill();
    const args = ['--encryption-provider-config', file];
    const starting = startServer({ dataDir: fresh, args });
    const kubeconfig = join(fresh, 'admin.kubeconfig');
    const early = await eventually('it serves', async () => {
      const looking = adminClient({ kubeconfig });
      return (await looking.get('/livez')).status === 200 ? looking : undefined;
    });
    const refused = await early.post(SECRETS, secret('early', 'value'));
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      500,
      'Internal error occurred: got unexpected nil transformer',
    ]);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
    expect((await early.post('/api/v1/namespaces/default/configmaps', map)).status).toBe(201);
    expect((await early.get('/readyz')).status).toBe(500);
    plugin.start();
    const other = await starting;
    expect((await early.post(SECRETS, secret('early', 'value'))).status).toBe(201);
    early.close();
    await other.stop();
  });
});
