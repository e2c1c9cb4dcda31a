/**
 * Which objects of a resource have a label: their paths, in order, by key and value. A list by label looks at the
 * objects that it may select, and not at all there are.
 *
 * The surprise: it names an object too many rather than one too few. What an object was before is not always at hand
 * when it is replaced, and then its path stays where it was; so the objects themselves are asked in the end.
 *
 * @see docs/decisions/0095-labels-are-indexed.md
 */
import type { LabelRequirement, LabelSelector } from '../../api/selectors/label-selector.ts';
import type { StringMap } from '../../api/meta/object-meta.ts';
import { PathMap } from './path-map.ts';
import { SortedPaths } from './sorted-paths.ts';

/** What says that an object's labels would have to be read. */
export const UNREAD = Symbol('unread');

export type KnownLabels = StringMap | undefined | typeof UNREAD;

/** So many objects may wait until their labels are read. */
const UNREAD_MAX = 256;
/** So many paths may lie where they lay, and an eighth of all. */
const LEFT_MAX = 1_024;
const LEFT_SHARE = 8;
/** The paths of more values than this are not put together: a look at everything costs less. */
const MERGED_MAX = 8;

/** Most values are those of one object, or of many. */
type Labelled = string | SortedPaths<string>;

export class LabelIndex {
  readonly #paths = new PathMap<Labelled>();
  /** Objects whose labels are not read yet, and what those were by which they lie here. */
  readonly #unread = new Map<string, KnownLabels>();
  /** At least as many as there are paths too many. */
  #left = 0;
  /** There is no path too many. */
  #isExact = true;
  /** Changes since a list asked last. */
  #unasked = Number.POSITIVE_INFINITY;

  /** A list has asked, or waits until it is made. */
  asked(): void {
    this.#unasked = 0;
  }

  /**
   * Whether the labels of what changes are to be read as it comes. They are behind each list for as many changes as
   * there are objects: to read as many again for the next list costs no more.
   */
  isKeptUp(objects: number): boolean {
    return this.#unasked < objects;
  }

  /** Whether it is worth more than it costs, for so many objects. */
  isOfUse(objects: number): boolean {
    return this.#unread.size <= UNREAD_MAX && this.#left <= LEFT_MAX + objects / LEFT_SHARE;
  }

  /** What an object was before may lie here from now on. */
  mayBeLeft(): void {
    this.#isExact = false;
  }

