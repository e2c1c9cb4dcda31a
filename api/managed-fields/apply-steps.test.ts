/** What an apply or an update says, and does, where an object is not as it should be. */
import { describe, expect, it } from 'vitest';
import { mergeTypeOf } from '../merge/built-in-merge-types.ts';
import { mergeTypeOfSchema } from '../merge/schema-merge-types.ts';
import { listAt, objectAt, stringAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { includeFields } from './field-filter.ts';
import { managedApply, managedUpdate } from './field-manager.ts';
import type { Applied, ManagedResource } from './managed-resource.ts';

const now = '2026-01-01T00:00:00Z';
const NOTE = 'kubectl.kubernetes.io/last-applied-configuration';
const configMapType = mergeTypeOf('io.k8s.api.core.v1.ConfigMap');

const CONFIG_MAPS: ManagedResource = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', subresource: '', typed: true },
  emptyObject: () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
  mergeTypeOf: (version) => (version === 'v1' ? configMapType : undefined),
  convert: () => ({ ok: false, message: 'there is one version' }),
  resetFields: new Map(),
};

const thingType = mergeTypeOfSchema(
  parseStructuralSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          a: { type: 'string' },
          set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        },
      },
    },
  }),
);

/** A custom resource of two versions that convert into one another, unless told otherwise. */
const THINGS: ManagedResource = {
  ...{ apiVersion: 'example.com/v1', kind: 'Thing', subresource: '', typed: false },
  emptyObject: () => ({ apiVersion: 'example.com/v1', kind: 'Thing' }),
  mergeTypeOf: (version) => (/\/v[12]$/.test(version) ? thingType : undefined),
  convert: (object, apiVersion) => ({ ok: true, object: { ...object, apiVersion } }),
  resetFields: new Map(),
};

function configMap(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data };
}

function thing(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const named = { name: 'a', namespace: 'n', ...metadata };
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: named, spec };
}

function apply(
  resource: ManagedResource,
  live: JsonObject | undefined,
  applied: JsonObject,
  { manager = 'me', force = false } = {},
): Applied {
  return managedApply(resource, { live, applied, manager, force, now }) as Applied;
}

function done(applied: Applied): JsonObject {
  if (!applied.ok) throw new Error(applied.message);
  return { ...applied.object, metadata: { ...objectAt(applied.object, 'metadata'), uid: 'u' } };
}

function entriesOf(object: JsonObject): JsonObject[] {
  return listAt(objectAt(object, 'metadata'), 'managedFields') as JsonObject[]; // All are.
}

function entry(manager: string, apiVersion: string, more: JsonObject = {}): JsonObject {
  const fieldsV1 = { 'f:spec': { 'f:a': {} } };
  return { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1, ...more };
}

function nested(depth: number): JsonValue {
  let value: JsonValue = 'x';
  for (let at = 0; at < depth; at += 1) value = { a: value };
  return value;
}

describe('an apply is refused', () => {
  const tooDeep = { ...configMap({}), extra: nested(10_001) };
  const unreadable = configMap({}, { managedFields: [{ manager: 'x' }] });

  it.each([
    ['Unknown', /^failed to decode managed fields: operation must be/, unreadable, configMap({})],
    ['BadRequest', /^exceeded max depth$/, undefined, tooDeep],
    [
      ...(['BadRequest', /^invalid object type: \/v1, Kind=Secret$/, undefined] as const),
      { ...configMap({}), kind: 'Secret' },
    ],
    [
      ...(['BadRequest', /^invalid object type: v1\/v1, Kind=ConfigMap$/, undefined] as const),
      { ...configMap({}), apiVersion: 'v1/v1' },
    ],
  ] as [string, RegExp, JsonObject | undefined, JsonObject][])(
    'as %s, %s',
    (reason, message, live, applied) => {
      expect(apply(CONFIG_MAPS, live, applied)).toEqual({
        ...{ ok: false, reason },
        message: expect.stringMatching(message) as string,
      });
    },
  );

  it.each([
    ['a/b/c', '/, Kind='],
    ['', '/, Kind=ConfigMap'],
    ['apps/v1', 'apps/v1, Kind=ConfigMap'],
  ])('with the kind of %s as %s', (apiVersion, kind) => {
    const refused = apply(CONFIG_MAPS, undefined, { ...configMap({}), apiVersion });
    expect(refused).toMatchObject({ message: `invalid object type: ${kind}` });
  });

  it('where no type of its version is known', () => {
    const unknown = { ...THINGS, mergeTypeOf: () => undefined };
    const managed = thing({}, { managedFields: [entry('you', 'example.com/v1')], uid: 'u' });
    const message = 'no corresponding type for example.com/v1';
    expect(apply(unknown, managed, thing({}))).toMatchObject({ reason: 'Unknown', message });
    expect(apply(unknown, undefined, thing({}))).toMatchObject({
      ...{ reason: 'Unknown', message: `failed to create manager for existing fields: ${message}` },
    });
  });

  it('where what is stored does not fit its schema, unless only items are there twice', () => {
    const fieldsV1 = { 'f:spec': { 'f:set': {} } };
    const managedFields = [entry('you', 'example.com/v1', { fieldsV1 })];
    const stale = apply(THINGS, thing({ gone: 1 }, { managedFields, uid: 'u' }), thing({ a: '1' }));
    expect(stale).toEqual({
      ...{ ok: false, reason: 'Unknown' },
      message:
        'failed to create typed live object (n/a; example.com/v1, Kind=Thing): .spec.gone: field not declared in schema',
    });
    const twice = thing({ set: ['x', 'x'] }, { managedFields, uid: 'u' });
    expect(apply(THINGS, twice, thing({ a: '1' })).ok).toBe(true);
    expect(apply(THINGS, undefined, thing({ set: ['x', 'x'] }))).toMatchObject({
      reason: 'Unknown',
      message: expect.stringContaining('duplicate entries for key [="x"]') as string,
    });
  });
});

