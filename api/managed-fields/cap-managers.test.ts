import { expect, it } from 'vitest';
import { fieldSetOf } from '../merge/field-set.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { capManagers } from './cap-managers.ts';
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