  /** An object has these labels now. @param now undefined: none, or it is gone. */
  set(path: string, before: KnownLabels, now: KnownLabels): void {
    this.#unasked += 1;
    if (now === UNREAD) {
      if (!this.#unread.has(path)) this.#unread.set(path, before);
      return;
    }
    const known = this.#takeOut(path, before, now);
    for (const key in now) {
      const value = now[key];
      if (known?.[key] !== value) this.#add(nameOf(key, value), path);
    }
  }

  /** A list asks: learns what the labels are of which it was only told that there are some. */
  read(labelsOf: (path: string) => StringMap | undefined): void {
    for (const path of this.#unread.keys()) this.set(path, UNREAD, labelsOf(path));
    this.asked();
  }

  /**
   * Shows the paths `from <= path < to` of objects that may be selected, in order, until `visit` returns false.
   *
   * @returns false where it does not know: the selector asks for no value, or for many.
   */
  visit(
    selector: LabelSelector,
    [from, to]: readonly [string, string],
    visit: (path: string) => boolean,
  ): boolean {
    const fewest = this.#fewest(selector, from, to);
    if (fewest === undefined) return false;
    const [only] = fewest;
    if (fewest.length === 1 && only instanceof SortedPaths) only.visit(from, to, visit);
    else for (const path of merged(fewest, from, to)) if (!visit(path)) break;
    return true;
  }

  /**
   * The paths `from <= path < to` of the objects that are selected, at most `max` in order, and no others;
   * undefined: it does not know that, as where the selector asks for more than one value.
   */
  selected(
    { requirements }: LabelSelector,
    [from, to]: readonly [string, string],
    max: number,
  ): string[] | undefined {
    const [asked] = requirements;
    if (!this.#isExact || this.#unread.size > 0 || requirements.length !== 1) return undefined;
    if (asked === undefined || !asksForValues(asked) || asked.values.length !== 1) return undefined;
    const labelled = this.#paths.get(nameOf(asked.key, asked.values[0]));
    if (labelled instanceof SortedPaths) return labelled.range(from, to, max);
    return labelled !== undefined && labelled >= from && labelled < to ? [labelled] : [];
  }

  /** Of the requirement that the fewest objects meet. */
  #fewest(selector: LabelSelector, from: string, to: string): readonly Labelled[] | undefined {
    let fewest: readonly Labelled[] | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const requirement of selector.requirements) {
      if (!asksForValues(requirement)) continue;
      const labelled = requirement.values.flatMap(
        (value) => this.#paths.get(nameOf(requirement.key, value)) ?? [],
      );
      const count = labelled.reduce((sum, one) => sum + countOf(one, from, to), 0);
      if (count < least) [fewest, least] = [labelled, count];
    }
    return fewest;
  }

  #add(name: string, path: string): void {
    const there = this.#paths.get(name);
    if (there === undefined) this.#paths.set(name, path);
    else if (there instanceof SortedPaths) there.set(path);
    else if (there !== path) {
      const both = new SortedPaths<string>();
      both.set(there);
      both.set(path);
      this.#paths.set(name, both);
    }
  }

  /** Out of where it lay, but for where it lies now. @returns the labels by which it lies somewhere now. */
  #takeOut(path: string, replaced: KnownLabels, now: StringMap | undefined): StringMap | undefined {
    const before = this.#unread.has(path) ? this.#unread.get(path) : replaced;
    this.#unread.delete(path);
    if (before === UNREAD) {
      this.#left += 1;
      this.#isExact = false;
      return undefined;
    }
    for (const key in before) {
      const value = before[key];
      if (now?.[key] !== value) this.#take(nameOf(key, value), path);
    }
    return before;
  }

  #take(name: string, path: string): void {
    const there = this.#paths.get(name);
    if (there === path) this.#paths.delete(name);
    else if (there instanceof SortedPaths) {
      there.delete(path);
      if (there.size === 0) this.#paths.delete(name);
    }
  }
}

/** Whether an index can tell which objects a selector may select. */
export function isIndexed({ requirements }: LabelSelector): boolean {
  return requirements.some(asksForValues);
}

/** No key has the sign in it. */
function nameOf(key: string, value: string | undefined): string {
  return `${key}=${String(value)}`;
}

function asksForValues({ operator, values }: LabelRequirement): boolean {
  if (operator === '=' || operator === '==') return true;
  return operator === 'in' && values.length <= MERGED_MAX;
}

function countOf(labelled: Labelled, from: string, to: string): number {
  return labelled instanceof SortedPaths ? labelled.countBetween(from, to) : 1;
}

/** Each path once, in order. */
function* merged(all: readonly Labelled[], from: string, to: string): Generator<string> {
  const runs = all.map((one) => pathsOf(one, from, to));
  const heads = runs.map((run) => run.next());
  for (let last: string | undefined; ;) {
    let least: string | undefined;
    let at = 0;
    for (const [index, head] of heads.entries()) {
      if (head.done === true || (least !== undefined && head.value >= least)) continue;
      [least, at] = [head.value, index];
    }
    if (least === undefined) return;
    if (least !== last) yield least;
    last = least;
    heads[at] = runs[at]?.next() ?? { done: true, value: undefined };
  }
}

function* pathsOf(labelled: Labelled, from: string, to: string): Generator<string, undefined> {
  if (labelled instanceof SortedPaths) yield* labelled.between(from, to);
  else if (labelled >= from && labelled < to) yield labelled;
  return undefined;
}
