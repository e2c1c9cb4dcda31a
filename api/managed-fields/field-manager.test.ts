import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTypeOf } from '../merge/built-in-merge-types.ts';
import type { FieldSet } from '../merge/field-set.ts';
import { isJsonObject, listAt, objectAt, type JsonObject } from '../json/json.ts';
import { seededDice } from '../patch/go-oracle.fixture.ts';
import { excludeFields, includeFields } from './field-filter.ts';
import { managedApply, managedUpdate } from './field-manager.ts';
import { BUILT_IN_OBJECTS } from './generated-objects.fixture.ts';
import type { Applied, ManagedResource } from './managed-resource.ts';
import { toParentEntries, toScaleEntries } from './scale-fields.ts';

const CONFIG_MAPS: ManagedResource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  subresource: '',
  typed: true,
  emptyObject: () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
  mergeTypeOf: (version) =>
    version === 'v1' ? mergeTypeOf('io.k8s.api.core.v1.ConfigMap') : undefined,
  convert: () => ({ ok: false, message: 'there is one version' }),
  resetFields: new Map(),
};

function configMap(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data };
}

function apply(live: JsonObject | undefined, applied: JsonObject, who: string, force = false) {
  const now = '2026-01-01T00:00:00Z';
  return managedApply(CONFIG_MAPS, { live, applied, manager: who, force, now }) as Applied;
}

function objectOf(applied: Applied): JsonObject {
  if (!applied.ok) throw new Error(applied.message);
  return { ...applied.object, metadata: { ...objectAt(applied.object, 'metadata'), uid: 'u' } };
}

function entriesOf(object: JsonObject): JsonObject[] {
  return listAt(objectAt(object, 'metadata'), 'managedFields').filter(isJsonObject);
}

describe('an apply', () => {
  it('takes out what its manager does not apply any more', () => {
    const first = objectOf(apply(undefined, configMap({ a: '1', b: '2' }), 'me'));
    expect(objectOf(apply(first, configMap({ a: '1' }), 'me'))['data']).toEqual({ a: '1' });
  });

  it('leaves what another manager owns, too', () => {
    const first = objectOf(apply(undefined, configMap({ a: '1', b: '2' }), 'me'));
    const shared = objectOf(apply(first, configMap({ b: '2' }), 'you'));
    expect(objectOf(apply(shared, configMap({ a: '1' }), 'me'))['data']).toEqual({
      a: '1',
      b: '2',
    });
  });

  it('is refused where others have another value', () => {
    const live = objectOf(apply(undefined, configMap({ a: '1' }), 'you'));
    expect(apply(live, configMap({ a: '2' }), 'me')).toEqual({
      ok: false,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "you": .data.a',
      conflicts: [{ message: 'conflict with "you"', field: '.data.a' }],
    });
  });

  it('changes nothing when it is done twice', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.boolean(), (one, other, force) => {
        const [, , make] = BUILT_IN_OBJECTS[0] ?? [];
        if (make === undefined) throw new Error('no ConfigMap');
        const mine = { apiVersion: 'v1', kind: 'ConfigMap', ...make(seededDice(one), 'v1') };
        const yours = { apiVersion: 'v1', kind: 'ConfigMap', ...make(seededDice(other), 'v1') };
        const live = objectOf(apply(undefined, yours, 'you'));
        const once = apply(live, mine, 'me', force);
        if (!once.ok) return;
        expect(apply(once.object, mine, 'me', force)).toEqual(once);
      }),
    );
  });

  it('owns its fields in the end when it is forced', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (data, value) => {
        const theirs = Object.fromEntries(Object.keys(data).map((key) => [key, value]));
        const live = objectOf(apply(undefined, configMap(theirs), 'you'));
        const object = objectOf(apply(live, configMap(data), 'me', true));
        const mine = entriesOf(object).find(({ manager }) => manager === 'me');
        const owned = objectAt(objectAt(mine, 'fieldsV1'), 'f:data') ?? {};
        const wanted = Object.keys(data).map((key) => `f:${key}`);
        expect(new Set(Object.keys(owned))).toEqual(new Set(wanted));
        for (const [key, text] of Object.entries(data)) {
          expect(objectAt(object, 'data')?.[key]).toBe(text);
        }
      }),
    );
  });

  it('keeps the note of a client-side apply up to date for kubectl', () => {
    const note = 'kubectl.kubernetes.io/last-applied-configuration';
    const before = JSON.stringify(configMap({ a: '1' }));
    const live = configMap({ a: '1' }, { uid: 'u', annotations: { [note]: before } });
    const object = objectOf(apply(live, configMap({ a: '2' }), 'kubectl'));
    expect(object['data']).toEqual({ a: '2' });
    expect(objectAt(objectAt(object, 'metadata'), 'annotations')).toEqual({
      [note]: '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    });
  });

  it('says what is wrong with what is applied', () => {
    expect(apply(undefined, { ...configMap({}), what: 1 }, 'me')).toEqual({
      ok: false,
      reason: 'Unknown',
      message:
        'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .what: field not declared in schema',
    });
    expect(apply(undefined, configMap({}, { managedFields: [] }), 'me')).toMatchObject({
      reason: 'BadRequest',
      message: 'metadata.managedFields must be nil',
    });
  });
});

