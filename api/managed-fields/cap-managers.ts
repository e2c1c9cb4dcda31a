/**
 * No object has more than ten managers by update: of more, the oldest become one, named
 * `ancient-changes`, for each version.
 *
 * In Kubernetes: capManagersManager, apimachinery/pkg/util/managedfields/internal.
 */
import { unionOfAll, type FieldSet } from '../merge/field-set.ts';
import { sortedItems } from '../json/long-values.ts';
import { forEachEntry, remembered, rememberedOf, someItem } from '../json/work-in-slices.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { compareGoStrings } from '../json/go-format.ts';
import { compareTimes, managerId, type Managed, type ManagerName } from './managed-entries.ts';

const UPDATERS_MAX = 10;

export function capManagers(managed: Managed): Managed {
  const updaters = rememberedOf([{ length: managed.owners.size }], () =>
    [...managed.owners].filter(([, { applied }]) => !applied),
  );
  if (updaters.length <= UPDATERS_MAX) return managed;
  const { gathered, ...capped } = cappedAt(managed, updaters);
  forEachEntry(gathered, (bucket, sets) => {
    const owned = capped.owners.get(bucket);
    if (owned !== undefined) capped.owners.set(bucket, { ...owned, set: unionOfAll(sets) });
  });
  return capped;
}

/** Without the oldest, whose sets are gathered. */
function cappedAt(managed: Managed, updaters: readonly (readonly [string, OwnedFields])[]): Capped {
  const oldestFirst = sortedItems(updaters, ([left], [right]) => compareAge(managed, left, right));
  const capped = remembered(() => ({
    ...managed,
    names: new Map(managed.names),
    owners: new Map(managed.owners),
    times: new Map(managed.times),
    gathered: new Map<string, FieldSet[]>(),
  }));
  const firstOfVersion = remembered(() => new Map<string, string>());
  const count = remembered(() => ({ left: updaters.length }));
  someItem(oldestFirst, ([id, owned]) => {
    const first = firstOfVersion.get(owned.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owned.apiVersion, id);
    } else {
      moveToBucket(capped, { id, owned, first });
      count.left -= 1;
    }
    return count.left <= UPDATERS_MAX;
  });
  return capped;
}

function compareAge({ times }: Managed, left: string, right: string): number {
  return (
    compareTimes(times.get(left) ?? '', times.get(right) ?? '') || compareGoStrings(left, right)
  );
}

interface Capped extends Managed {
  readonly names: Map<string, ManagerName>;
  readonly owners: Map<string, OwnedFields>;
  readonly times: Map<string, string>;
  /** What each bucket is put together of in the end: the union of one after another is quadratic. */
  readonly gathered: Map<string, FieldSet[]>;
}

interface Moved {
  readonly id: string;
  readonly owned: OwnedFields;
  /** The oldest of the version, with which the bucket begins. */
  readonly first: string;
}

function moveToBucket(capped: Capped, { id, owned, first }: Moved): void {
  const { names, owners, times, gathered } = capped;
  const name: ManagerName = {
    manager: 'ancient-changes',
    operation: 'Update',
    apiVersion: owned.apiVersion,
    subresource: '',
  };
  const bucket = managerId(name);
  names.set(bucket, name);
  const begun = owners.get(bucket) ?? owners.get(first);
  if (!owners.has(bucket)) owners.delete(first);
  const sets = gathered.get(bucket) ?? (begun === undefined ? [] : [begun.set]);
  sets.push(owned.set);
  gathered.set(bucket, sets);
  owners.set(bucket, owned);
  if (owners.delete(id) && id === bucket) gathered.delete(bucket);
  const time = times.get(id);
  if (time === undefined) times.delete(bucket);
  else times.set(bucket, time);
}
