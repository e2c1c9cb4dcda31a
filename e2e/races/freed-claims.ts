/**
 * Whether what one service gave back could be had at the next version: a client that was refused a port
 * or an address because it is taken was told so of a moment at which it was taken.
 *
 * A refusal is of a moment between two writes: the last one that was answered before it was asked, and
 * the first one that was asked after it was answered. The log says at which versions those stand.
 */
import type { Told } from './told-log.ts';

/** What a client did, with what it was told. */
export interface Attempt {
  /** Of all attempts of the run: how many had begun or ended before this one began, and before it ended. */
  readonly began: number;
  readonly ended: number;
  readonly auditID: string;
  /** The claim that it was refused as taken, as a key of the log; undefined: something else came of it. */
  readonly refused: string | undefined;
  /** It was refused because no address is left. */
  readonly isFull?: boolean;
}

/** How many claims of a prefix there can be. */
export interface ClaimRange {
  readonly prefix: string;
  readonly size: number;
}

interface Held {
  readonly from: number;
  /** Infinity: it is held still. */
  readonly to: number;
}

/** Which refusals name no moment; keys of claims begin with one of `claims`. */
export class FreedClaims {
  readonly #held = new Map<string, Held[]>();
  readonly #versions = new Map<string, number>();
  readonly #claims: readonly string[];

  constructor(claims: readonly string[]) {
    this.#claims = claims;
  }

  /** The next record that took effect. */
  add({ key, type, version, auditID }: Told): void {
    this.#versions.set(auditID, Math.max(version, this.#versions.get(auditID) ?? 0));
    if (!this.#claims.some((claim) => key.startsWith(claim))) return;
    const held = this.#held.get(key) ?? [];
    const last = held.at(-1);
    if (type === 'deleted' && last !== undefined) held[held.length - 1] = { ...last, to: version };
    else if (last === undefined || last.to < version)
      held.push({ from: version, to: Number.POSITIVE_INFINITY });
    this.#held.set(key, held);
  }

  /** Refusals as full while, with all that other attempts may have been about to take, one was left; in words. */
  fullViolations(attempts: readonly Attempt[], { prefix, size }: ClaimRange): string[] {
    const windowOf = this.#windows(attempts);
    const ranges = [...this.#held].filter(([key]) => key.startsWith(prefix));
    const begun = countedBelow(attempts.map(({ began }) => began));
    const over = countedBelow(attempts.map(({ ended }) => ended));
    return attempts.flatMap((one) => {
      if (one.isFull !== true) return [];
      const { from, to } = windowOf(one);
      const held = ranges.filter(([, of]) => meets(of, from, to)).length;
      const beside = begun(one.ended) - over(one.began) - 1;
      if (held + beside >= size) return [];
      const moment = `between ${String(from)} and ${String(to)}`;
      return [`refused as full, and ${String(held)} of ${String(size)} were held ${moment}`];
    });
  }

  /** Refusals as taken of what was free; in words. */
  violations(attempts: readonly Attempt[]): string[] {
    const windowOf = this.#windows(attempts);
    return attempts.flatMap((one) => {
      const { refused } = one;
      if (refused === undefined) return [];
      const { from, to } = windowOf(one);
      const isTrue = meets(this.#held.get(refused) ?? [], from, to);
      const moment = `between ${String(from)} and ${String(to)}`;
      return isTrue ? [] : [`refused as taken, and free ${moment}: ${refused}`];
    });
  }

  /** Between which versions an attempt looked at the objects. */
  #windows(attempts: readonly Attempt[]): (of: Attempt) => { from: number; to: number } {
    const writes = attempts.flatMap((one) => {
      const version = this.#versions.get(one.auditID);
      return version === undefined ? [] : [{ ...one, version }];
    });
    const byEnd = [...writes].sort((one, other) => one.ended - other.ended);
    const byBegin = [...writes].sort((one, other) => other.began - one.began);
    const before = running(
      byEnd.map(({ ended, version }) => [ended, version]),
      Math.max,
    );
    const after = running(
      byBegin.map(({ began, version }) => [-began, version]),
      Math.min,
    );
    return ({ began, ended }) => ({
      from: before(began) ?? 0,
      to: after(-ended) ?? Number.POSITIVE_INFINITY,
    });
  }
}

/** Whether it was held at a moment between these versions. @param held one after the other. */
function meets(held: readonly Held[], from: number, to: number): boolean {
  const next = held[firstWhere(held.length, (at) => (held[at]?.to ?? 0) > from)];
  return next !== undefined && next.from < to;
}

/** How many of the values lie below one. */
function countedBelow(values: readonly number[]): (one: number) => number {
  const sorted = values.toSorted((one, other) => one - other);
  return (one) => firstWhere(sorted.length, (at) => (sorted[at] ?? 0) >= one);
}

/** The first place at which something holds that holds at all behind it; `length`: none. */
function firstWhere(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Of values that stand in order of their place: what those in front of a place come to. */
function running(
  values: readonly (readonly [place: number, value: number])[],
  fold: (one: number, other: number) => number,
): (place: number) => number | undefined {
  const folded: (readonly [number, number])[] = [];
  for (const [place, value] of values) {
    folded.push([place, fold(value, folded.at(-1)?.[1] ?? value)]);
  }
  return (place) => {
    const end = firstWhere(folded.length, (at) => (folded[at]?.[0] ?? 0) >= place);
    return folded[end - 1]?.[1];
  };
}
