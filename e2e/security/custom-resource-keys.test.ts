/**
 * Custom resources whose names, schemas and values say `__proto__`, `constructor` and the like: they
 * are defined, pruned, filled, judged, merged, selected and printed as with any other key.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { created, expectFailure } from '../api/objects.ts';
import { type AdminClient, adminClient, type ApiAnswer } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  DEFINITIONS,
  GROUP,
  OPEN,
  openDefinition,
  specialDefinition,
  SPECIALS,
} from './special-definition.ts';
import {
  expectSame,
  expectStatus,
  expectUntouched,
  json,
  listedBy,
  ownAt,
  type Patcher,
  patcherOf,
  SPECIAL_KEYS,
  keyed,
} from './special-keys.ts';

const server = serverForThisFile();
const ALL = JSON.stringify(keyed(SPECIAL_KEYS, 'a'));
let client: AdminClient;
let patch: Patcher;

const post = (path: string, body: string): Promise<ApiAnswer> =>
  client.send('POST', path, { body });
const apply = (path: string, object: string, manager: string): Promise<ApiAnswer> =>
  patch(`${path}?fieldManager=${manager}`, object, 'apply-patch+yaml');
const special = (name: string, spec: string): string =>
  `{"apiVersion":"${GROUP}/v1","kind":"toString","metadata":{"name":"${name}"},"spec":${spec}}`;

beforeAll(async () => {
  client = adminClient(server());
  patch = patcherOf(client);
  for (const name of ['constructor', 'then']) {
    await created(client, '/api/v1/namespaces', { metadata: { name } });
  }
  await created(client, DEFINITIONS, specialDefinition());
  await created(client, DEFINITIONS, openDefinition());
  for (const path of [SPECIALS, OPEN]) {
    await eventually(path, async () => (await client.get(path)).status === 200 || undefined);
  }
});
afterEach(() => expectUntouched(server(), client));
afterAll(() => {
  client.close();
});

describe('custom resources', () => {
  const DEFAULTS = '"__proto__":"d","constructor":{"__proto__":{"x":"deep"},"prototype":7}';

  it('are described with all their properties', async () => {
    const stored = await client.get(`${DEFINITIONS}/constructor.${GROUP}`);
    expect(JSON.stringify(stored.body)).toContain('"__proto__":{"type":"string"');
    for (const path of [`/openapi/v3/apis/${GROUP}/v1`, '/openapi/v2']) {
      const { body } = expectStatus(await client.get(path), 200);
      expect(JSON.stringify(body), path).toContain('"properties":{"__proto__":{"type":"string"');
    }
    for (const version of ['v1', 'constructor']) {
      const { body } = await client.get(`/apis/${GROUP}/${version}`);
      expect(ownAt(body, 'resources', '0')).toMatchObject({
        name: 'constructor',
        kind: 'toString',
      });
    }
  });

  it.each([
    ['nothing', '{}', `{${DEFAULTS}}`],
    ['null', '{"__proto__":null,"constructor":null}', `{${DEFAULTS}}`],
    ['what is pruned', '{"hasOwnProperty":1,"valueOf":{}}', `{${DEFAULTS}}`],
    [
      'values',
      '{"__proto__":"a","constructor":{"prototype":9,"__proto__":{"x":"y","z":"z"}}}',
      '{"__proto__":"a","constructor":{"__proto__":{"x":"y"},"prototype":9}}',
    ],
    ['maps', `{"map":${ALL}}`, `{${DEFAULTS},"map":${ALL}}`],
    [
      'maps of objects',
      '{"maps":{"__proto__":{},"toString":{"valueOf":"x","then":1}}}',
      `{${DEFAULTS},"maps":{"__proto__":{"valueOf":"v"},"toString":{"valueOf":"x"}}}`,
    ],
    ['anything', `{"open":${ALL}}`, `{${DEFAULTS},"open":${ALL}}`],
    [
      'lists that are maps',
      '{"list":[{"__proto__":"a","constructor":"b"},{"__proto__":"b","constructor":"b"}]}',
      `{${DEFAULTS},"list":[{"__proto__":"a","constructor":"b"},{"__proto__":"b","constructor":"b"}]}`,
    ],
  ])('with %s', async (name, spec, wanted) => {
    const answer = await post(SPECIALS, special(name.replaceAll(' ', '-'), spec));
    expectSame(answer, ['spec'], wanted);
  });

  it.each([
    ['{"__proto__":{}}', 'spec.__proto__ in body must be of type string'],
    ['{"__proto__":"toolong"}', 'spec.__proto__: Too long'],
    ['{"__proto__":"evil"}', 'proto is evil'],
    ['{"toString":"bad"}', 'toString is bad'],
    ['{"toString":"constructor"}', 'spec.toString: Unsupported value: "constructor"'],
    ['{"map":{"__proto__":"no"}}', 'the map says no'],
    ['{"map":{"constructor":{}}}', 'spec.map.constructor in body must be of type string'],
    ['{"needs":{}}', 'spec.needs.__proto__: Required value'],
    ['{"list":[{}]}', 'spec.list[0].__proto__: Required value'],
    [
      '{"list":[{"__proto__":"a","constructor":"b"},{"__proto__":"a","constructor":"b"}]}',
      'spec.list[1]: Duplicate value: {"__proto__":"a","constructor":"b"}',
    ],
  ])('of %s are refused', async (spec, message) => {
    const answer = await post(SPECIALS, special('refused', spec));
    expectFailure(answer, { code: 422, reason: 'Invalid' });
    expect(textAt(answer.body, 'message')).toContain(message);
  });

  it('are selected and printed by such fields', async () => {
    const path = SPECIALS.replace('/constructor/constructor', '/then/constructor');
    expectStatus(await post(path, special('a', '{"__proto__":"x","toString":"valueOf"}')), 201);
    expectStatus(await post(path, special('b', '{"open":{"constructor":1}}')), 201);
    expect(await listedBy(client, path, 'fieldSelector=spec.__proto__%3Dx')).toEqual(['a']);
    expect(await listedBy(client, path, 'fieldSelector=spec.__proto__!%3Dx')).toEqual(['b']);
    expect(await listedBy(client, path, 'fieldSelector=spec.toString%3D')).toEqual(['b']);
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const rows = listAt((await client.get(path, { accept })).body, 'rows');
    expect(rows.map((row) => listAt(row, 'cells'))).toEqual([
      ['a', 'x', null],
      ['b', 'd', null],
    ]);
  });

  it('are merged by such keys when they are applied', async () => {
    const list = (then: string) => `[{"__proto__":"a","constructor":"b","then":"${then}"}]`;
    const said = (then: string) =>
      special('applied', `{"__proto__":"${then}","list":${list(then)},"open":{"__proto__":{}}}`);
    const path = `${SPECIALS}/applied`;
    expectStatus(await apply(path, said('1'), 'one'), 201);
    expectFailure(await apply(path, said('2'), 'two'), {
      code: 409,
      reason: 'Conflict',
      message: /\.spec\.__proto__\n- \.spec\.list\[__proto__="a",constructor="b"\]\.then$/,
    });
    const forced = await apply(path, said('2'), 'two&force=true');
    expectSame(forced, ['spec', 'list'], list('2'));
    expectStatus(await apply(path, special('applied', '{}'), 'one'), 200);
    const nothing = await apply(path, special('applied', '{}'), 'two');
    expectSame(nothing, ['spec'], `{${DEFAULTS}}`);
  });

  it('keep what is beside their metadata, whichever door is written through', async () => {
    const object = `{"apiVersion":"then.to/v1","kind":"Prototype","metadata":{"name":"constructor"},"__proto__":"x","constructor":{"prototype":{}},"toJSON":1,"toString":"s"}`;
    const names = SPECIAL_KEYS.filter((key) => Object.hasOwn(json(object), key));
    const expectKept = (answer: ApiAnswer, generation: number, proto: string | undefined) => {
      expect(ownAt(answer.body, '__proto__')).toBe(proto);
      expect(ownAt(answer.body, 'metadata', 'generation')).toBe(generation);
      const kept = names.filter((key) => proto !== undefined || key !== '__proto__');
      expect(Object.keys(answer.body as JsonObject)).toEqual(expect.arrayContaining(kept));
    };
    expectKept(await post(OPEN, object), 1, 'x');
    const path = `${OPEN}/constructor`;
    const merge = 'merge-patch+json';
    expectKept(await patch(path, '{"__proto__":"y"}', merge), 2, 'y');
    expectKept(await patch(path, '{"__proto__":null}', merge), 3, undefined);
    expectKept(await patch(path, '{"__proto__":"z"}', merge), 4, 'z');
    const status = '{"status":{"__proto__":{"a":1},"constructor":2},"__proto__":"q"}';
    const after = await patch(`${path}/status`, status, merge);
    expectKept(after, 4, 'z');
    expectSame(after, ['status'], '{"__proto__":{"a":1},"constructor":2}');
    expect(await listedBy(client, OPEN, 'fieldSelector=__proto__%3Dz')).toEqual(['constructor']);
    expect(await listedBy(client, OPEN, 'fieldSelector=__proto__%3Dx')).toEqual([]);
  });

  it('cannot be called what is no name, nor be lists by keys that items have not', async () => {
    for (const names of [
      { kind: '__proto__' },
      { plural: '__proto__' },
      { singular: '__proto__' },
    ]) {
      const answer = await client.post(DEFINITIONS, specialDefinition(names));
      const message = /spec\.names\.\w+: Invalid value: "__proto__"/;
      expectFailure(answer, { code: 422, reason: 'Invalid', message });
    }
    const text = JSON.stringify(openDefinition())
      .replaceAll('prototypes', 'lists')
      .replaceAll('"Prototype"', '"List2"')
      .replace(
        '"__proto__":{"type":"string"}',
        '"__proto__":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["__proto__"],"items":{"type":"object","properties":{"a":{"type":"string"}}}}',
      );
    const message = /Invalid value: \["__proto__"\]: entries must all be names of item properties/;
    expectFailure(await post(DEFINITIONS, text), { code: 422, reason: 'Invalid', message });
  });
});