describe('an apply', () => {
  it('without a manager is by an unknown one', () => {
    const object = done(apply(CONFIG_MAPS, undefined, configMap({ a: '1' }), { manager: '' }));
    expect(entriesOf(object).map(({ manager }) => manager)).toEqual(['unknown']);
  });

  it('finds the writer of an object without managers in the one before it', () => {
    const live = configMap({ a: '1' }, { uid: 'u' });
    const object = done(apply(CONFIG_MAPS, live, configMap({ a: '1', b: '2' })));
    expect(entriesOf(object).map((one) => [one['manager'], one['operation']])).toEqual([
      ['me', 'Apply'],
      ['before-first-apply', 'Update'],
    ]);
  });

  it('leaves no entries where nothing is managed', () => {
    const { object } = apply(CONFIG_MAPS, undefined, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    }) as { object: JsonObject };
    expect('managedFields' in (objectAt(object, 'metadata') ?? {})).toBe(false);
  });
});

describe('a manager in another version', () => {
  const managedFields = [entry('you', 'example.com/v2')];
  const live = thing({ a: '1' }, { managedFields, uid: 'u' });

  it('conflicts by the object as that version has it', () => {
    expect(apply(THINGS, live, thing({ a: '2' }))).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "you": .spec.a',
    });
  });

  it('ends an apply where the object cannot be converted', () => {
    const broken: ManagedResource = {
      ...THINGS,
      convert: () => ({ ok: false, message: 'no webhook answers' }),
    };
    expect(apply(broken, live, thing({ a: '2' }))).toMatchObject({
      ...{ reason: 'Unknown', message: 'no webhook answers' },
    });
  });

  it('ends it where the converted object does not fit', () => {
    const odd: ManagedResource = {
      ...THINGS,
      convert: (object, apiVersion) => ({ ok: true, object: { ...object, apiVersion, more: 1 } }),
    };
    expect(apply(odd, live, thing({ a: '2' }))).toMatchObject({
      ...{ reason: 'Unknown' },
      message: '.more: field not declared in schema',
    });
  });

  const gone = thing({ a: '1' }, { managedFields: [entry('you', 'example.com/v9')], uid: 'u' });

  it('that is not known any more ends an apply of a custom resource', () => {
    expect(apply(THINGS, gone, thing({ a: '2' }))).toMatchObject({
      reason: 'Unknown',
      message: 'request to convert CR to an invalid group/version: example.com/v9',
    });
  });

  it('that is not known any more is forgotten where versions come and go', () => {
    const entries = entriesOf(done(apply({ ...THINGS, typed: true }, gone, thing({ a: '2' }))));
    expect(entries.map(({ manager }) => manager)).toEqual(['me']);
  });

  it('costs an update all entries where the object cannot be converted', () => {
    const object = thing({ a: '2' }, { uid: 'u' });
    expect(managedUpdate(THINGS, { live: gone, object, manager: 'me', now })).toBeUndefined();
  });
});

describe('an update of a subresource', () => {
  it('says nothing of managers', () => {
    const live = done(apply(CONFIG_MAPS, undefined, configMap({ a: '1' })));
    const status = { ...CONFIG_MAPS, subresource: 'status' };
    const object = configMap({ a: '1', b: '2' }, { uid: 'u', managedFields: [] });
    const entries = managedUpdate(status, { live, object, manager: 'you', now }) as JsonObject[];
    expect(entries.map((one) => [one['manager'], one['subresource']])).toEqual([
      ['me', undefined],
      ['you', 'status'],
    ]);
    const forgotten = { live, object, manager: 'you', now };
    expect(managedUpdate(CONFIG_MAPS, forgotten)).toBeUndefined();
  });
});

