import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { fieldSetOf } from '../merge/field-set.ts';
import {
  compareEntries,
  compareTimes,
  decodeEntries,
  encodeEntries,
  entryOf,
  isReset,
  managerId,
  type ManagerName,
} from './managed-entries.ts';

const ENTRY: JsonObject = {
  manager: 'kubectl',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': {} },
};

function idsOf(...entries: JsonObject[]): string[] {
  const decoded = decodeEntries(entries);
  if (!decoded.ok) throw new Error(decoded.message);
  return [...decoded.managed.owners.keys()];
}

describe('the entries of an object', () => {
  it.each([
    [{}, '{"manager":"kubectl","operation":"Update","apiVersion":"v1"}'],
    [{ operation: 'Apply' }, '{"manager":"kubectl","operation":"Apply"}'],
    [{ manager: '"' }, '{"manager":"\\"","operation":"Update","apiVersion":"v1"}'],
    [{ manager: '' }, '{"operation":"Update","apiVersion":"v1"}'],
    [
      { subresource: 'status', manager: 'a"<b' },
      '{"manager":"a\\"\\u003cb","operation":"Update","apiVersion":"v1","subresource":"status"}',
    ],
  ])('are of one manager each, with %j', (more, id) => {
    expect(idsOf({ ...ENTRY, ...more })).toEqual([id]);
  });

  it('are the same manager’s in every version by apply, and not by update', () => {
    const applied = { ...ENTRY, operation: 'Apply' };
    expect(idsOf(applied, { ...applied, apiVersion: 'v2' })).toHaveLength(1);
    expect(idsOf(ENTRY, { ...ENTRY, apiVersion: 'v2' })).toHaveLength(2);
    expect(idsOf(ENTRY, { ...ENTRY, subresource: 'status' })).toHaveLength(2);
  });

  it('of a manager without a name name none', () => {
    const name: ManagerName = {
      manager: '',
      operation: 'Update',
      apiVersion: 'v1',
      subresource: '',
    };
    const owned = { set: fieldSetOf(['f:data']), apiVersion: 'v1', applied: false };
    expect(entryOf(name, owned, undefined)).toEqual({
      ...{ operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
      fieldsV1: { 'f:data': {} },
    });
  });

  it.each([
    [{ operation: 'Delete' }, 'operation must be `Apply` or `Update`'],
    [{ operation: undefined }, 'operation must be `Apply` or `Update`'],
    [{ apiVersion: '' }, 'apiVersion must not be empty'],
    [{ fieldsType: undefined }, 'missing fieldsType in managed fields entry 1'],
    [{ fieldsType: 'V2' }, 'invalid fieldsType "V2" in managed fields entry 1'],
    [{ fieldsV1: 'all' }, 'error decoding set: invalid fields'],
  ] as [JsonObject, string][])('cannot be read with %j', (wrong, message) => {
    expect(decodeEntries([ENTRY, { ...ENTRY, ...wrong }])).toEqual({ ok: false, message });
  });

  it.each([[undefined], [null], ['text'], [{}], [[]]] as [JsonValue | undefined][])(
    'are none in %j',
    (list) => {
      const decoded = decodeEntries(list);
      expect(decoded.ok && decoded.managed.owners.size).toBe(0);
      expect(decoded.ok && encodeEntries(decoded.managed, true)).toBeUndefined();
    },
  );

  it('are written as they were read, to the object', () => {
    const entries = [ENTRY, { ...ENTRY, manager: 'b', time: undefined }];
    const decoded = decodeEntries(entries);
    if (!decoded.ok) throw new Error(decoded.message);
    const written = encodeEntries(decoded.managed, true) ?? [];
    // One without a time is of 1970.
    expect(written.map((entry) => entries.indexOf(entry))).toEqual([1, 0]);
  });

  it.each(['2026-02-02T00:00:00Z', undefined])('are written anew with the time %s', (time) => {
    const decoded = decodeEntries([ENTRY]);
    if (!decoded.ok) throw new Error(decoded.message);
    const [id = ''] = decoded.managed.owners.keys();
    const times = new Map(time === undefined ? [] : [[id, time]]);
    const { time: _, ...rest } = ENTRY;
    const written = encodeEntries({ ...decoded.managed, times }, true);
    expect(written).toStrictEqual([{ ...rest, ...(time === undefined ? {} : { time }) }]);
  });

  it('take the time of the last of the same manager, which may be none', () => {
    const { time: _, ...timeless } = ENTRY;
    const decoded = decodeEntries([ENTRY, timeless]);
    expect(decoded.ok && decoded.managed.times.size).toBe(0);
  });

  it.each([
    [undefined, false],
    [null, false],
    [[], true],
    [[{}], true],
    [[{ manager: '', time: null }], true],
    [[{ manager: 'a' }], false],
    [[{}, {}], false],
    [['text'], false],
  ] as [JsonValue | undefined, boolean][])('%j asks to forget them all: %s', (list, asks) => {
    expect(isReset(list)).toBe(asks);
  });
});

describe('the order of entries', () => {
  const inOrder: JsonObject[] = [
    { operation: 'Apply', time: '2027-01-01T00:00:00Z', manager: 'z' },
    { operation: 'Update', manager: 'z' },
    { operation: 'Update', time: '2026-01-01T00:00:00Z', manager: 'b', apiVersion: 'v2' },
    { operation: 'Update', time: '2026-01-01T00:00:01Z', manager: 'a', apiVersion: 'v2' },
    { operation: 'Update', time: '2026-01-01T00:00:01Z', manager: 'b', apiVersion: 'v1' },
    {
      ...{ operation: 'Update', time: '2026-01-01T00:00:01Z', manager: 'b', apiVersion: 'v2' },
    },
    {
      ...{ operation: 'Update', time: '2026-01-01T00:00:01Z', manager: 'b', apiVersion: 'v2' },
      subresource: 'status',
    },
  ];

  it('is by operation, time, manager, version and subresource', () => {
    expect([...inOrder].reverse().sort(compareEntries)).toEqual(inOrder);
    for (const [at, entry] of inOrder.entries()) {
      expect(compareEntries(entry, { ...entry })).toBe(0);
      const next = inOrder[at + 1];
      if (isJsonObject(next)) expect(compareEntries(entry, next)).toBeLessThan(0);
      if (isJsonObject(next)) expect(compareEntries(next, entry)).toBeGreaterThan(0);
    }
  });

  it('takes times of the same second for equal', () => {
    expect(compareTimes('2026-01-01T00:00:01Z', '2026-01-01T00:00:01.9Z')).toBe(0);
    expect(compareTimes('2026-01-01T00:00:01Z', '2026-01-01T01:00:01+01:00')).toBe(0);
    expect(compareTimes('', '1970-01-01T00:00:00Z')).toBe(0);
    expect(compareTimes('no time', '2026-01-01T00:00:00Z')).toBeLessThan(0);
  });

  it('of identifiers is that of their texts', () => {
    const name: ManagerName = {
      ...{ manager: 'a', operation: 'Update', apiVersion: 'v1', subresource: '' },
    };
    expect(managerId({ ...name, operation: 'Apply' }) < managerId(name)).toBe(true);
  });
});
