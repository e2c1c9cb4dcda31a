/**
 * Work on a value that may be very large, in slices between which others have their turn, without a
 * promise in any of the functions that do it: rules, defaults and codecs stay plain functions.
 *
 * The surprise is how it goes on after a pause. A pause is thrown, and the next slice calls the work
 * again from its beginning; what was finished meanwhile is not done a second time but remembered, in
 * the order in which it was begun, so a list is gone on with at the item where it was left. So the
 * work begins alike every time, catches nothing that it does not know, and what an item leaves
 * behind for later ones lies in a {@link remembered} value and is left when the item is done.
 *
 * Outside of such work each of these functions is the plain loop or call.
 */

/**
 * After so many steps there is a pause. A step takes about half a microsecond: an item of a list, or
 * a look at a list that is empty.
 */
export const SLICE_STEPS = 20_000;

export type SliceDone<Result> =
  { readonly isDone: false } | { readonly isDone: true; readonly value: Result };

/** Some work, which each call of `goOn` does a slice of, until it is done. */
export class WorkInSlices<Result> {
  readonly #frame = newFrame();
  readonly #work: () => Result;
  readonly #steps: number;

  constructor(work: () => Result, steps = SLICE_STEPS) {
    this.#work = work;
    this.#steps = steps;
  }

  /** @throws what the work throws; it cannot be gone on with then. */
  goOn(): SliceDone<Result> {
    const around = slice;
    this.#frame.met = 0;
    slice = { frame: this.#frame, stepsLeft: this.#steps };
    try {
      return { isDone: true, value: this.#work() };
    } catch (thrown) {
      if (thrown !== PAUSE) throw thrown;
      return PAUSED;
    } finally {
      slice = around;
    }
  }
}

/**
 * What is computed once, whatever pauses come behind it. There may be some within it too.
 *
 * @param steps what it takes besides those.
 */
export function remembered<Value>(compute: () => Value, steps = 1): Value {
  const own = slice;
  if (own === undefined) return compute();
  return partOf(own, NO_LIST, () => {
    own.stepsLeft -= steps;
    return compute();
  });
}

/** The keys of an object, {@link remembered}: to list those of a large one takes long. */
export function keysOf(object: object): readonly string[] {
  return slice === undefined ? Object.keys(object) : remembered(() => Object.keys(object));
}

/** What is {@link remembered}, and so much that there is a pause behind it. */
export function inOneSlice<Value>(compute: () => Value): Value {
  return remembered(compute, SLICE_STEPS);
}

/** Steps that were made without a place for a pause. */
export function stepped(steps: number): void {
  if (slice !== undefined) slice.stepsLeft -= steps;
}

/** Calls back for each item, in order. */
export function forEachItem<Item>(
  items: readonly Item[],
  visit: (item: Item, index: number) => void,
): void {
  if (slice === undefined) {
    for (const [index, item] of items.entries()) visit(item, index);
    return;
  }
  walk(slice, items, (item, index) => {
    visit(item, index);
    return NOTHING;
  });
}

/** Calls back for each key that the object has now. */
export function forEachKey(object: object, visit: (key: string) => void): void {
  forEachItem(keysOf(object), visit);
}

/** What is found of each item, in order. */
export function flatMapItems<Item, Found>(
  items: readonly Item[],
  findIn: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  return slice === undefined ? items.flatMap(findIn) : walk(slice, items, findIn);
}

/** As {@link flatMapItems}, up to the item with which so much is found; the others are not visited. */
export function flatMapUntil<Item, Found>(
  items: readonly Item[],
  enough: number,
  findIn: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  if (slice !== undefined) return walk(slice, items, findIn, enough);
  const all: Found[] = [];
  for (let at = 0; at < items.length && all.length < enough; at += 1) {
    all.push(...findIn(items[at] as Item, at)); // There is one at each place below the length.
  }
  return all;
}

interface Slice {
  /** Of the function that is running. */
  frame: Frame;
  stepsLeft: number;
}

/** What was done of a function: its parts that are finished, in order. */
interface Frame {
  readonly parts: Part[];
  /** How many of them this slice has met. */
  met: number;
  /** The part behind them, where it was left in the middle. */
  open: OpenPart | undefined;
}

interface Part {
  /** Of the list that it went through. */
  readonly length: number;
  readonly value: unknown;
}

interface OpenPart {
  readonly frame: Frame;
  /** The item that comes next. */
  next: number;
  readonly found: unknown[];
}

/** The one under way. Slices wait for nothing, so there are never two beside each other. */
let slice: Slice | undefined;

/** Thrown to end a slice; an error, so that work which catches one by mistake fails loudly. */
const PAUSE = new Error('a pause of work in slices was caught by the work');
const PAUSED = { isDone: false } as const;
const NO_LIST = -1;
const NOTHING: readonly never[] = [];

function newFrame(): Frame {
  return { parts: [], met: 0, open: undefined };
}

function walk<Item, Found>(
  own: Slice,
  items: readonly Item[],
  findIn: (item: Item, index: number) => readonly Found[],
  enough = Number.POSITIVE_INFINITY,
): readonly Found[] {
  own.stepsLeft -= 1;
  if (items.length === 0) return NOTHING;
  return partOf(own, items.length, (part) => {
    while (part.next < items.length && part.found.length < enough) {
      // There is one at each place below the length.
      for (const one of findIn(items[part.next] as Item, part.next)) part.found.push(one);
      part.next += 1;
      forget(part.frame);
      own.stepsLeft -= 1;
      if (own.stepsLeft <= 0) throw PAUSE;
    }
    return part.found as Found[]; // By the callback above.
  });
}

/** A part that is done, or is done now, from where it was left. */
function partOf<Value>(own: Slice, length: number, go: (part: OpenPart) => Value): Value {
  const { frame } = own;
  const done = frame.parts[frame.met];
  frame.met += 1;
  if (done !== undefined) {
    if (done.length !== length) throw new Error('work in slices did not begin alike');
    return done.value as Value; // Of the same part.
  }
  const part = (frame.open ??= { frame: newFrame(), next: 0, found: [] });
  part.frame.met = 0;
  own.frame = part.frame;
  const value = go(part);
  own.frame = frame;
  frame.open = undefined;
  frame.parts.push({ length, value });
  if (own.stepsLeft <= 0) throw PAUSE;
  return value;
}

/** What was done within an item that is finished. */
function forget(frame: Frame): void {
  frame.parts.length = 0;
  frame.met = 0;
}
