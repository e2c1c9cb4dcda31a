/**
 * Another program reads the topic: a Kafka client written in Go that knows nothing of us, and this
 * file, which knows what docs/event-format.md says and nothing else. What they find must be what
 * the servers show.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { repeatRecords } from '../robustness/topic-echo.ts';
import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { listAt, parseJson, textAt, type JsonObject } from '../support/json.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { ReplicaGroup, type Replica } from './replica-group.ts';
import { readTopic, type TopicRecord } from './topic-lines.ts';
import { objectText, whoWins, type Outcome } from './who-wins.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/event-format.md'), 'utf8');
const CORE = '/api/v1/namespaces';
const MAPS = `${CORE}/default/configmaps`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PREFIX = 'dev.everwatch.object.';
const MARKER = 'everwatch/marker';
const MARKER_HEADERS = ['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time'];

const kafkaStarter = await needs('kafka');

await describeWith('topic-reader', 'a Kafka client of others', (program) => {
  describe.runIf(kafkaStarter !== undefined)('that reads the topic', () => {
    let cluster: KafkaCluster;
    let replicas: ReplicaGroup;

    beforeAll(async () => {
      cluster = (await kafkaStarter?.({ properties: QUICK_FAILOVER })) ?? expect.unreachable();
      replicas = new ReplicaGroup(cluster.bootstrap);
    });

    afterAll(async () => {
      await replicas.stop();
      await cluster.stop();
    });

    const recordsOf = (topic: string) => readTopic(program, cluster.bootstrap, topic);

    it('finds keys, headers and values as the document has them', async () => {
      const { client } = await replicas.start('alone');
      const writes = await writeAll(client);
      const records = await recordsOf('alone');

      // Its position in the log, counted from 1, is the version of what it makes.
      expect(records.map(({ offset }) => offset)).toEqual(records.map((_, index) => index));
      for (const record of records) expectDocumentedForm(record);
      expect(records.some(({ key }) => key === MARKER)).toBe(true);
      for (const { answer, key, type, verb, value } of writes) {
        const auditID = String(answer.headers['audit-id']);
        const record = records.find((one) => headersOf(one)['auditID'] === auditID);
        const headers = record && headersOf(record);
        expect(headers).toMatchObject({ ce_type: PREFIX + type, verb, user: 'kubernetes-admin' });
        expect([record?.key, record?.value]).toEqual([key, value]);
        if (type === 'deleted') continue;
        const { uid, resourceVersion } = metadataOf(answer.body);
        expect(headers?.['uid']).toBe(uid);
        expect(Number(resourceVersion)).toBe(Number(record?.offset) + 1);
      }
      const made = records.find(({ key }) => key === 'core/configmaps/default/hello');
      expect(made && headersOf(made)['fieldManager']).toBe('someone');
      const versions = writes.map(({ answer }) => metadataOf(answer.body).resourceVersion);
      const replaced = (index: number) => {
        const auditID = writes[index]?.answer.headers['audit-id'];
        const record = records.find((one) => headersOf(one)['auditID'] === auditID);
        return record && headersOf(record)['previousResourceVersion'];
      };
      // Created, patched, put and deleted: each stands on the one before.
      expect([0, 1, 2, 3].map(replaced)).toEqual(['0', ...versions.slice(0, 3)]);
    });

    it('knows by "Which write wins" what two servers show that race for the same objects', async () => {
      const topic = 'raced-for';
      const racers = [await replicas.start(topic), await replicas.start(topic)];
      const { body } = await clientOf(racers, 0).get(MAPS);
      const start = metadataOf(body).resourceVersion;
      const path = `${MAPS}?resourceVersion=${start}`;
      const watches = await Promise.all(racers.map(({ client }) => HttpWatch.open(client, path)));
      let records: TopicRecord[] = [];
      await eventually(
        'a write that was overtaken',
        async () => {
          await race(racers);
          records = await recordsOf(topic);
          return whoWins(records).verdicts.includes('overtaken') || undefined;
        },
        { timeoutMs: 120_000 },
      );
      // The network delivers a part of it again.
      const again = { from: records.length - 30, count: 30 };
      await repeatRecords({ brokers: cluster.bootstrap, topic }, again);
      const last = { metadata: { name: 'last' } };
      expect((await clientOf(racers, 0).post(MAPS, last)).status).toBe(201);

      records = await recordsOf(topic);
      for (const record of records) expectDocumentedForm(record);
      const outcome = whoWins(records);
      const count = (wanted: string) => outcome.verdicts.filter((one) => one === wanted).length;
      console.log(
        `${String(records.length)} records: ${['effective', 'overtaken', 'duplicate', 'marker']
          .map((verdict) => `${String(count(verdict))} ${verdict}`)
          .join(', ')}`,
      );
      expect(count('duplicate')).toBe(30);
      const changes = changesIn(records, outcome, Number(start));
      for (const [index, watch] of watches.entries()) {
        await watch.until(
          'the last',
          ({ object }) => textAt(object, 'metadata', 'name') === 'last',
        );
        watch.close();
        const seen = watch.received.map(({ type, object }) => {
          const { name, resourceVersion } = metadataOf(object);
          return `${type} ${name} ${resourceVersion}`;
        });
        expect(seen).toEqual(changes);
        await expectShown(clientOf(racers, index), outcome);
      }
    });
  });
});

interface Write {
  readonly answer: ApiAnswer;
  /** What the record must say. */
  readonly key: string;
  readonly type: 'added' | 'modified' | 'deleted';
  readonly verb: string;
  readonly value: string;
}

