/**
 * Copies and sorted lists that may be very long: in slices where the work under way may pause, and
 * otherwise by the one call that JavaScript has for it.
 */
import { setOwn } from './own-property.ts';
import type { JsonObject } from './json.ts';
import {
  forEachKey,
  mapItems,
  mayPause,
  remembered,
  stepped,
  untilDone,
} from './work-in-slices.ts';

/** Of such a list each piece is sorted by itself, and then pieces are merged by twos. */
const PIECE = 2_048;

/** The object again, with the same values behind those of another one. */
export function copiedObject(object: JsonObject, first: JsonObject = {}): JsonObject {
  if (!mayPause()) return { ...first, ...object };
  const copy = remembered((): JsonObject => ({ ...first }));
  forEachKey(object, (key) => {
    const value = object[key];
    if (value !== undefined) setOwn(copy, key, value);
  });
  return copy;
}

/** The items in their order, as `toSorted` gives them. */
export function sortedItems<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Item[] {
  if (!mayPause() || items.length <= PIECE) return items.toSorted(compare);
  const starts = remembered(() => {
    const count = Math.ceil(items.length / PIECE);
    return Array.from({ length: count }, (_, at) => at * PIECE);
  });
  let pieces = mapItems(starts, (from) => {
    stepped(PIECE);
    return items.slice(from, from + PIECE).sort(compare);
  });
  while (pieces.length > 1) pieces = mergedByTwos(pieces, compare);
  return pieces[0] ?? [];
}

function mergedByTwos<Item>(
  pieces: readonly Item[][],
  compare: (left: Item, right: Item) => number,
): Item[][] {
  const firsts = remembered(() => pieces.filter((_, at) => at % 2 === 0));
  return mapItems(firsts, (first, at) => {
    const second = pieces[2 * at + 1];
    return second === undefined ? first : mergedTwo(first, second, compare);
  });
}

/** Of equal items those of the first piece come first. */
function mergedTwo<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Item[] {
  const merged = remembered((): Item[] => []);
  const at = remembered(() => ({ first: 0, second: 0 }));
  untilDone(() => {
    if (at.first >= first.length || at.second >= second.length) return 'done';
    const [one, other] = [first[at.first] as Item, second[at.second] as Item]; // Below the lengths.
    if (compare(one, other) <= 0) {
      merged.push(one);
      at.first += 1;
    } else {
      merged.push(other);
      at.second += 1;
    }
    return 'go on';
  });
  return remembered(() => [...merged, ...first.slice(at.first), ...second.slice(at.second)]);
}
