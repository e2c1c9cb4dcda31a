/**
 * From what to what something is estimated to cost, or how large it is; and what is known about the parts of
 * an expression whose cost is estimated. Counted as uint64, as far as that matters: what does not fit is as
 * large as it gets.
 *
 * In Kubernetes: CostEstimate, SizeEstimate, AstNode and CostEstimator, checker/cost.go of cel-go.
 */
import type { CelType } from '../cel-type.ts';
import type { Expression } from '../syntax/expression.ts';

export interface CostRange {
  /** At least so much, in units of CEL's cost or of size. */
  readonly min: number;
  /** At most so much. */
  readonly max: number;
}

/** The largest uint64, to which estimates are cut. */
export const UNBOUNDED = 2 ** 64;

/** Where no bound is known: from nothing to the largest uint64. */
export const UNKNOWN_RANGE: CostRange = { min: 0, max: UNBOUNDED };
export const NOTHING: CostRange = { min: 0, max: 0 };

/** The range of one value. */
export function exactly(value: number): CostRange {
  return { min: value, max: value };
}

/** The sum of both; bounds stop at the largest uint64. */
export function plus(one: CostRange, other: CostRange): CostRange {
  return { min: cut(one.min + other.min), max: cut(one.max + other.max) };
}

/** The product of both; bounds stop at the largest uint64. */
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

/** A part of an expression, as estimators of sizes and costs see it. */
export interface CostNode {
  /** From a variable on: names of fields, `@items`, `@keys`, `@values`, `@indices`. */
  readonly path: readonly string[];
  /** As the checker found it. */
  readonly type: CelType;
  /** undefined: an item of a list that no expression stands for. */
  readonly expression: Expression | undefined;
  /** What the expression itself says, as literals do. */
  readonly size: CostRange | undefined;
}

/**
 * What a function that the language does not know is estimated to cost, and how large its result
 * is.
 */
export interface CallEstimate {
  /** Of the call, without that of its arguments. */
  readonly cost: CostRange;
  /** Of the result; undefined: it is as large as its type may be. */
  readonly size?: CostRange;
}

/** One call whose cost is asked for, with the nodes of its target and arguments. */
export interface EstimatedCall {
  /** Of the function, or of the operator, as `_+_`. */
  readonly name: string;
  /** Which signature the checker chose. */
  readonly overloadId: string;
  /** What stands in front of the dot; undefined: the function is called by its name alone. */
  readonly target: CostNode | undefined;
  /** In order, without the target. */
  readonly args: readonly CostNode[];
}

/** What the world knows that the expression does not say. */
export interface CostKnowledge {
  /** How large the value at the path of a variable can be; undefined: that is not known. */
  sizeAt(path: readonly string[]): CostRange | undefined;
  /** undefined: the language knows best. */
  callCost(call: EstimatedCall): CallEstimate | undefined;
}

/**
 * Where in a schema a part of an expression is: a variable, and names of fields or `@items` behind
 * it. Paths that were made from one path share its memory, so the one that is made last is what
 * the others read: Go's slices do that, and estimates of costs depend on it. With two variables,
 * the index of a loop therefore often passes for the item.
 *
 * In Kubernetes: exprPaths of checker/cost.go of cel-go.
 */
export class ElementPath {
  readonly #memory: string[];
  readonly length: number;
  readonly #capacity: number;

  private constructor(memory: string[], length: number, capacity: number) {
    this.#memory = memory;
    this.length = length;
    this.#capacity = capacity;
  }

  static readonly none = new ElementPath([], 0, 0);

  static of(variable: string): ElementPath {
    return new ElementPath([variable], 1, 1);
  }

  /** One step further, in the same memory when there is room left. */
  append(step: string): ElementPath {
    const hasSpace = this.length < this.#capacity;
    const memory = hasSpace ? this.#memory : this.#memory.slice(0, this.length);
    memory[this.length] = step;
    const capacity = hasSpace ? this.#capacity : Math.max(1, this.#capacity * 2);
    return new ElementPath(memory, this.length + 1, capacity);
  }

  /** As it is now. */
  get steps(): readonly string[] {
    return this.#memory.slice(0, this.length);
  }
}
