/**
 * Strict serializability of everything at once, with the log as the witness: every operation has
 * its place in the log's order, and one that was answered before another was asked has the earlier one.
 *
 * A write's place is its record. A read, a refusal or a list at latest may stand wherever what it
 * was told was true, so each is given the earliest place that those before it leave: if there is
 * any order at all, this finds one. In contrast to the search per object it costs next to nothing,
 * and sees what happens between objects.
 */
import type { History, Operation, Request, Watch } from './history.ts';
import { type Change, lastChange, type LogTruth, placeOf } from './log-truth.ts';
import { describe, type Violation } from './violation.ts';

interface Finished {
  readonly returned: number;
  readonly place: number;
  readonly who: () => string;
}

interface Begun {
  readonly invoked: number;
  /** The first place at or behind `least`, undefined when there is none. */
  readonly placeFrom: (least: number) => number | undefined;
  readonly returned: number;
  readonly who: () => string;
}

export function checkSerialOrder(history: History, truth: LogTruth): Violation[] {
  const begun = [
    ...history.operations.flatMap((operation) => begunOf(operation, truth)),
    ...history.watches.flatMap(begunByWatch),
  ].sort((a, b) => a.invoked - b.invoked);
  // In order of their returns, to be told of as time goes on; it is filled while it is read.
  const finished = new Sooner();
  for (const watch of history.watches)
    for (const shown of finishedByWatch(watch)) finished.add(shown);

  const future = new Future(history.operations, truth);
  const violations: Violation[] = [];
  let least: Finished = { returned: 0, place: 0, who: () => 'the beginning' };
  for (const { invoked, placeFrom, returned, who } of begun) {
    for (const one of finished.before(invoked)) if (one.place > least.place) least = one;
    const place = placeFrom(least.place);
    // A place behind what was only asked for later would be a look into the future.
    if (place !== undefined && place < future.firstAfter(returned)) {
      finished.add({ returned, place, who });
      continue;
    }
    const what = `${who()}\n  has no place from ${String(least.place)} on, which was told before by\n  ${least.who()}`;
    violations.push({ promise: 'Strictly serializable', what });
  }
  return violations;
}

/** The earliest place of all that was asked for after a moment. */
class Future {
  readonly #moments: readonly number[];
  readonly #first: readonly number[];

  constructor(operations: readonly Operation[], truth: LogTruth) {
    const writes = operations
      .flatMap(({ id, invoked }) =>
        truth.ofOperation(id).map(({ version }) => ({ invoked, version })),
      )
      .sort((a, b) => b.invoked - a.invoked);
    let first = Infinity;
    const firsts = writes.map(({ version }) => (first = Math.min(first, version)));
    this.#moments = writes.map(({ invoked }) => invoked).reverse();
    this.#first = firsts.reverse();
  }

  firstAfter(moment: number): number {
    let [from, to] = [0, this.#moments.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#moments[middle] ?? 0) <= moment) from = middle + 1;
      else to = middle;
    }
    return this.#first[from] ?? Infinity;
  }
}

/** Where one operation may stand; nothing for what says nothing of the present. */
function begunOf(operation: Operation, truth: LogTruth): Begun[] {
  const placeFrom = placesOf(operation, truth);
  if (placeFrom === undefined) return [];
  const { invoked, returned } = operation;
  return [{ invoked, placeFrom, returned: returned ?? Infinity, who: () => describe(operation) }];
}

type PlaceFrom = Begun['placeFrom'];

function placesOf(operation: Operation, truth: LogTruth): PlaceFrom | undefined {
  const { id, request, outcome, status, object, list } = operation;
  if (request.kind === 'list') {
    const version = request.moment === '' ? list?.versions[0] : undefined;
    return version === undefined ? undefined : (least) => (version >= least ? version : undefined);
  }
  const [change] = truth.ofOperation(id);
  // A write needs a place of its own: what was told before it happened was not told of it.
  if (change !== undefined) return (least) => (change.version > least ? change.version : undefined);
  if (outcome === 'unknown' || outcome === 'unsent' || request.path === '') return undefined;
  if (request.kind === 'get' && request.moment !== '') return undefined;
  const history = truth.historyOf(request.resource, request.path);
  if (outcome === 'ok') {
    return (
      object && ((least) => firstPlace(history, least, (now) => now?.version === object.version))
    );
  }
  const isRight = refusalHolds(request, status);
  return isRight && ((least) => firstPlace(history, least, isRight));
}