describe('an update', () => {
  const now = '2026-01-01T00:00:00Z';

  it('keeps the entries themselves when it changes nothing', () => {
    const live = objectOf(apply(undefined, configMap({ a: '1' }), 'me'));
    const entries = managedUpdate(CONFIG_MAPS, { live, object: live, manager: 'you', now });
    expect((entries as JsonObject[])[0]).toBe(entriesOf(live)[0]);
  });

  it('forgets every manager when it sends an empty list', () => {
    const live = objectOf(apply(undefined, configMap({ a: '1' }), 'me'));
    const object = configMap({ a: '2' }, { uid: 'u', managedFields: [] });
    expect(managedUpdate(CONFIG_MAPS, { live, object, manager: 'you', now })).toBeUndefined();
  });

  it('waits for a conversion where it has to', async () => {
    const type = mergeTypeOf('io.k8s.api.core.v1.ConfigMap');
    const slow: ManagedResource = {
      ...CONFIG_MAPS,
      mergeTypeOf: () => type,
      convert: (object, apiVersion) =>
        Promise.resolve({ ok: true, object: { ...object, apiVersion } }),
    };
    const owned = { 'f:data': { 'f:a': {} } };
    const entry = { manager: 'old', operation: 'Apply', apiVersion: 'v0', fieldsType: 'FieldsV1' };
    const live = configMap(
      { a: '1' },
      { uid: 'u', managedFields: [{ ...entry, fieldsV1: owned }] },
    );
    const object = configMap({ a: '2' }, { uid: 'u' });
    const entries = managedUpdate(slow, { live, object, manager: 'you', now });
    expect(entries).toBeInstanceOf(Promise);
    expect((await entries)?.map(({ manager }) => manager)).toEqual(['you']);
  });
});

describe('filters', () => {
  const set: FieldSet = {
    'f:spec': {
      'f:containers': {
        'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:resources': { 'f:limits': {} } },
      },
      'f:replicas': {},
    },
    'f:status': { '.': {}, 'f:phase': {} },
  };

  it('leave out fields and all that is within them', () => {
    const rest = excludeFields(['status'], ['spec', 'containers'])(set);
    expect(rest).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('or keep only some, below any item', () => {
    const kept = includeFields(['spec', 'containers', '*', 'resources'])(set);
    const container = { '.': {}, 'f:resources': { 'f:limits': {} } };
    expect(kept).toEqual({ 'f:spec': { 'f:containers': { 'k:{"name":"a"}': container } } });
  });
});

describe('the entries of a scale', () => {
  const paths = new Map([['apps/v1', ['spec', 'replicas']]]);
  const entry = { operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1' };
  const parent = [
    { manager: 'a', ...entry, fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } } },
    { manager: 'b', ...entry, fieldsV1: { 'f:spec': { 'f:paused': {} } } },
  ];

  it('are those of its replicas', () => {
    expect(toScaleEntries(parent, paths)).toEqual([
      {
        manager: 'a',
        operation: 'Update',
        apiVersion: 'autoscaling/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ]);
  });

  it('go to the manager that scaled', () => {
    const scaled = {
      ...entry,
      manager: 'c',
      apiVersion: 'autoscaling/v1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    };
    const entries = toParentEntries({ parent, scale: [scaled], apiVersion: 'apps/v1', paths });
    expect(entries).toEqual([
      { ...parent[0], fieldsV1: { 'f:spec': { 'f:paused': {} } } },
      parent[1],
      { ...scaled, apiVersion: 'apps/v1' },
    ]);
  });
});
