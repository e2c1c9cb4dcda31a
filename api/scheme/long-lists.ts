/**
 * Decoding of lists and maps that are so long that others may want their turn meanwhile.
 *
 * The surprise is the run, which the closures around a list change too: work in slices calls them
 * again, and what they count must not be counted twice. So a list goes on with the run as it left it.
 */
import { forEachItem, mayPause, remembered, stepped } from '../json/work-in-slices.ts';

/** Shorter ones are decoded in no time. */
export const LONG_FROM = 1_024;
/** In work that pauses: what is decoded of a shorter list is decoded anew in the next slice. */
const LONG_IN_SLICES = 8;

/** Whether a list or map of so many items is decoded by {@link decodedLong}. */
export function isLong(length: number): boolean {
  return length >= LONG_IN_SLICES && (length >= LONG_FROM || mayPause());
}

/** An item has some fields of its own. */
const ITEM_STEPS = 2;

/** What becomes of the items. The run is flat; `make` gives what `decode` changes with each of them. */
export function decodedLong<Item, Made>(
  items: readonly Item[],
  run: object,
  make: () => Made,
  decode: (made: Made, item: Item, index: number) => void,
): Made {
  const left = remembered(() => ({ made: make(), run: { ...run } }));
  Object.assign(run, left.run);
  forEachItem(items, (item, index) => {
    decode(left.made, item, index);
    stepped(ITEM_STEPS);
    Object.assign(left.run, run);
  });
  return left.made;
}
