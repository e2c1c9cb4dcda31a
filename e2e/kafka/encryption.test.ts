/** Encryption at rest where the log is shared: one set of keys for all servers, in a topic of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KmsPlugin } from '../encryption/kms-plugin.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, parseJson, textAt, type JsonObject } from '../support/json.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { ReplicaGroup, type Replica } from './replica-group.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const TOPIC = 'encrypted-control-plane';
const reader = await needs('topic-reader');
const kms = await needs('kms-plugin');
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

function secret(name: string, value: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { value } };
}

async function valueOf(client: AdminClient, path: string): Promise<string> {
  return Buffer.from(textAt((await client.get(path)).body, 'data', 'value'), 'base64').toString();
}

await describeWith('kafka', 'servers that share an encrypted topic', (startKafka) => {
  let cluster: KafkaCluster;
  let replicas: ReplicaGroup;
  let a: Replica;
  let b: Replica;
  const plugin = kms === undefined ? undefined : new KmsPlugin(kms);
  const flags = (): string[] => [
    `--encryption-provider-config=${join(replicas.directory, 'encryption.json')}`,
  ];

  /** As a Kafka client reads them that knows nothing of Everwatch. */
  async function valuesIn(topic: string): Promise<Buffer[]> {
    const { stdout } = await run(reader ?? '', [cluster.bootstrap.join(','), topic]);
    const lines = stdout.trimEnd().split('\n');
    return lines.map((line) => Buffer.from(textAt(parseJson(line), 'value'), 'base64'));
  }

  beforeAll(async () => {
    cluster = await startKafka({ properties: QUICK_FAILOVER });
    replicas = new ReplicaGroup(cluster.bootstrap);
    const keys = [{ name: 'one', secret: Buffer.alloc(32, 1).toString('base64') }];
    const resources: JsonObject[] = [
      { resources: ['secrets'], providers: [{ aesgcm: { keys } }, { identity: {} }] },
    ];
    if (plugin !== undefined) {
      plugin.start();
      resources.push({ resources: ['serviceaccounts'], providers: [plugin.provider] });
    }
    const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' };
    writeFileSync(
      join(replicas.directory, 'encryption.json'),
      JSON.stringify({ ...kind, resources }),
    );
    const args = flags();
    [a, b] = await Promise.all([replicas.start(TOPIC, { args }), replicas.start(TOPIC, { args })]);
  });

  afterAll(async () => {
    await replicas.stop();
    await cluster.stop();
    await plugin?.remove();
  });

  it('read what any of them wrote, and write what any of them reads', async () => {
    for (let round = 0; round < 20; round += 1) {
      const path = `${SECRETS}/s${String(round)}`;
      expect((await a.client.post(SECRETS, secret(`s${String(round)}`, 'of a'))).status).toBe(201);
      expect(await valueOf(b.client, path)).toBe('of a');
      const patched = await b.client.patch(path, { stringData: { value: 'a-value-of-b' } });
      expect(patched.status).toBe(200);
      expect(await valueOf(a.client, path)).toBe('a-value-of-b');
    }
  });

  it.skipIf(reader === undefined)('have nothing of it in Kafka', async () => {
    const marker = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } };
    await a.client.post('/api/v1/namespaces/default/configmaps', {
      ...marker,
      data: { value: 'a-plain-value' },
    });
    const values = await valuesIn(TOPIC);
    expect(values.some((value) => value.includes('a-plain-value'))).toBe(true);
    const needle = Buffer.from('a-value-of-b').toString('base64');
    expect(values.some((value) => value.includes(needle))).toBe(false);
  });

  it.skipIf(plugin === undefined)('ask a KMS for the seeds of one another, once', async () => {
    const account = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, annotations: { value: 'what-a-kms-keeps' } },
    });
    for (const [writer, other, name] of [[a, b, 'of-a'] as const, [b, a, 'of-b'] as const]) {
      for (const path of [`${name}-1`, `${name}-2`]) {
        expect((await writer.client.post(ACCOUNTS, account(path))).status).toBe(201);
        const { body } = await other.client.get(`${ACCOUNTS}/${path}`);
        expect(at(body, 'metadata', 'annotations', 'value')).toBe('what-a-kms-keeps');
      }
    }
    const calls = plugin?.newCalls() ?? [];
    expect(calls.filter((call) => call === 'Decrypt')).toHaveLength(2);
    expect(calls.filter((call) => call === 'Encrypt')).toHaveLength(2);
    if (reader === undefined) return;
    const values = await valuesIn(TOPIC);
    expect(values.some((value) => value.includes('what-a-kms-keeps'))).toBe(false);
  });

  it('forget together, and a new server never knew', async () => {
    const path = `${SECRETS}/s0`;
    const version = textAt((await a.client.get(path)).body, 'metadata', 'resourceVersion');
    const past = `/at/${version}${path}`;
    expect(await valueOf(b.client, past)).toBe('a-value-of-b');
    await a.client.delete(path);
    const asked = `/everwatch/v1/shred?resource=core/secrets&path=default/s0`;
    expect(at((await b.client.send('POST', asked)).body, 'shredded')).toBe(1);
    expect(at((await b.client.get(past)).body, 'data')).toBeUndefined();
    await eventually('the other one has forgotten, too', async () => {
      const { body } = await a.client.get(past);
      return at(body, 'metadata', 'annotations', 'dev.everwatch/erased') === 'true' || undefined;
    });
    const c = await replicas.start(TOPIC, { args: flags() });
    expect(at((await c.client.get(past)).body, 'data')).toBeUndefined();
    expect(await valueOf(c.client, `${SECRETS}/s1`)).toBe('a-value-of-b');
    if (plugin === undefined) return;
    const { body } = await c.client.get(`${ACCOUNTS}/of-b-2`);
    expect(at(body, 'metadata', 'annotations', 'value')).toBe('what-a-kms-keeps');
  });

  it('do not start without the keys', async () => {
    await expect(replicas.start(TOPIC)).rejects.toThrow('no --encryption-provider-config is given');
  });
});
