/**
 * Work on many rows, of which each turn of the event loop has some. What it is done to must not change meanwhile: callers put
 * off the changes of rows until it is done.
 */
import { othersTurn } from '../../../api/meta/others-turn.ts';

/** So many rows are looked at in one turn: a millisecond or two. */
export const TURN_ROWS = 4_096;
/** As many are sorted at once, which comes by each of them some ten times. */
const SORTED_AT_ONCE = 1_024;
const SORT_WEIGHT = 4;

/** Counts the rows of a turn. */
export class RowTurns {
  readonly #isStopped: () => boolean;
  #left = TURN_ROWS;

  /** @param isStopped asked in each new turn: whether the work is of no use any more. */
  constructor(isStopped: () => boolean) {
    this.#isStopped = isStopped;
  }

  /** Notes that some rows were looked at. @returns whether the turn is over by that. */
  isOver(rows = 1): boolean {
    this.#left -= rows;
    return this.#left <= 0;
  }

  /** Resolves in the next turn. @returns false where the work has to stop. */
  async next(): Promise<boolean> {
    await othersTurn();
    this.#left = TURN_ROWS;
    return !this.#isStopped();
  }

  /** Shows each row to `visit`, which tells how many others it costs as much as. @returns false when it was stopped. */
  async each<Row>(rows: Iterable<Row>, visit: (row: Row) => number): Promise<boolean> {
    for (const row of rows) {
      if (this.isOver(visit(row)) && !(await this.next())) return false;
    }
    return true;
  }

  /** As `toSorted` does it. @returns undefined when it was stopped. */
  async sorted<Row>(
    rows: readonly Row[],
    compare: (one: Row, other: Row) => number,
  ): Promise<Row[] | undefined> {
    let from: Row[] = [];
    for (let at = 0; at < rows.length; at += SORTED_AT_ONCE) {
      const run = rows.slice(at, at + SORTED_AT_ONCE).sort(compare);
      for (const row of run) from.push(row);
      if (this.isOver(run.length * SORT_WEIGHT) && !(await this.next())) return undefined;
    }
    for (let length = SORTED_AT_ONCE; length < rows.length; length *= 2) {
      const to: Row[] = [];
      for (let at = 0; at < rows.length; at += 2 * length) {
        const merge = { from, to, left: at, right: at + length, length, compare };
        if (!(await this.#merge(merge))) return undefined;
      }
      from = to;
    }
    return from;
  }

  async #merge<Row>({ from, to, left, right, length, compare }: Merge<Row>): Promise<boolean> {
    const [leftEnd, rightEnd] = [right, Math.min(from.length, right + length)];
    let [one, other] = [left, right];
    while (one < leftEnd || other < rightEnd) {
      const [first, second] = [from[one], from[other]];
      const isSecond =
        one >= leftEnd ||
        (other < rightEnd &&
          first !== undefined &&
          second !== undefined &&
          compare(second, first) < 0);
      const next = isSecond ? second : first;
      if (next === undefined) break;
      to.push(next);
      if (isSecond) other += 1;
      else one += 1;
      if (this.isOver() && !(await this.next())) return false;
    }
    return true;
  }
}

/** Two runs of `from` that lie beside each other. */
interface Merge<Row> {
  readonly from: readonly Row[];
  readonly to: Row[];
  readonly left: number;
  readonly right: number;
  /** Of each; the second may be shorter, or not there. */
  readonly length: number;
  readonly compare: (one: Row, other: Row) => number;
}
