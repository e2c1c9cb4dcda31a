/**
 * Small bodies that would make large work, and bodies that two readers would read in two ways. What is
 * measured is what comes of it, never how long it takes.
 */
import { expect, it } from 'vitest';

import { configMap } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { type JsonObject, textAt } from '../support/json.ts';
import { realAndBroken } from './real-and-broken.ts';

const YAML = 'gateway/negotiation/yaml-codec.ts';
const JSON_BODY = 'gateway/negotiation/json-body.ts';
const JSON_PATCH = 'api/patch/json-patch.ts';

const { onBoth } = realAndBroken([
  {
    file: YAML,
    text: 'if (this.#readByAlias <= 100 || this.#readCount <= 1000) return;',
    instead: 'return;',
  },
  {
    file: YAML,
    text: 'if (this.#charactersByAlias > ALIAS_CHARACTERS_MAX)',
    instead: 'if (this.#charactersByAlias < 0)',
  },
  { file: YAML, text: 'if (parser.stack.length > DEPTH_MAX)', instead: 'if (false)' },
  { file: YAML, text: 'if (++this.#depth > DEPTH_MAX)', instead: 'if (false)' },
  { file: YAML, text: 'if (lexemes > LEXEMES_MAX)', instead: 'if (false)' },
  {
    file: JSON_BODY,
    text: 'if (bytes.length > COUNT_FROM_BYTES && isTooDeep(bytes))',
    instead: 'if (false)',
  },
  {
    file: 'actors/registry/write-context.ts',
    text: 'export const BODY_BYTES_MAX = 3 * 1024 * 1024;',
    instead: 'export const BODY_BYTES_MAX = 64 * 1024 * 1024;',
  },
  {
    file: JSON_PATCH,
    text: 'if (operations.length > JSON_PATCH_OPERATIONS_MAX)',
    instead: 'if (false)',
  },
  { file: JSON_PATCH, text: 'if (run.copiedBytes > run.copyBytesMax)', instead: 'if (false)' },
  {
    file: JSON_PATCH,
    text: 'if (run.document.movedItems > MOVED_ITEMS_MAX)',
    instead: 'if (false)',
  },
  {
    file: JSON_BODY,
    text: 'if (isAmbiguous)',
    instead: 'if (false)',
  },
  { file: JSON_BODY, text: 'isSuspect ? wellFormed(value) : value', instead: 'value' },
  { file: JSON_BODY, text: 'return parseJson(text);', instead: 'return JSON.parse(text);' },
]);

const MAPS = '/api/v1/namespaces/default/configmaps';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';

/** What became of a body; nothing of it stays. */
async function tried(client: AdminClient, path: string, body: string, type = 'json') {
  const separator = path.includes('?') ? '&' : '?';
  const answer = await client.send('POST', `${path}${separator}dryRun=All`, {
    body,
    headers: { 'content-type': `application/${type}` },
  });
  const { length } = JSON.stringify(answer.body);
  return { status: answer.status, message: textAt(answer.body, 'message'), length };
}

const refused = (status: number, message: RegExp): unknown =>
  expect.objectContaining({ status, message: expect.stringMatching(message) as unknown });
const taken: unknown = expect.objectContaining({ status: 201 });

