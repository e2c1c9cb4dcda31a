/**
 * Evaluates expressions of webhooks and policies for a request, within what one evaluation and all
 * of them together may cost.
 *
 * In Kubernetes: evaluationActivation.Evaluate, apiserver/pkg/admission/plugin/cel.
 */
import { COST_PER_EXPRESSION_MAX } from '../../../api/cel/kubernetes-environment.ts';
import { isError, type CelValue } from '../../../api/cel/value.ts';
import type { AdmissionVariables } from './admission-variables.ts';
import type { CompiledExpression } from './compiled-expression.ts';

/** What expressions may still cost; below zero: nothing more is evaluated. */
export interface Budget {
  remaining: number;
}

export type Evaluated =
  | { readonly ok: true; readonly value: CelValue }
  /** `isFinal`: the budget is spent, and nothing more was evaluated. */
  | { readonly ok: false; readonly message: string; readonly isFinal: boolean };

export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

export function evaluate(
  expression: CompiledExpression,
  variables: AdmissionVariables,
  budget: Budget,
): Evaluated {
  if (!expression.ok) return failed(`compilation error: ${expression.message}`);
  const { value, cost } = expression.program.evaluate(variables.values, {
    costMax: COST_PER_EXPRESSION_MAX,
  });
  const whole = cost + variables.takeCost();
  if (whole > budget.remaining) {
    budget.remaining = -1;
    return { ok: false, message: OUT_OF_BUDGET, isFinal: true };
  }
  budget.remaining -= whole;
  if (!isError(value)) return { ok: true, value };
  return failed(`expression '${expression.text}' resulted in error: ${value.message}`);
}

function failed(message: string): Evaluated {
  return { ok: false, message, isFinal: false };
}
