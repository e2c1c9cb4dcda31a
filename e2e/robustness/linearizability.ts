/**
 * Is there an order of these operations, one after the other, that explains every answer and lets
 * none take effect before it was asked or after it was answered?
 *
 * The algorithm is Wing's and Gong's with Lowe's memory of configurations, as Porcupine has it:
 * the operation that was asked first is tried first, and a set of operations with a state that has failed
 * once is not tried again. An operation without an answer may take effect at any later time, or never.
 */
import { bitsFrom } from '../../tools/seeded-chance.fixture.ts';

export interface Model<State, Op> {
  readonly initial: State;
  /** The state that follows; undefined where the answer cannot be explained in this state. */
  step(state: State, operation: Op): State | undefined;
  /** Equal for two states if and only if they are alike. */
  keyOf(state: State): string;
  /**
   * Where answers say an order, as versions do: in every order that explains them this does not
   * fall. Undefined where the answer says nothing. It makes the search short and changes no verdict.
   */
  rankOf?(operation: Op): number | undefined;
}

export interface Timed<Op> {
  readonly operation: Op;
  readonly invoked: number;
  /** Infinity: never, so that it need not have taken effect. */
  readonly returned: number;
}

export type Linearizability<Op> =
  | { readonly kind: 'linearizable' }
  /** `longest` can be explained in this order; what comes next is among `stuck`, and cannot. */
  | { readonly kind: 'violated'; readonly longest: readonly Op[]; readonly stuck: readonly Op[] }
  /** More was tried than `stepsMax`. */
  | { readonly kind: 'exhausted' };

/** The invocation or the return of an operation that has an answer, in a list in order of time. */
interface Entry {
  readonly index: number;
  readonly time: number;
  /** Of an invocation: its return. Of a return: undefined. */
  readonly end: Entry | undefined;
  before: Entry | undefined;
  next: Entry | undefined;
}

/** What was decided to come next, and the state before. */
type Taken<State> =
  | { readonly entry: Entry; readonly before: State }
  /** The place among those without an answer. */
  | { readonly lost: number; readonly before: State };

const STEPS_MAX = 5_000_000;

export function checkLinearizable<State, Op>(
  model: Model<State, Op>,
  history: readonly Timed<Op>[],
  stepsMax = STEPS_MAX,
): Linearizability<Op> {
  return new Search(model, history).run(stepsMax);
}

class Search<State, Op> {
  readonly #model: Model<State, Op>;
  readonly #answered: readonly Timed<Op>[];
  /** Those without an answer, as they were asked. */
  readonly #lost: readonly Timed<Op>[];
  readonly #head: Entry;
  readonly #marks: readonly Mark[];
  readonly #ranks: readonly (number | undefined)[];
  readonly #order: readonly number[];
  readonly #memory = new Memory();
  readonly #taken: Taken<State>[] = [];
  #left: number;
  #rankedTaken = 0;
  #state: State;
  #mark: Mark = [0, 0, 0];
  #lostTaken = 0n;
  #longest: readonly Op[] = [];
  #stuck: readonly Op[] = [];

  constructor(model: Model<State, Op>, history: readonly Timed<Op>[]) {
    this.#model = model;
    this.#state = model.initial;
    this.#answered = history.filter(({ returned }) => returned !== Infinity);
    this.#lost = history
      .filter(({ returned }) => returned === Infinity)
      .sort((a, b) => a.invoked - b.invoked);
    this.#head = listOf(this.#answered);
    this.#marks = marks(this.#answered.length);
    this.#left = this.#answered.length;
    this.#ranks = this.#answered.map(({ operation }) => model.rankOf?.(operation));
    this.#order = this.#ranks.filter((rank) => rank !== undefined).sort((a, b) => a - b);
  }

