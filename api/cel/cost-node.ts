/**
 * What is known about the parts of an expression whose cost is estimated.
 *
 * In Kubernetes: AstNode and CostEstimator, checker/cost.go of cel-go.
 */
import type { CelType } from './cel-type.ts';
import type { CostRange } from './cost-range.ts';
import type { Expression } from './expression.ts';

/** A part of an expression, as those see it who know sizes and costs. */
export interface CostNode {
  /** From a variable on: names of fields, `@items`, `@keys`, `@values`, `@indices`. */
  readonly path: readonly string[];
  readonly type: CelType;
  /** undefined: an item of a list that no expression stands for. */
  readonly expression: Expression | undefined;
  /** What the expression itself says, as literals do. */
  readonly size: CostRange | undefined;
}

export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange;
}

export interface EstimatedCall {
  readonly name: string;
  readonly overloadId: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
}

/** What the world knows that the expression does not say. */
export interface CostKnowledge {
  sizeAt(path: readonly string[]): CostRange | undefined;
  /** undefined: the language knows best. */
  callCost(call: EstimatedCall): CallEstimate | undefined;
}
