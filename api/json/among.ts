/**
 * Whether a list has an item, asked for each item of another list: both may be of megabytes, and to go
 * through the one for each of the other would be the square of that. Lists that are asked do not change any more.
 */

/** So few are gone through in no time. */
const FEW = 16;

const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();
const names = new WeakMap<readonly Named[], ReadonlyMap<string, Named>>();

interface Named {
  readonly name: string;
}

/** As `includes`, in the time of one look, however often a list is asked. */
export function isAmong<Item>(items: readonly Item[], item: Item): boolean {
  if (items.length <= FEW) return items.includes(item);
  let set = sets.get(items);
  if (set === undefined) {
    set = new Set(items);
    sets.set(items, set);
  }
  return set.has(item);
}

/** The first item of that name. */
export function firstNamed<Item extends Named>(
  items: readonly Item[],
  name: string,
): Item | undefined {
  if (items.length <= FEW) return items.find((one) => one.name === name);
  let byName = names.get(items);
  if (byName === undefined) {
    // Of two the first is kept.
    byName = new Map(items.toReversed().map((one) => [one.name, one]));
    names.set(items, byName);
  }
  return byName.get(name) as Item | undefined; // What was put in is an item.
}
