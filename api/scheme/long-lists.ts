/**
 * Decoding of lists and maps that are so long that others may want their turn meanwhile.
 *
 * The surprise is the run, which the closures around a list change too: work in slices calls them
 * again, and what they count must not be counted twice. So a list goes on with the run as it left it.
 */
import { forEachItem, remembered, stepped } from '../json/work-in-slices.ts';

/** Shorter ones are decoded in no time. */
export const LONG_FROM = 1_024;

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