/** Where a refusal is right, decided on the object as it is, undefined: it is not there. */
export function refusalHolds(
  request: Request,
  status: number,
): ((now: Change | undefined) => boolean) | undefined {
  if (status === 404) return (now) => now === undefined;
  if (request.kind === 'create') return status === 409 ? (now) => now !== undefined : undefined;
  if (request.kind === 'get' || request.kind === 'list') return undefined;
  if (status === 422) {
    const test = request.kind === 'patch' ? request.test : undefined;
    return test && ((now) => now !== undefined && now.object.data[test.field] !== test.value);
  }
  const { version } = request;
  const uid = request.kind === 'patch' ? undefined : request.uid;
  const isOther = (now: Change): boolean =>
    (version !== undefined && now.version !== version) ||
    (uid !== undefined && now.object.uid !== uid);
  return status === 409 ? (now) => now !== undefined && isOther(now) : undefined;
}

/** The first place from `least` on where `holds` does, of one object's history. */
export function firstPlace(
  history: readonly Change[],
  least: number,
  holds: (now: Change | undefined) => boolean,
): number | undefined {
  if (holds(present(lastChange(history, least)))) return least;
  for (let next = placeOf(history, least) + 1; next < history.length; next += 1) {
    const change = history[next];
    if (change !== undefined && holds(present(change))) return change.version;
  }
  return undefined;
}

function present(change: Change | undefined): Change | undefined {
  return change?.type === 'deleted' ? undefined : change;
}

/** The state that a watch began with, when it asked for the newest. */
function begunByWatch(watch: Watch): Begun[] {
  const { start, opened, shown } = watch;
  if (start.kind !== 'initial' || start.moment !== '') return [];
  const end = shown.find(({ isInitialEnd }) => isInitialEnd === true);
  if (end === undefined) return [];
  const placeFrom: PlaceFrom = (least) => (end.version >= least ? end.version : undefined);
  const who = (): string => `the initial state of watch ${watch.watch}, at ${String(end.version)}`;
  return [{ invoked: opened, returned: end.at, placeFrom, who }];
}

/** What a watch has shown has happened, for all later reads. */
function finishedByWatch({ watch, shown }: Watch): Finished[] {
  return shown
    .filter(({ type }) => type !== 'ERROR')
    .map(({ version, at, type, path }) => {
      const who = (): string =>
        `watch ${watch} at ${at.toFixed(3)} ms: ${type} ${path}@${String(version)}`;
      return { returned: at, place: version, who };
    });
}

/** A heap of what has finished, the soonest first. */
class Sooner {
  readonly #heap: Finished[] = [];

  add(one: Finished): void {
    if (one.returned === Infinity) return;
    this.#heap.push(one);
    for (let at = this.#heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (this.#time(parent) <= this.#time(at)) return;
      this.#swap(parent, at);
      at = parent;
    }
  }

  /** Takes out what had returned before a moment. */
  *before(moment: number): Generator<Finished> {
    for (
      let [first] = this.#heap;
      first !== undefined && first.returned < moment;
      [first] = this.#heap
    ) {
      yield first;
      const last = this.#heap.pop();
      if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    }
  }

  #sink(last: Finished): void {
    this.#heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const sooner = this.#time(left + 1) < this.#time(left) ? left + 1 : left;
      if (this.#time(sooner) >= this.#time(at)) return;
      this.#swap(sooner, at);
      at = sooner;
    }
  }

  #time(at: number): number {
    return this.#heap[at]?.returned ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
