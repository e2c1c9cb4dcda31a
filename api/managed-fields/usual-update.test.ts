/** Which writes are decided without the general steps, and that those steps would say the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTypeOf } from '../merge/built-in-merge-types.ts';
import { compareValues } from '../merge/compare-values.ts';
import type { MergeType } from '../merge/merge-type.ts';
import { listAt, objectAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { managedUpdate } from './field-manager.ts';
import type { ManagerName } from './managed-entries.ts';
import type { ManagedResource } from './managed-resource.ts';
import { entriesOfChanged, entriesOfNew } from './usual-update.ts';

const type: MergeType = mergeTypeOf('io.k8s.api.core.v1.ConfigMap');
const me: ManagerName = { manager: 'me', operation: 'Update', apiVersion: 'v1', subresource: '' };
const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-02-02T00:00:00Z';

function object(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data };
}

function entry(manager: string, keys: readonly string[], more: JsonObject = {}): JsonObject {
  const fields = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
  return {
    ...{ manager, operation: 'Update', apiVersion: 'v1', time: THEN, fieldsType: 'FieldsV1' },
    ...{ fieldsV1: { 'f:data': fields }, ...more },
  };
}

interface Given {
  readonly entries?: JsonValue;
  readonly sent?: JsonValue;
  readonly from?: JsonObject;
  readonly to?: JsonObject;
}

const MINE = entry('me', ['a', 'b']);
const YOURS = entry('you', ['c']);
const DATA = { a: '1', b: '1', c: '1' };

function changed({ entries = [MINE, YOURS], sent, from = object(DATA), to = from }: Given) {
  const comparison = compareValues({ before: from, after: to }, type);
  const write = { before: entries, sent, type, comparison, name: me, now: NOW, typed: true };
  return entriesOfChanged(write);
}

describe('a usual change', () => {
  it('of values that its writer has alone gives its entry another time, and no other', () => {
    const decided = changed({ to: object({ ...DATA, a: '2' }) });
    expect(decided).toEqual([YOURS, { ...MINE, time: NOW }]);
    expect(decided?.[0]).toBe(YOURS);
    expect(changed({ entries: [MINE], to: object({ ...DATA, a: '2' }) })).toEqual([
      { ...MINE, time: NOW },
    ]);
  });

  it('of nothing leaves the entries themselves', () => {
    for (const to of [object(DATA), object(DATA, { resourceVersion: '2', uid: 'u' })]) {
      const decided = changed({ from: object(DATA, { resourceVersion: '1', uid: 'v' }), to });
      expect(decided?.[0]).toBe(MINE);
      expect(decided?.[1]).toBe(YOURS);
    }
  });

  it('may send the entries as they are', () => {
    const sent = [{ ...MINE }, { ...YOURS }];
    expect(changed({ sent, to: object({ ...DATA, b: '2' }) })).toHaveLength(2);
  });

  it('may take away what no manager has', () => {
    const decided = changed({ from: object({ ...DATA, d: '1' }), to: object(DATA) });
    expect(decided?.[0]).toBe(MINE);
  });

  it('counts up to ten managers', () => {
    const others = Array.from({ length: 9 }, (_, at) =>
      entry(`m${String(at)}`, [`k${String(at)}`]),
    );
    const to = object({ ...DATA, a: '2' });
    expect(changed({ entries: [MINE, ...others], to })).toHaveLength(10);
    expect(changed({ entries: [MINE, YOURS, ...others], to })).toBeUndefined();
  });
});

describe('a change is not usual', () => {
  const A = object({ ...DATA, a: '2' });
  const C = object({ ...DATA, c: '2' });

  it.each([
    ['of a value that another manager has', { to: C }],
    ['of a value that another manager has too', { entries: [MINE, entry('you', ['a'])], to: A }],
    ['of a value without a manager', { entries: [entry('me', ['b'])], to: A }],
    ['by a manager without an entry', { entries: [YOURS], to: A }],
    ['that adds a field', { to: object({ ...DATA, d: '1' }) }],
    ['that takes a field away from its manager', { to: object({ a: '1', b: '1' }) }],
    ['that sends other entries', { sent: [MINE], to: A }],
    ['that forgets all entries', { sent: [], to: A }],
    ['without entries', { entries: [], to: A }],
    ['with entries that are none', { entries: 'text', to: A }],
    ['with an entry that is none', { entries: [MINE, 'text'], to: A }],
    ['with an entry without fields', { entries: [{ ...MINE, fieldsV1: null }], to: A }],
    ['with an entry of another version', { entries: [MINE, { ...YOURS, apiVersion: 'v2' }] }],
    ['by the manager that applied it', { entries: [{ ...MINE, operation: 'Apply' }], to: A }],
    ['by the manager of a subresource', { entries: [{ ...MINE, subresource: 'status' }], to: A }],
    // As a write of a scale leaves them: the later one is what its manager has.
    ['of nothing, with a manager that has two entries', { entries: [untimed('me', ['c']), MINE] }],
    ['with another manager that has two', { entries: [untimed('you', ['d']), MINE, YOURS], to: A }],
    ['beside another manager of other fields', { entries: [MINE, identity('you')], to: A }],
    ['beside a manager of part of a whole', { entries: [MINE, partial('you')], to: A }],
  ] as [string, Given][])('%s', (_, given) => {
    expect(changed(given)).toBeUndefined();
  });

  function untimed(manager: string, keys: readonly string[]): JsonObject {
    const { time: _, ...rest } = entry(manager, keys);
    return rest;
  }

  function identity(manager: string): JsonObject {
    return { ...entry(manager, []), fieldsV1: { 'f:metadata': { 'f:name': {} } } };
  }

  /** A reference to an owner is owned as a whole. */
  function partial(manager: string): JsonObject {
    const owners = { 'f:ownerReferences': { 'k:{"uid":"u"}': { 'f:x': {} } } };
    return { ...entry(manager, []), fieldsV1: { 'f:metadata': owners } };
  }
});

