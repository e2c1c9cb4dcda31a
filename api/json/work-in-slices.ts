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
 * a look at a list that is empty. Rules make of some items ten times as much.
 */
export const SLICE_STEPS = 10_000;

export type SliceDone<Result> =
  | { readonly isDone: false }
  | { readonly isDone: true; readonly value: Result };

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
    const frame = this.#frame;
    frame.met = 0;
    const isCatchingUp = frame.parts.length > 0 || frame.open !== undefined;
    const steps = this.#steps;
    slice = { frame, stepsLeft: steps, steps, isCatchingUp, hasGoneOn: false };
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

/** So many keys of a large object are listed in the time of a step. */
export const KEYS_A_STEP = 4;

/** The keys of an object, {@link remembered}: to list those of a large one takes long. */
export function keysOf(object: object): readonly string[] {
  if (slice === undefined) return Object.keys(object);
  return remembered(() => {
    beforeLongCall();
    const keys = Object.keys(object);
    stepped(keys.length / KEYS_A_STEP);
    return keys;
  });
}

/** Whether the object has a key with a value, null being one; remembered as its keys are. */
export function hasFields(object: Readonly<Record<string, unknown>>): boolean {
  if (slice !== undefined) return keysOf(object).some((key) => object[key] !== undefined);
  for (const key in object) {
    if (object[key] !== undefined) return true;
  }
  return false;
}

/** So many items of a list are looked at, without what is within them, in the time of a step. */
const ITEMS_A_STEP = 4;

/** One look at all items of such lists, {@link remembered}. */
export function rememberedOf<Value>(
  lists: readonly { readonly length: number }[],
  compute: () => Value,
): Value {
  if (slice === undefined) return compute();
  const items = lists.reduce((sum, { length }) => sum + length, 0);
  return remembered(compute, items / ITEMS_A_STEP);
}

/**
 * Small work that pauses nowhere and leaves no part behind: what is compiled when it is first asked
 * for is there already when the slice begins again, and then is not asked for.
 */
export function undivided<Value>(compute: () => Value): Value {
  if (slice === undefined) return compute();
  const around = slice;
  slice = undefined;
  try {
    return compute();
  } finally {
    slice = around;
  }
}

/** What is {@link remembered}, and so much that there is a pause behind it. */
export function inOneSlice<Value>(compute: () => Value): Value {
  return remembered(compute, SLICE_STEPS);
}

/** Steps that were made without a place for a pause. */
export function stepped(steps: number): void {
  if (slice !== undefined) slice.stepsLeft -= steps;
}

/**
 * Leaves what comes next to the next slice where this one has done half of its steps: to list the keys
 * of a large object is one call of the engine, which takes most of a turn by itself.
 */
export function beforeLongCall(): void {
  if (slice?.hasGoneOn === true && slice.stepsLeft < slice.steps / 2) throw PAUSE;
}

/** Whether the work under way may pause: a hot loop is plain where it may not. */
export function mayPause(): boolean {
  return slice !== undefined;
}

/** Whether so many steps are a good part of a slice of the work under way, so that a pause behind them pays. */
export function isLong(steps: number): boolean {
  return slice !== undefined && steps >= slice.steps / LONG_PART;
}

const LONG_PART = 64;

/** Calls back for each item, in order. */
export function forEachItem<Item>(
  items: readonly Item[],
  visit: (item: Item, index: number) => void,
): void {
  if (slice === undefined) {
    // There is one at each place below the length.
    for (let at = 0; at < items.length; at += 1) visit(items[at] as Item, at);
    return;
  }
  someItem(items, (item, index) => {
    visit(item, index);
    return false;
  });
}

/** Whether the callback says so of some item; those behind it are not visited. */
export function someItem<Item>(
  items: readonly Item[],
  judge: (item: Item, index: number) => boolean,
): boolean {
  if (slice === undefined) return items.some(judge);
  const own = slice;
  own.stepsLeft -= 1;
  if (items.length === 0) return false;
  return partOf(own, items.length, (part) => {
    while (part.next < items.length) {
      // There is one at each place below the length.
      if (judge(items[part.next] as Item, part.next)) return true;
      finishItem(own, part);
    }
    return false;
  });
}

/** Whether the callback says so of some key that the object has now. */
export function someKey(object: object, judge: (key: string) => boolean): boolean {
  if (slice !== undefined) return someItem(keysOf(object), judge);
  for (const key in object) {
    if (judge(key)) return true;
  }
  return false;
}