/** The first four are of one object. */
async function writeAll(client: AdminClient): Promise<Write[]> {
  const hello = `${MAPS}/hello`;
  const key = 'core/configmaps/default/hello';
  const writes: Write[] = [];
  const note = async (write: Omit<Write, 'value'>, path: string): Promise<void> => {
    expect([200, 201], JSON.stringify(write.answer.body)).toContain(write.answer.status);
    writes.push({ ...write, value: await valueAt(client, path) });
  };
  const object = { metadata: { name: 'hello' }, data: { text: 'ä "quoted" \u2028 😀', n: '1' } };
  const made = await client.post(`${MAPS}?fieldManager=someone`, object);
  await note({ answer: made, key, type: 'added', verb: 'create' }, hello);
  const patched = await client.patch(hello, { data: { n: '2' } });
  await note({ answer: patched, key, type: 'modified', verb: 'patch' }, hello);
  const put = await client.put(hello, { ...object, kind: 'ConfigMap', apiVersion: 'v1' });
  await note({ answer: put, key, type: 'modified', verb: 'update' }, hello);
  const value = writes.at(-1)?.value ?? '';
  writes.push({ answer: await client.delete(hello), key, type: 'deleted', verb: 'delete', value });

  const space = await client.post(CORE, { metadata: { name: 'shop' } });
  const spaceKey = 'core/namespaces//shop';
  await note({ answer: space, key: spaceKey, type: 'added', verb: 'create' }, `${CORE}/shop`);
  const deployed = await client.post(DEPLOYMENTS, deployment('web'));
  const deployedKey = 'apps/deployments/default/web';
  const deployedAt = `${DEPLOYMENTS}/web`;
  await note({ answer: deployed, key: deployedKey, type: 'added', verb: 'create' }, deployedAt);
  return writes;
}

function deployment(name: string): JsonObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name, image: 'example' }] } };
  return { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
}

/** Each client at once: makes, changes and removes the same few objects, at both servers. */
async function race(racers: readonly Replica[]): Promise<void> {
  async function run(worker: number): Promise<void> {
    const client = clientOf(racers, worker % 2);
    for (let n = 0; n < 12; n += 1) {
      const name = `x${String(n % 3)}`;
      const data = { by: `${String(worker)}-${String(n)}` };
      const path = `${MAPS}/${name}`;
      const answer = await (worker % 4 < 2
        ? client.patch(path, { data })
        : client.post(MAPS, { metadata: { name }, data }));
      expect([200, 201, 404, 409], JSON.stringify(answer.body)).toContain(answer.status);
      if (n % 4 === 3) expect([200, 404]).toContain((await client.delete(path)).status);
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, worker) => run(worker)));
}

