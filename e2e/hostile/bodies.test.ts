/**
 * Bodies made to be hard to read: nested without end, repeated by alias, numbers that take all
 * memory, keys that JavaScript finds special. Each is answered by what is wrong with it, before it
 * has held up a client.
 */
import { describe, expect, it } from 'vitest';

import { configMap, created, deployment, expectFailure, pod } from '../api/objects.ts';
import type { ApiAnswer, PatchType } from '../support/admin-client.ts';
import { at, type JsonObject, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { Bystander } from './harm.ts';

const server = serverForThisFile();
const NAMESPACE = '/api/v1/namespaces/default';
const MAPS = `${NAMESPACE}/configmaps`;
const PODS = `${NAMESPACE}/pods`;
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MIB = 1024 * 1024;

async function post(path: string, body: string, type = 'application/json'): Promise<ApiAnswer> {
  const bystander = new Bystander(server());
  const answer = await bystander.client.send('POST', `${path}?dryRun=All`, {
    body,
    headers: { 'content-type': type },
  });
  await bystander.isUnharmed();
  return answer;
}

function expectRefused(answer: ApiAnswer, message: RegExp): void {
  expectFailure(answer, { code: 400, reason: 'BadRequest', message });
}

function nested(depth: number, innermost = '1'): string {
  return '{"a":'.repeat(depth) + innermost + '}'.repeat(depth);
}

const mapWith = (more: string) =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},${more}}`;
const revisionWith = (data: string) =>
  '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"a"},"revision":1,' +
  `"data":${data}}`;

describe('JSON', () => {
  it.each([
    ['three million brackets', '['.repeat(3 * MIB)],
    ['an unknown field 100,000 deep', mapWith(`"x":${nested(100_000)}`)],
    ['a field of any content 100,000 deep', revisionWith(nested(100_000))],
    ['a field of any content 5,000 deep', revisionWith(nested(5_000))],
    ['a field of any content 1,000 deep', revisionWith(nested(1_000))],
  ])('of %s is too deep', async (_name, body) => {
    const path = body.includes('ControllerRevision') ? REVISIONS : MAPS;
    expectRefused(await post(path, body), /exceeded max depth/);
  });

  it('as deep as may be can be read in every form', async () => {
    const { client } = new Bystander(server());
    const answer = await client.send('POST', REVISIONS, { body: revisionWith(nested(900)) });
    expect(answer.status).toBe(201);
    for (const accept of ['json', 'yaml', 'vnd.kubernetes.protobuf']) {
      const read = await client.get(`${REVISIONS}/a`, { accept: `application/${accept}` });
      expect(read.status, accept).toBe(200);
    }
    const patched = await client.patch(`${REVISIONS}/a`, { metadata: { labels: { a: 'b' } } });
    expect(patched.status).toBe(200);
    expect((await client.delete(`${REVISIONS}/a`)).status).toBe(200);
  });

  it.each([
    ['where anything may stand', REVISIONS, revisionWith('{"a":1e999}')],
    [
      'where a whole number stands',
      PODS,
      JSON.stringify(pod('a', { activeDeadlineSeconds: 1 })).replace(
        'Seconds":1',
        'Seconds":1e999',
      ),
    ],
  ])('with a number beyond all numbers is refused %s', async (_name, path, body) => {
    expectRefused(await post(path, body), /json: cannot unmarshal number/);
  });

  it('with half a character has the character that says so', async () => {
    const answer = await post(MAPS, mapWith('"data":{"a":"x\\ud800","b":"\\ud83d\\ude00"}'));
    expect(answer).toMatchObject({ status: 201, body: { data: { a: 'x\ufffd', b: '😀' } } });
  });

  it('of a million empty parts is refused by their number', async () => {
    const { kind, apiVersion } = pod('a');
    const head = JSON.stringify({ kind, apiVersion, metadata: { name: 'a' } }).slice(0, -1);
    const body = `${head},"spec":{"containers":[${'{},'.repeat(1_000_000)}{}]}}`;
    expectRefused(await post(PODS, body), /more than 100000 parts/);
  });

  it('with a hundred thousand errors is told of a thousand', async () => {
    const labels = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`-${String(index)}`, '-']),
    );
    const answer = await post(MAPS, JSON.stringify(configMap('a', {}, { labels })));
    expect(answer.status).toBe(422);
    expect(at(answer.body, 'details', 'causes')).toHaveLength(1_000);
  });

  it('of an unknown media type is 415, even if JavaScript knows the word', async () => {
    for (const type of ['constructor', '__proto__', 'toString', 'text/plain']) {
      expect((await post(MAPS, '{}', type)).status, type).toBe(415);
    }
  });
});

describe('an amount', () => {
  const limits = (cpu: string) =>
    pod('a', { containers: [{ name: 'a', image: 'b', resources: { limits: { cpu } } }] });

  it.each(['1e999999999', '1e-999999999', '1E2147483647'])(
    'of %s is neither read nor compared to its last digit',
    async (cpu) => {
      const answer = await post(PODS, JSON.stringify(limits(cpu)));
      expect([201, 422], JSON.stringify(answer.body)).toContain(answer.status);
    },
  );

  it('of two million digits is none', async () => {
    const answer = await post(PODS, JSON.stringify(limits('9'.repeat(2_000_000))));
    expectRefused(answer, /unable to parse numeric part of quantity/);
  });
});

describe('YAML', () => {
  const levels = 'abcdefghij'.split('');
  const bomb = levels
    .map(
      (name, level) =>
        `${name}: &${name} [${Array(9)
          .fill(level === 0 ? 'x' : `*${levels[level - 1] ?? ''}`)
          .join(',')}]`,
    )
    .join('\n');
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');

  it.each([
    ['an alias of aliases of aliases', bomb, /excessive aliasing/],
    [
      'one large text 400 times',
      `x: &a "${'x'.repeat(2_000_000)}"\ndata:\n${lines(400, (index) => `  k${String(index)}: *a`)}`,
      /excessive aliasing/,
    ],
    ['a million brackets', '['.repeat(MIB), /exceeded max depth/],
    ['a million dashes', '- '.repeat(MIB), /exceeded max depth/],
    ['three million commas', `[${','.repeat(3 * MIB - 8)}`, /unexpected ,|too many parts/],
    ['half a million equal keys', 'a: v\n'.repeat(500_000), /too many parts/],
    ['a million empty lists', `[${'[],'.repeat(MIB - 8)}]`, /too many parts/],
    ['700,000 closing brackets', 'a: ]'.repeat(700_000), /unexpected flow-seq-end|too many parts/],
    ['a million bad escapes', `a: "${'\\q'.repeat(MIB)}"`, /invalid escape sequence/],
    ['half a million tags', `a: ${'!a '.repeat(500_000)}`, /at most one tag|too many parts/],
    ['three million line breaks', '\n'.repeat(3 * MIB), /too many parts/],
  ])('of %s is refused', async (_name, body, message) => {
    expectRefused(await post(MAPS, body, 'application/yaml'), message);
  });

  it('of three million digits is no number', async () => {
    const answer = await post(MAPS, `a: 0x${'f'.repeat(3 * MIB - 8)}`, 'application/yaml');
    expect(answer.status).toBe(422);
  });
});

describe('protobuf', () => {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
  const envelope = (kind: string, raw: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from(kind))])),
      field(2, raw),
    ]);
  const containers = Buffer.concat(
    Array.from({ length: 1_000_000 }, () => Buffer.from([0x12, 0x00])),
  );

  it.each([
    ['a length beyond the end', Buffer.from('6b3873000affffffffffffffff7f', 'hex')],
    ['a length that is no number', Buffer.from('6b3873000a80808080808080808001', 'hex')],
    [
      'three million open groups',
      Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(3_000_000, 0x0b)]),
    ],
    ['a wrong wire type', envelope('Pod', Buffer.from([0x08, 0x01]))],
    ['a million empty containers', envelope('Pod', field(2, containers))],
    ['a kind that is none', envelope('constructor', Buffer.alloc(0))],
  ])('with %s is 400', async (_name, bytes) => {
    const bystander = new Bystander(server());
    const { client } = bystander;
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const sent = await client.send('POST', PODS, { body: bytes, headers });
    expectFailure(sent, { code: 400, reason: 'BadRequest' });
    await bystander.isUnharmed();
  });
});

describe('a patch', () => {
  const special = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

  it.each<PatchType>(['merge-patch', 'strategic-merge-patch', 'json-patch'])(
    '(%s) sets special keys as keys, and reaches nothing through them',
    async (type) => {
      const bystander = new Bystander(server());
      const { client } = bystander;
      await created(client, MAPS, configMap(`special-${type}`));
      for (const key of special) {
        const own = JSON.parse(`{"${key}":"v"}`) as JsonObject;
        const body: JsonObject | JsonObject[] =
          type === 'json-patch'
            ? [{ op: 'add', path: `/data/${key}`, value: 'v' }]
            : ({ data: own, ...JSON.parse(`{"${key}":{"polluted":"yes"}}`) } as JsonObject);
        const answer = await client.patch(`${MAPS}/special-${type}`, body, type);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      }
      const { body } = await client.get(`${MAPS}/special-${type}`);
      const data = at(body, 'data') as JsonObject;
      expect(Object.keys(data).sort()).toEqual(['a', ...special].sort());
      const fresh = await created(client, MAPS, configMap(`fresh-${type}`));
      expect(JSON.stringify(fresh)).not.toContain('polluted');
      await bystander.isUnharmed();
    },
  );

  it.each(['/__proto__/polluted', '/constructor/prototype/polluted', '/data/__proto__/polluted'])(
    'to %s leads nowhere',
    async (path) => {
      const bystander = new Bystander(server());
      const { client } = bystander;
      await client.post(MAPS, configMap('nowhere'));
      const answer = await client.patch(
        `${MAPS}/nowhere`,
        [{ op: 'add', path, value: 'yes' }],
        'json-patch',
      );
      expect(answer.status).toBe(422);
      await bystander.isUnharmed();
    },
  );

  it('cannot make an object larger than a body may be', async () => {
    const bystander = new Bystander(server());
    const { client } = bystander;
    await created(client, DEPLOYMENTS, deployment('grows'));
    const grow = (field: string) => {
      const path = `/spec/template/spec/containers/0/${field}`;
      const value = ['x'.repeat(2 * MIB)];
      return client.patch(`${DEPLOYMENTS}/grows`, [{ op: 'add', path, value }], 'json-patch');
    };
    expect((await grow('args')).status).toBe(200);
    const answer = await grow('command');
    expectFailure(answer, { code: 413, reason: 'RequestEntityTooLarge' });
    expect(textAt(answer.body, 'message')).toContain('3145728');
    await bystander.isUnharmed();
    expect((await client.delete(`${DEPLOYMENTS}/grows`)).status).toBe(200);
  });

  it('100,000 deep is refused', async () => {
    const { client } = new Bystander(server());
    await client.post(MAPS, configMap('deep'));
    for (const type of ['merge-patch', 'strategic-merge-patch'] as const) {
      const answer = await client.send('PATCH', `${MAPS}/deep`, {
        body: `{"data":${nested(100_000)}}`,
        headers: { 'content-type': `application/${type}+json` },
      });
      expectRefused(answer, /exceeded max depth/);
    }
  });
});