/**
 * Takes steps until one says that there is no other. A step that pauses is taken again from its
 * beginning, so it changes what it goes by in its end only.
 */
export function untilDone(step: () => 'go on' | 'done'): void {
  if (slice === undefined) {
    while (step() === 'go on');
    return;
  }
  const own = slice;
  partOf(own, NO_LIST, (part) => {
    while (step() === 'go on') finishItem(own, part);
    return undefined;
  });
}

/** What the callback makes of each item, in order. */
export function mapItems<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Made[] {
  if (slice === undefined) return items.map(make);
  const made = remembered((): Made[] => []);
  forEachItem(items, (item, index) => {
    made.push(make(item, index));
  });
  return made;
}

/** Calls back for each key that the object has now. */
export function forEachKey(object: object, visit: (key: string) => void): void {
  if (slice === undefined) for (const key in object) visit(key);
  else forEachItem(keysOf(object), visit);
}

/** Calls back for each value that the map has now, in order. */
export function forEachValue<Value>(
  map: ReadonlyMap<string, Value>,
  visit: (value: Value) => void,
): void {
  if (slice === undefined) for (const value of map.values()) visit(value);
  else forEachItem(valuesOf(map), visit);
}

/** Calls back for each key and value that the map has now, in order. */
export function forEachEntry<Value>(
  map: ReadonlyMap<string, Value>,
  visit: (key: string, value: Value) => void,
): void {
  if (slice === undefined) {
    for (const [key, value] of map) visit(key, value);
    return;
  }
  const entries = remembered(() => [...map], 1 + map.size / ITEMS_A_STEP);
  forEachItem(entries, ([key, value]) => {
    visit(key, value);
  });
}

/** Whether the callback says so of some value that the map has now. */
export function someValue<Value>(
  map: ReadonlyMap<string, Value>,
  judge: (value: Value) => boolean,
): boolean {
  return someItem(valuesOf(map), judge);
}

function valuesOf<Value>(map: ReadonlyMap<string, Value>): readonly Value[] {
  return remembered(() => [...map.values()], 1 + map.size / ITEMS_A_STEP);
}

/** What is found of each item, in order; the engine's own flatMap takes longer. */
export function flatMapItems<Item, Found>(
  items: readonly Item[],
  findIn: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  return flatMapUntil(items, Number.POSITIVE_INFINITY, findIn);
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
    for (const one of findIn(items[at] as Item, at)) all.push(one); // There is an item at each.
  }
  return all;
}

interface Slice {
  /** Of the function that is running. */
  frame: Frame;
  stepsLeft: number;
  /** What there are of them in a slice. */
  readonly steps: number;
  /** Whether it is not yet where the slice before it ended. */
  isCatchingUp: boolean;
  /** Whether it has finished anything: a slice that has not must not pause. */
  hasGoneOn: boolean;
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
      finishItem(own, part);
    }
    return part.found as Found[]; // By the callback above.
  });
}

/** It is not visited again, and what was done within it is forgotten. */
function finishItem(own: Slice, part: OpenPart): void {
  if (own.isCatchingUp) caughtUp(own);
  own.hasGoneOn = true;
  part.next += 1;
  const { parts } = part.frame;
  if (parts.length > 0) parts.length = 0;
  part.frame.met = 0;
  own.stepsLeft -= 1;
  if (own.stepsLeft <= 0) throw PAUSE;
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
  if (own.isCatchingUp && isUntouched(frame.open)) caughtUp(own);
  const part = (frame.open ??= { frame: newFrame(), next: 0, found: [] });
  part.frame.met = 0;
  own.frame = part.frame;
  const value = go(part);
  if (own.isCatchingUp) caughtUp(own);
  own.hasGoneOn = true;
  own.frame = frame;
  frame.open = undefined;
  frame.parts.push({ length, value });
  if (own.stepsLeft <= 0) throw PAUSE;
  return value;
}

/** Whether nothing was done of a part: it paused, if at all, before it began. */
function isUntouched(part: OpenPart | undefined): boolean {
  if (part === undefined) return true;
  const { frame, next } = part;
  return next === 0 && frame.parts.length === 0 && frame.open === undefined;
}

/**
 * What a slice did before it met something new does not count: steps that went into catching up
 * would leave none to go on with, and each slice would end behind a single part.
 */
function caughtUp(own: Slice): void {
  own.isCatchingUp = false;
  own.stepsLeft = own.steps;
}