describe('a new object', () => {
  const before = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
  const made = (to: JsonObject, sent?: JsonValue) => {
    const comparison = compareValues({ before, after: to }, type);
    const write = { before: undefined, sent, type, comparison, name: me, now: NOW };
    return entriesOfNew({ ...write, typed: true });
  };

  it('has one manager, of all that can have one', () => {
    expect(made(object({ b: '1', a: '2' }))).toEqual([
      {
        ...{ manager: 'me', operation: 'Update', apiVersion: 'v1', time: NOW },
        ...{ fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } } },
      },
    ]);
  });

  it('is not usual with entries of its own, or with nothing in it', () => {
    expect(made(object({ a: '1' }), [])).toBeUndefined();
    expect(made({ ...before, metadata: { name: 'a' } })).toBeUndefined();
  });
});

const RESOURCE: ManagedResource = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', subresource: '', typed: true },
  emptyObject: () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
  mergeTypeOf: (version) => (version === 'v1' ? type : undefined),
  convert: () => ({ ok: false, message: 'there is one version' }),
  resetFields: new Map(),
};

it('is decided as the general steps decide it', () => {
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));
  const isScaled = fc.boolean();
  const write = fc.record({ data, manager: fc.constantFrom('me', 'you'), isScaled });
  fc.assert(
    fc.property(fc.array(write, { minLength: 2, maxLength: 5 }), (writes) => {
      let live: JsonObject | undefined;
      for (const [at, { data: written, manager, isScaled }] of writes.entries()) {
        const now = `2026-01-01T00:00:0${String(at)}Z`;
        const before = listAt(objectAt(live, 'metadata'), 'managedFields');
        // What no server knows is dropped when it is read, so these mean the same; but they are not usual.
        const sent = before.map((one) => {
          const known = one as JsonObject; // As it was written.
          return { ...known, fieldsV1: { ...objectAt(known, 'fieldsV1'), 'x:unknown': {} } };
        });
        const usual = { live, object: object(written, { uid: 'u' }), manager, now };
        const general = { ...usual, object: object(written, { uid: 'u', managedFields: sent }) };
        const entries = managedUpdate(RESOURCE, usual) as JsonObject[] | undefined;
        if (before.length > 0) expect(managedUpdate(RESOURCE, general)).toEqual(entries);
        const managedFields = isScaled ? scaled(entries) : entries;
        live = object(written, { uid: 'u', ...(managedFields && { managedFields }) });
      }
    }),
  );
});

/** A write of a scale takes a field away from its manager, and gives it to an entry of the same name that has no time. */
function scaled(entries: JsonObject[] | undefined): JsonObject[] | undefined {
  const [first] = entries ?? [];
  if (first === undefined || entries === undefined || first['time'] === undefined) return entries;
  const { time: _, ...rest } = first;
  const fields = objectAt(objectAt(first, 'fieldsV1'), 'f:data') ?? {};
  const [one = '', ...others] = Object.keys(fields).filter((key) => key !== '.');
  if (others.length === 0) return entries;
  const kept = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== one));
  return [
    { ...rest, fieldsV1: { 'f:data': { [one]: {} } } },
    { ...first, fieldsV1: { 'f:data': kept } },
    ...entries.slice(1),
  ];
}