const mapWith = (more: string): string =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},${more}}`;

/** Of a kind that keeps whatever is in its data. */
const revisionWith = (data: string, name = 'a', revision = '1'): string =>
  `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"${name}"},` +
  `"revision":${revision},"data":${data}}`;

it('CVE-2019-11253: YAML does not grow by its aliases', async () => {
  const levels = ['a', 'b', 'c', 'd', 'e'].map((name, index, all) => {
    const one = index === 0 ? '"lol"' : `*${all[index - 1] ?? ''}`;
    return `  ${name}: &${name} [${Array<string>(9).fill(one).join(',')}]\n`;
  });
  const head = 'kind: ControllerRevision\napiVersion: apps/v1\nmetadata: {name: a}\nrevision: 1\n';
  const bomb = `${head}data:\n${levels.join('')}`;
  const { real, broken } = await onBoth(({ client }) => tried(client, REVISIONS, bomb, 'yaml'));
  expect(real).toEqual(refused(400, /excessive aliasing/));
  expect(broken).toEqual(taken);
  expect(broken.length / bomb.length).toBeGreaterThan(1_000);
});

it('CVE-2019-11253: no text 400 times by its alias', async () => {
  const lines = Array.from({ length: 400 }, (_, index) => `  k${String(index)}: *a\n`).join('');
  const bomb = `kind: ConfigMap\napiVersion: v1\nx: &a ${'x'.repeat(50_000)}\nmetadata: {}\ndata:\n${lines}`;
  expect(await onBoth(({ client }) => tried(client, MAPS, bomb, 'yaml'))).toEqual({
    real: refused(400, /excessive aliasing/),
    broken: refused(422, /name or generateName is required/),
  });
});

it.each([
  ['nested 100,000 deep', mapWith(`"x":${'['.repeat(1e5)}${']'.repeat(1e5)}`), 400, /max depth/],
  ['of 4 MiB', mapWith(`"x":"${'x'.repeat(2 ** 22)}"`), 413, /limit is 3145728/],
])('CVE-2019-11253: JSON %s is not read', async (_, bomb, status, message) => {
  expect(await onBoth(({ client }) => tried(client, MAPS, bomb))).toEqual({
    real: refused(status, message),
    broken: taken,
  });
});

const YAML_MAP = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n';
it.each([
  ['deep', `x: ${'['.repeat(600)}${']'.repeat(600)}`, /exceeded max depth/],
  ['of many parts', `x: [${'a,'.repeat(110_000)}]`, /too many parts/],
])('CVE-2019-11254: YAML that is %s is not parsed to its end', async (_, rest, message) => {
  const bomb = `${YAML_MAP}${rest}`;
  expect(await onBoth(({ client }) => tried(client, MAPS, bomb, 'yaml'))).toEqual({
    real: refused(400, message),
    broken: taken,
  });
});

it('CVE-2019-1002100: a JSON patch has no more than 10,000 operations', async () => {
  const one = { op: 'test', path: '/metadata/name', value: 'many' };
  const patch = Array<JsonObject>(10_001).fill(one);
  const outcomes = await onBoth(async ({ client }) => {
    await client.post(MAPS, configMap('many'));
    const { status } = await client.patch(`${MAPS}/many`, patch, 'json-patch');
    return status;
  });
  expect(outcomes).toEqual({ real: 413, broken: 200 });
});

it('CVE-2019-1002100: a JSON patch does not double what it copies without end', async () => {
  const copies = Array.from({ length: 16 }, (_, index) => [
    { op: 'add', path: `/data/${String(index + 1)}`, value: {} },
    { op: 'copy', from: `/data/${String(index)}`, path: `/data/${String(index + 1)}/a` },
    { op: 'copy', from: `/data/${String(index)}`, path: `/data/${String(index + 1)}/b` },
  ]).flat();
  // All is gone before a rule looks at how large the object has become.
  const removals = Array.from({ length: 16 }, (_, index) => {
    return { op: 'remove', path: `/data/${String(index + 1)}` };
  });
  const outcomes = await onBoth(async ({ client }) => {
    const body = revisionWith(`{"0":"${'x'.repeat(100)}"}`, 'doubled');
    await client.send('POST', REVISIONS, { body });
    const patch = [...copies, ...removals];
    return (await client.patch(`${REVISIONS}/doubled`, patch, 'json-patch')).status;
  });
  expect(outcomes).toEqual({ real: 422, broken: 200 });
});

it('CVE-2019-1002100: a JSON patch does not move a long list again and again', async () => {
  const patch = Array<JsonObject>(3_000).fill({ op: 'move', from: '/data/l/0', path: '/data/l/0' });
  const outcomes = await onBoth(async ({ client }) => {
    const body = revisionWith(`{"l":[${'0,'.repeat(50_000)}0]}`, 'long');
    await client.send('POST', REVISIONS, { body });
    return (await client.patch(`${REVISIONS}/long`, patch, 'json-patch')).status;
  });
  expect(outcomes).toEqual({ real: 413, broken: 200 });
});

it('a key that stands twice is not read in two ways by two readers', async () => {
  const body = mapWith('"data":{"role":"view","role":"admin"}');
  const strict = `${MAPS}?fieldValidation=Strict`;
  expect(await onBoth(({ client }) => tried(client, strict, body))).toEqual({
    real: refused(400, /duplicate field \\?"data\.role\\?"/),
    broken: taken,
  });
});

it('half characters do not become keys that stand twice', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const body = revisionWith('{"\\ud800":1,"\\ud801":2}', 'halves');
    expect((await client.send('POST', REVISIONS, { body })).status).toBe(201);
    const answer = await client.open(`${REVISIONS}/halves`);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    // To readers of UTF-8, both escapes are the one character that stands for what is none.
    return Buffer.concat(chunks)
      .toString()
      .match(/"(?:\ufffd|\\ud80[01])":/g)?.length;
  });
  expect(outcomes).toEqual({ real: 1, broken: 2 });
});

it('a whole number beyond 2^53 does not become another', async () => {
  const body = revisionWith('{"n":9007199254740993}', 'exact');
  const outcomes = await onBoth(async ({ client }) => {
    expect((await client.send('POST', REVISIONS, { body })).status).toBe(201);
    const answer = await client.open(`${REVISIONS}/exact`);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return /"n":(\d+)/.exec(Buffer.concat(chunks).toString())?.[1];
  });
  expect(outcomes).toEqual({ real: '9007199254740993', broken: '9007199254740992' });
});
