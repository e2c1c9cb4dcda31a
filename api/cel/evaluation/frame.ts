/**
 * One evaluation: the variables, the variables of loops, and what has been spent. A compiled
 * expression is a function of a frame.
 *
 * In Kubernetes: interpreter.Activation and interpreter.CostTracker of cel-go.
 */
import type { CelValue } from '../value.ts';

export interface Frame {
  readonly variables: Variables;
  /** Of loops and accumulators, by the place that planning gave them. */
  readonly locals: (CelValue | undefined)[];
  /** Units of CEL's cost that were spent so far. */
  cost: number;
  /** The evaluation ends with an error when more is spent. */
  readonly costMax: number;
}

/** Values by the name that expressions use. */
export type Variables = ReadonlyMap<string, CelValue>;

/** A compiled expression: evaluates it in a frame. Errors are values, so it does not throw. */
export type Run = (frame: Frame) => CelValue;

/** Thrown out of an evaluation that costs more than it may; its beginner catches it. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** @throws {@link CostLimitExceeded} */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.costMax) throw new CostLimitExceeded();
}