describe('the note of kubectl’s last client-side apply', () => {
  /** Created by client-side apply, and then applied to by server-side apply. */
  function migrated(note: string, value = '2'): Applied {
    const live = configMap({ a: '1' }, { uid: 'u', annotations: { [NOTE]: note } });
    const managedFields = managedUpdate(CONFIG_MAPS, {
      ...{ live: undefined, object: live, manager: 'kubectl-client-side-apply', now },
    }) as JsonObject[];
    const metadata = { ...objectAt(live, 'metadata'), managedFields };
    return apply(CONFIG_MAPS, { ...live, metadata }, configMap({ a: value }), {
      manager: 'kubectl',
    });
  }

  it('says which conflicts are with itself', () => {
    expect(migrated(JSON.stringify(configMap({ a: '1' }))).ok).toBe(true);
  });

  it.each([
    ['is no JSON', '{'],
    ['is no object', '["a"]'],
    ['is missing', ''],
    ['is of another version', JSON.stringify({ ...configMap({ a: '1' }), apiVersion: 'v2' })],
    ['is of no kind', JSON.stringify({ ...configMap({ a: '1' }), kind: '' })],
    ['does not fit', JSON.stringify({ ...configMap({ a: '1' }), more: 1 })],
    ['has another value', JSON.stringify(configMap({ a: '0' }))],
    [
      'is too deep',
      `{"apiVersion":"v1","kind":"ConfigMap","data":${'{"a":'.repeat(10_001)}1${'}'.repeat(10_002)}`,
    ],
  ])('says nothing where it %s', (_, note) => {
    expect(migrated(note)).toMatchObject({ ok: false, reason: 'Conflict' });
    // Without a conflict there is nothing to say.
    expect(migrated(note, '1').ok).toBe(true);
  });

  function noteAfter(applied: JsonObject, annotations: JsonObject = {}): string | undefined {
    const note = JSON.stringify(configMap({}));
    const live = configMap({}, { uid: 'u', annotations: { [NOTE]: note, ...annotations } });
    const object = done(apply(CONFIG_MAPS, live, applied, { manager: 'kubectl', force: true }));
    const after = objectAt(objectAt(object, 'metadata'), 'annotations') ?? {};
    return Object.hasOwn(after, NOTE) ? stringAt(after, NOTE) : undefined;
  }

  it('is of what was applied, without itself', () => {
    const annotations = { [NOTE]: 'old', b: '2' };
    expect(noteAfter(configMap({ b: '1', a: '<' }, { annotations }))).toBe(
      '{"apiVersion":"v1","data":{"a":"\\u003c","b":"1"},"kind":"ConfigMap","metadata":{"annotations":{"b":"2"},"name":"a"}}\n',
    );
    expect(noteAfter(configMap({}, { annotations: { [NOTE]: 'old' } }))).toBe(
      '{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a"}}\n',
    );
    expect(noteAfter(configMap({}, { annotations: null }))).toBe(
      '{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  it('goes where annotations would be larger than they may be', () => {
    const limit = 256 * 1024;
    const size = (data: JsonObject): number => (noteAfter(configMap(data)) ?? '').length;
    const empty = size({ a: '' }) + NOTE.length;
    const space = limit - empty;
    expect(noteAfter(configMap({ a: 'x'.repeat(space) }))).toHaveLength(limit - NOTE.length);
    expect(noteAfter(configMap({ a: 'x'.repeat(space + 1) }))).toBeUndefined();
    // Characters of several bytes, and other annotations with their names, count too.
    expect(noteAfter(configMap({ a: 'ä'.repeat(space / 2 + 1) }))).toBeUndefined();
    expect(noteAfter(configMap({ a: 'x'.repeat(space) }), { k: 'v' })).toBeUndefined();
  });

  it('is no reason to make one', () => {
    const object = done(
      apply(CONFIG_MAPS, configMap({}, { uid: 'u' }), configMap({ a: '1' }), {
        manager: 'kubectl',
      }),
    );
    expect(objectAt(objectAt(object, 'metadata'), 'annotations')).toBeUndefined();
  });
});

describe('includeFields', () => {
  const set = {
    'f:a': { '.': {}, 'f:b': { 'f:c': {} }, 'f:d': {} },
    'f:list': { '.': {}, 'v:"x"': {}, 'k:{"n":"y"}': { '.': {}, 'f:z': {} } },
  };

  it.each([
    [[['a']], { 'f:a': set['f:a'] }],
    [[['a'], ['a', 'b']], { 'f:a': set['f:a'] }],
    [[['a', 'b', 'c']], { 'f:a': { '.': {}, 'f:b': { 'f:c': {} } } }],
    // On the way to what is not there, a field that is managed itself stays.
    [[['a', 'x']], { 'f:a': {} }],
    [[['a', 'b', 'x']], { 'f:a': {} }],
    [
      [['list', '*', 'z']],
      { 'f:list': { '.': {}, 'v:"x"': {}, 'k:{"n":"y"}': set['f:list']['k:{"n":"y"}'] } },
    ],
    // An item has no name.
    [[['list', 'x']], { 'f:list': {} }],
    [[['*', 'b']], { 'f:a': { '.': {}, 'f:b': { 'f:c': {} } }, 'f:list': {} }],
    [[['x']], {}],
    [[[]], set],
  ] as [string[][], JsonObject][])('of %j keeps %j', (paths, kept) => {
    expect(includeFields(...paths)(set)).toEqual(kept);
  });
});
