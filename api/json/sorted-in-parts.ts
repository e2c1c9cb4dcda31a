/** Sorting of very many texts, in turns of the event loop: the engine sorts all of a list in one call. */
import type { Parts } from './json-parts.ts';

/** So many are sorted in one call, and so many merged in one turn. */
const PART = 4_096;

/** Sorts a list, whose order it may change; items that compare as equal keep theirs. */
export function* sortedInParts<Item>(
  items: Item[],
  compare: (one: Item, other: Item) => number,
): Parts<Item[]> {
  if (items.length <= PART) return items.sort(compare);
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += PART) {
    runs.push(items.slice(from, from + PART).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one = [], other = []] = runs.slice(at, at + 2);
      merged.push(yield* mergedInParts(one, other, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInParts<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Parts<Item[]> {
  const merged: Item[] = [];
  let [at, otherAt] = [0, 0];
  while (at < one.length && otherAt < other.length) {
    // There is one at each place below the length.
    const [left, right] = [one[at] as Item, other[otherAt] as Item];
    if (compare(left, right) <= 0) {
      merged.push(left);
      at += 1;
    } else {
      merged.push(right);
      otherAt += 1;
    }
    if (merged.length % PART === 0) yield;
  }
  for (; at < one.length; at += 1) merged.push(one[at] as Item);
  for (; otherAt < other.length; otherAt += 1) merged.push(other[otherAt] as Item);
  return merged;
}
