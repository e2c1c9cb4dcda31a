/**
 * From what to what something is estimated to cost, or how large it is. Counted as uint64, as far
 * as that matters: what does not fit is as large as it gets.
 *
 * In Kubernetes: CostEstimate and SizeEstimate, checker/cost.go of cel-go.
 */

export interface CostRange {
  readonly min: number;
  readonly max: number;
}

/** The largest uint64, to which estimates are cut. */
export const UNBOUNDED = 2 ** 64;

export const UNKNOWN_RANGE: CostRange = { min: 0, max: UNBOUNDED };
export const NOTHING: CostRange = { min: 0, max: 0 };

export function exactly(value: number): CostRange {
  return { min: value, max: value };
}

export function plus(one: CostRange, other: CostRange): CostRange {
  return { min: cut(one.min + other.min), max: cut(one.max + other.max) };
}

export function times(one: CostRange, other: CostRange): CostRange {
  return { min: cut(one.min * other.min), max: cut(one.max * other.max) };
}

/** Rounded up. */
export function scaled({ min, max }: CostRange, factor: number): CostRange {
  return { min: cut(Math.ceil(min * factor)), max: cut(Math.ceil(max * factor)) };
}

/** Both of them. */
export function union(one: CostRange, other: CostRange): CostRange {
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

function cut(value: number): number {
  return Math.min(value, UNBOUNDED);
}
