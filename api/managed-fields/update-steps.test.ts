import { expect, it } from 'vitest';
import { fieldSetOf } from '../merge/field-set.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { capManagers } from './update-steps.ts';
import { managerId, type Managed, type ManagerName } from './managed-entries.ts';

function manager(name: string): ManagerName {
  return { manager: name, operation: 'Update', apiVersion: 'v1', subresource: '' };
}

/** So many managers, each with a field of its own. */
function given(count: number): Managed {
  const names = new Map<string, ManagerName>();
  const owners = new Map<string, OwnedFields>();
  for (let at = 0; at < count; at += 1) {
    const name = manager(`m${String(at).padStart(6, '0')}`);
    const set = fieldSetOf(['f:data', `f:key${String(at)}`]);
    names.set(managerId(name), name);
    owners.set(managerId(name), { set, apiVersion: 'v1', applied: false });
  }
  return { names, owners, times: new Map(), read: new Map() };
}

/** One after another, the fields that the bucket has so far were copied for each: minutes. */
it('puts ten thousands of managers together in one step', () => {
  const { owners } = capManagers(given(15_000));
  expect(owners.size).toBe(10);
  const bucket = owners.get(managerId(manager('ancient-changes')));
  const sets = [...owners.values()].map(({ set }) => Object.keys(set['f:data'] ?? {}).length);
  expect(Object.keys(bucket?.set['f:data'] ?? {})).toHaveLength(14_991);
  expect(sets.reduce((sum, count) => sum + count)).toBe(15_000);
});

it('leaves ten as they are', () => {
  const managed = given(10);
  expect(capManagers(managed)).toBe(managed);
});

/** Entries by name, version and time, of which each has a field of its own. */
function entries(...all: readonly (readonly [name: string, version: string, time?: string])[]) {
  const names = new Map<string, ManagerName>();
  const owners = new Map<string, OwnedFields>();
  const times = new Map<string, string>();
  for (const [name, apiVersion, time] of all) {
    const id = managerId({ ...manager(name), apiVersion });
    names.set(id, { ...manager(name), apiVersion });
    owners.set(id, { set: fieldSetOf([`f:${name}`]), apiVersion, applied: false });
    if (time !== undefined) times.set(id, time);
  }
  return { names, owners, times, read: new Map() };
}

function shown({ names, owners, times }: Managed) {
  return [...owners].map(([id, { set, applied }]) => [
    ...[names.get(id)?.manager, names.get(id)?.apiVersion, times.get(id)],
    ...[Object.keys(set).sort().join(' '), ...(applied ? ['applied'] : [])],
  ]);
}

const time = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const young = Array.from(
  { length: 9 },
  (_, at) => [`y${String(at)}`, 'v1', time(30 + at)] as const,
);

it('puts the oldest together, each version by itself, and keeps the time of the youngest', () => {
  const managed = entries(
    ...young,
    ['c', 'v1', time(3)],
    ['a', 'v1', time(1)],
    ['b', 'v2', time(2)],
    ['d', 'v2', time(4)],
  );
  const before = JSON.stringify(shown(managed));
  const capped = shown(capManagers(managed));
  // c joins a, and d joins b; that leaves eleven, so y0 joins a and c.
  expect(capped.slice(0, 8)).toEqual(shown(entries(...young.slice(1))));
  expect(capped).toContainEqual(['ancient-changes', 'v1', time(30), 'f:a f:c f:y0']);
  expect(capped).toContainEqual(['ancient-changes', 'v2', time(4), 'f:b f:d']);
  expect(capped).toHaveLength(10);
  expect(JSON.stringify(shown(managed))).toBe(before);
});

it('goes by the identifiers where times are equal, and counts no apply', () => {
  const all = Array.from({ length: 11 }, (_, at) => [`m${String(10 + at)}`, 'v1'] as const);
  const managed = entries(...[...all].reverse());
  const apply = managerId({ ...manager('applier'), operation: 'Apply', apiVersion: '' });
  managed.names.set(apply, { ...manager('applier'), operation: 'Apply', apiVersion: '' });
  managed.owners.set(apply, { set: fieldSetOf(['f:x']), apiVersion: 'v1', applied: true });
  const capped = shown(capManagers(managed));
  expect(capped).toContainEqual(['ancient-changes', 'v1', undefined, 'f:m10 f:m11']);
  expect(capped).toContainEqual(['applier', '', undefined, 'f:x', 'applied']);
  expect(capped).toHaveLength(11);
});

it('adds to the bucket that is there already', () => {
  const managed = entries(...young, ['ancient-changes', 'v1', time(0)], ['a', 'v1', time(1)]);
  const capped = shown(capManagers(managed));
  expect(capped).toContainEqual(['ancient-changes', 'v1', time(1), 'f:a f:ancient-changes']);
  expect(capped).toHaveLength(10);
});

it('a bucket that is there takes in others, and not the oldest, which stays where it is', () => {
  const managed = entries(
    ...young,
    ['ancient-changes', 'v1', time(50)],
    ['a', 'v1', time(1)],
    ['b', 'v1', time(2)],
  );
  const capped = shown(capManagers(managed));
  expect(capped).toContainEqual(['a', 'v1', time(1), 'f:a']);
  expect(capped).toContainEqual(expect.arrayContaining(['ancient-changes', 'v1']));
  expect(capped).toHaveLength(10);
  const kept = capped.flatMap((one) => String(one[3]).split(' '));
  expect(kept.sort()).toEqual([...managed.names.values()].map((one) => `f:${one.manager}`).sort());
});