  run(stepsMax: number): Linearizability<Op> {
    let entry = this.#head.next;
    let lost = 0;
    for (let steps = 0; this.#left > 0; steps += 1) {
      if (steps > stepsMax) return { kind: 'exhausted' };
      if (entry?.end !== undefined) {
        [entry, lost] = [this.#take(entry) ? this.#head.next : entry.next, 0];
      } else if (this.#isLostBefore(lost, entry?.time ?? Infinity)) {
        // Only when no answered one fits: fewer of them taken is never worse.
        [entry, lost] = this.#takeLost(lost) ? [this.#head.next, 0] : [entry, lost + 1];
      } else {
        this.#noteStuck();
        const undone = this.#undo();
        if (undone === undefined) {
          return { kind: 'violated', longest: this.#longest, stuck: this.#stuck };
        }
        [entry, lost] =
          'entry' in undone ? [undone.entry.next, 0] : [this.#firstReturn(), undone.lost + 1];
      }
    }
    return { kind: 'linearizable' };
  }

  /** Takes the operation as the next one, if it explains itself and leads to somewhere new. */
  #take(entry: Entry): boolean {
    const rank = this.#ranks[entry.index];
    if (rank !== undefined && rank !== this.#order[this.#rankedTaken]) return false;
    const before = this.#state;
    const state = this.#model.step(before, operationAt(this.#answered, entry.index));
    if (state === undefined) return false;
    const mark = mixed(this.#mark, this.#marks[entry.index]);
    if (!this.#memory.isNew(mark, this.#model.keyOf(state), this.#lostTaken)) return false;
    this.#taken.push({ entry, before });
    this.#state = state;
    this.#mark = mark;
    this.#left -= 1;
    if (rank !== undefined) this.#rankedTaken += 1;
    unlink(entry);
    if (entry.end !== undefined) unlink(entry.end);
    return true;
  }

  #isLostBefore(place: number, time: number): boolean {
    const lost = this.#lost[place];
    return lost !== undefined && lost.invoked <= time;
  }

  #takeLost(place: number): boolean {
    const bit = 1n << BigInt(place);
    if ((this.#lostTaken & bit) !== 0n) return false;
    const before = this.#state;
    const state = this.#model.step(before, operationAt(this.#lost, place));
    if (state === undefined) return false;
    const taken = this.#lostTaken | bit;
    if (this.#isAsGoodAlone(place, state)) return false;
    if (!this.#memory.isNew(this.#mark, this.#model.keyOf(state), taken)) return false;
    this.#taken.push({ lost: place, before });
    this.#state = state;
    this.#lostTaken = taken;
    return true;
  }

  /** Whether the unanswered operation before it makes no difference: without it is tried as well. */
  #isAsGoodAlone(place: number, state: State): boolean {
    const last = this.#taken.at(-1);
    if (last === undefined || 'entry' in last) return false;
    const alone = this.#model.step(last.before, operationAt(this.#lost, place));
    return alone !== undefined && this.#model.keyOf(alone) === this.#model.keyOf(state);
  }

  #undo(): Taken<State> | undefined {
    const last = this.#taken.pop();
    if (last === undefined) return undefined;
    this.#state = last.before;
    if ('lost' in last) {
      this.#lostTaken &= ~(1n << BigInt(last.lost));
      return last;
    }
    const { entry } = last;
    // In the reverse order: each remembers its neighbours of the moment it left.
    if (entry.end !== undefined) relink(entry.end);
    relink(entry);
    this.#mark = mixed(this.#mark, this.#marks[entry.index]);
    this.#left += 1;
    if (this.#ranks[entry.index] !== undefined) this.#rankedTaken -= 1;
    return last;
  }

  #firstReturn(): Entry | undefined {
    let entry = this.#head.next;
    while (entry?.end !== undefined) entry = entry.next;
    return entry;
  }

  #noteStuck(): void {
    if (this.#stuck.length > 0 && this.#taken.length <= this.#longest.length) return;
    this.#longest = this.#taken.map((taken) =>
      'entry' in taken
        ? operationAt(this.#answered, taken.entry.index)
        : operationAt(this.#lost, taken.lost),
    );
    const stuck: Op[] = [];
    for (let entry = this.#head.next; entry?.end !== undefined; entry = entry.next) {
      stuck.push(operationAt(this.#answered, entry.index));
    }
    this.#stuck = stuck;
  }
}

/**
 * Where the search has been. To be there again having taken the same unanswered operations or
 * more is no better: a search that has taken fewer can still take them.
 */
class Memory {
  readonly #seen = new Map<string, bigint[]>();

  isNew(mark: Mark, stateKey: string, lostTaken: bigint): boolean {
    const key = `${mark.join('.')} ${stateKey}`;
    const seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, [lostTaken]);
      return true;
    }
    if (seen.some((fewer) => (fewer & ~lostTaken) === 0n)) return false;
    seen.push(lostTaken);
    return true;
  }
}

function operationAt<Op>(history: readonly Timed<Op>[], index: number): Op {
  const timed = history[index];
  if (timed === undefined) throw new Error(`there is no operation ${String(index)}`);
  return timed.operation;
}

/** Invocations and returns in order of time, behind a head of no meaning. */
function listOf(history: readonly Timed<unknown>[]): Entry {
  const entries = history.flatMap(({ invoked, returned }, index) => {
    const end: Entry = {
      index,
      time: returned,
      end: undefined,
      before: undefined,
      next: undefined,
    };
    return [{ index, time: invoked, end, before: undefined, next: undefined }, end];
  });
  // What is asked in the moment in which another returns may have been first: when in doubt, yes.
  entries.sort(
    (a, b) => a.time - b.time || Number(a.end === undefined) - Number(b.end === undefined),
  );
  const head: Entry = { index: -1, time: 0, end: undefined, before: undefined, next: undefined };
  let last = head;
  for (const entry of entries) {
    last.next = entry;
    entry.before = last;
    last = entry;
  }
  return head;
}

function unlink(entry: Entry): void {
  if (entry.before !== undefined) entry.before.next = entry.next;
  if (entry.next !== undefined) entry.next.before = entry.before;
}

function relink(entry: Entry): void {
  if (entry.before !== undefined) entry.before.next = entry;
  if (entry.next !== undefined) entry.next.before = entry;
}

/** A set of operations as 96 bits: each has its own mark, and the set is all of them mixed. */
type Mark = readonly [number, number, number];

function mixed(a: Mark, b: Mark = [0, 0, 0]): Mark {
  return [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2]];
}

function marks(count: number): readonly Mark[] {
  const next = bitsFrom(0x2545f491);
  return Array.from({ length: count }, (): Mark => [next(), next(), next()]);
}