function expectDocumentedForm(record: TopicRecord): void {
  const headers = headersOf(record);
  const names = record.headers.map(([name]) => name).sort();
  const { writer = '', sequence = '' } = headers;
  expect(headers).toMatchObject({ ce_specversion: '1.0', ce_id: `${writer}:${sequence}` });
  expect(headers['ce_time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  if (record.key === MARKER) {
    expect([headers['ce_type'], record.value]).toEqual(['dev.everwatch.marker', '']);
    expect(names).toEqual([...MARKER_HEADERS, 'writer', 'sequence'].sort());
    return;
  }
  expect(names).toEqual(headersInDocument());
  const [group = '', resource = '', ...path] = record.key.split('/');
  expect(path).toHaveLength(2);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    ce_source: `/${group}/${resource}`,
    ce_subject: path.join('/'),
  });
  const { name, namespace, uid, resourceVersion } = metadataOf(parseJson(record.value));
  expect([name, namespace, uid]).toEqual([path[1], path[0], headers['uid']]);
  expect(resourceVersion).toBe('');
}

/** The names in the first column of the table under "Headers". */
function headersInDocument(): string[] {
  const [, rest = ''] = DOCUMENT.split('**Headers**');
  const [table = ''] = rest.split('###');
  const cells = Array.from(table.matchAll(/^\| (`.*?) \|/gm), ([, cell = '']) => cell);
  return cells.flatMap((cell) => cell.replaceAll('`', '').split(', ')).sort();
}

/** As a watch of the ConfigMaps from a version on must show them: `ADDED x 7`. */
function changesIn(
  records: readonly TopicRecord[],
  { verdicts }: Outcome,
  start: number,
): string[] {
  const found = records.filter(({ offset, key }, index) => {
    const isOurs = key.startsWith('core/configmaps/default/') && offset + 1 > start;
    return isOurs && verdicts[index] === 'effective';
  });
  return found.map((record) => {
    const type = (headersOf(record)['ce_type'] ?? '').replace(PREFIX, '').toUpperCase();
    return `${type} ${record.key.split('/')[3] ?? ''} ${String(record.offset + 1)}`;
  });
}

/** Every ConfigMap, byte for byte, and no other; of the namespaces the versions. */
async function expectShown(client: AdminClient, { objects }: Outcome): Promise<void> {
  for (const [path, prefix] of [
    [MAPS, 'core/configmaps/default/'],
    [CORE, 'core/namespaces//'],
  ] as const) {
    const items = listAt((await client.get(path)).body, 'items').map(metadataOf);
    const expected = [...objects].filter(([key]) => key.startsWith(prefix));
    const versions = expected.map(([key, { version }]) => `${key} ${String(version)}`);
    const shown = items.map((one) => `${prefix}${one.name} ${one.resourceVersion}`);
    expect(shown.sort()).toEqual(versions.sort());
    for (const [key, { version, value }] of expected) {
      const text = await textOf(client, `${path}/${key.slice(prefix.length)}`);
      expect(text).toBe(objectText(value, version));
    }
  }
}

/** What GET shows, without `metadata.resourceVersion`. */
async function valueAt(client: AdminClient, path: string): Promise<string> {
  return (await textOf(client, path)).replace(/,"resourceVersion":"\d+"/, '');
}

/** The answer's body as it came, without a line end behind it. */
async function textOf(client: AdminClient, path: string): Promise<string> {
  const incoming = await client.open(path);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
  expect(incoming.statusCode).toBe(200);
  return Buffer.concat(chunks).toString('utf8').trimEnd();
}

function headersOf(record: TopicRecord): Record<string, string> {
  return Object.fromEntries(record.headers);
}

function clientOf(racers: readonly Replica[], index: number): AdminClient {
  return racers[index]?.client ?? expect.unreachable();
}

function metadataOf(
  object: ApiAnswer['body'],
): Record<'name' | 'namespace' | 'uid' | 'resourceVersion', string> {
  const of = (key: string) => textAt(object, 'metadata', key);
  const [name, namespace] = [of('name'), of('namespace')];
  return { name, namespace, uid: of('uid'), resourceVersion: of('resourceVersion') };
}
