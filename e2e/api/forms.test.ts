/** In which form objects are read and written: JSON, YAML, protobuf, tables, metadata, compressed. */
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { adminClient, type AdminClient, type ApiAnswer } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, parseJson, textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  configMap,
  created,
  expectFailure,
  expectObject,
  newMaps,
  newNamespace,
  textOf,
  versionOf,
} from './objects.ts';
import { sendBytes } from './raw-http.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

async function listed(path: string): Promise<JsonObject> {
  return expectObject(await client.get(path));
}

const givenMaps = (...names: string[]): Promise<string> => newMaps(client, ...names);

const META = 'v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function accepting(path: string, accept: string): Promise<ApiAnswer> {
  return client.get(path, { accept });
}

describe('forms', () => {
  it('are the client’s choice', async () => {
    const maps = await givenMaps('a', 'b');
    const a = expectObject(await client.get(`${maps}/a`));
    const yaml = await accepting(`${maps}/a`, 'application/yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml');
    expect(parse(textOf(yaml))).toEqual(a);

    const protobuf = await accepting(`${maps}/a`, `${PROTOBUF},application/json`);
    expect(protobuf.headers['content-type']).toBe(PROTOBUF);
    expect(textOf(protobuf).slice(0, 4)).toBe('k8s\0');

    // The most wanted first, not the first named.
    const wanted = await accepting(`${maps}/a`, 'application/yaml;q=0.5, application/json;q=0.9');
    expect(wanted.headers['content-type']).toBe('application/json');
    for (const accept of ['*/*', 'application/*', '']) {
      expect((await accepting(`${maps}/a`, accept)).headers['content-type']).toBe(
        'application/json',
      );
    }
    for (const accept of [
      'text/html',
      'application/xml',
      'application/json;as=Chair;v=v1;g=meta.k8s.io',
    ]) {
      expectFailure(await accepting(`${maps}/a`, accept), { code: 406, reason: 'NotAcceptable' });
    }
    // Failures have the form that was asked for, too.
    const missing = await accepting(`${maps}/nonesuch`, 'application/yaml');
    expect(missing).toMatchObject({ status: 404, headers: { 'content-type': 'application/yaml' } });
    expect(parse(textOf(missing))).toMatchObject({ kind: 'Status', reason: 'NotFound' });
  });

  it('can be Tables and metadata alone', async () => {
    const maps = await givenMaps('a', 'b');
    const list = await listed(maps);
    const table = expectObject(
      await accepting(maps, `application/json;as=Table;${META},application/json`),
    );
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: versionOf(list) },
    });
    expect(listAt(table, 'rows').map((row) => listAt(row, 'cells').slice(0, 2))).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(at(table, 'rows', 0, 'object', 'kind')).toBe('PartialObjectMetadata');
    const one = expectObject(await accepting(`${maps}/a`, `application/json;as=Table;${META}`));
    expect(listAt(one, 'rows')).toHaveLength(1);

    const items = listAt(list, 'items') as JsonObject[]; // A list of objects.
    const partial = expectObject(
      await accepting(maps, `application/json;as=PartialObjectMetadataList;${META}`),
    );
    expect(partial).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: list['metadata'],
      items: items.map(({ metadata }) => ({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
      })),
    });
    const single = expectObject(
      await accepting(`${maps}/a`, `application/json;as=PartialObjectMetadata;${META}`),
    );
    expect(single).toEqual(at(partial, 'items', 0));
    const page = expectObject(
      await accepting(`${maps}?limit=1`, `application/json;as=Table;${META}`),
    );
    expect(at(page, 'metadata', 'remainingItemCount')).toBe(1);
    expect(textAt(page, 'metadata', 'continue')).not.toBe('');
    const wrong = await accepting(maps, `application/json;as=PartialObjectMetadata;${META}`);
    expectFailure(wrong, { code: 406, reason: 'NotAcceptable' });
    const binary = await accepting(maps, `${PROTOBUF};as=PartialObjectMetadataList;${META}`);
    expect(binary).toMatchObject({ status: 200, headers: { 'content-type': PROTOBUF } });
    const noBinary = await accepting(maps, `${PROTOBUF};as=Table;${META}`);
    expect(noBinary.status).toBe(406);
  });

  it('are indented for people', async () => {
    const maps = await givenMaps('a');
    const raw = async (query: string, agent: string): Promise<string> => {
      const incoming = await client.open(`${maps}/a${query}`, { 'user-agent': agent });
      let text = '';
      for await (const chunk of incoming) text += String(chunk);
      return text;
    };
    expect(await raw('', 'tool')).not.toContain('\n ');
    expect(await raw('?pretty=true', 'tool')).toContain('\n  "kind": "ConfigMap"');
    expect(await raw('', 'curl/8.0')).toContain('\n  "kind": "ConfigMap"');
    expect(await raw('?pretty=0', 'curl/8.0')).not.toContain('\n ');
    expect(parseJson(await raw('?pretty=1', 'tool'))).toEqual(parseJson(await raw('', 'tool')));
  });

  it('are compressed from 128 KiB on, for clients that take it', async () => {
    const maps = await givenMaps('small');
    const large = configMap('large', { data: { x: 'compressible '.repeat(30_000) } });
    const object = await created(client, maps, large);
    for (const path of [`${maps}/large`, maps]) {
      const incoming = await client.open(path, { 'accept-encoding': 'gzip' });
      expect(incoming.headers['content-encoding']).toBe('gzip');
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
      const whole = parseJson(gunzipSync(Buffer.concat(chunks)).toString()) as JsonObject;
      const data = path === maps ? at(whole, 'items', 0, 'data') : whole['data'];
      expect(data).toEqual(object['data']);
      expect(Buffer.concat(chunks).length).toBeLessThan(40_000);
      expect((await client.get(path)).headers['content-encoding']).toBeUndefined();
    }
    const small = await client.get(`${maps}/small`, { 'accept-encoding': 'gzip' });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  it('come in as well: YAML and protobuf', async () => {
    const maps = await givenMaps();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "on"\n';
    const sent = await client.send('POST', maps, {
      body,
      headers: { 'content-type': 'application/yaml' },
    });
    expect(expectObject(sent, 201)).toMatchObject({ data: { a: 'on' } });

    const access = readKubeconfig(server().kubeconfig);
    const { body: bytes } = await sendBytes(access, {
      method: 'GET',
      path: `${maps}/yaml`,
      headers: { accept: PROTOBUF },
    });
    const changed = Buffer.from(bytes.toString('latin1').replace('\x02on', '\x02no'), 'latin1');
    const put = await sendBytes(access, {
      method: 'PUT',
      path: `${maps}/yaml`,
      headers: { 'content-type': PROTOBUF },
      body: changed,
    });
    expect(put.status, put.body.toString()).toBe(200);
    expect(expectObject(await client.get(`${maps}/yaml`))).toMatchObject({ data: { a: 'no' } });
  });
});

it('shows one store under every group and version that serves it', async () => {
  const namespace = await newNamespace(client, 'versions');
  const core = `/api/v1/namespaces/${namespace}/events`;
  const involvedObject = { kind: 'Pod', namespace, name: 'a', apiVersion: 'v1' };
  await created(client, core, {
    metadata: { name: 'e' },
    involvedObject,
    reason: 'Tested',
    message: 'it happened',
    type: 'Normal',
  });
  const same = expectObject(
    await client.get(`/apis/events.k8s.io/v1/namespaces/${namespace}/events/e`),
  );
  expect(same).toMatchObject({
    apiVersion: 'events.k8s.io/v1',
    regarding: involvedObject,
    note: 'it happened',
  });

  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 70,
  };
  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
  const one = await created(client, path('v1'), { metadata: { name: 'h' }, spec });
  const two = expectObject(await client.get(`${path('v2')}/h`));
  expect(two).toMatchObject({
    apiVersion: 'autoscaling/v2',
    metadata: one['metadata'] as JsonObject,
    spec: {
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
        },
      ],
    },
  });
});
