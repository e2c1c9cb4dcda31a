/**
 * The conditions under which a webhook is called, or a policy applies: all have to be true. One
 * that is false decides, whatever goes wrong with the others; what goes wrong otherwise is for the
 * failure policy.
 *
 * In Kubernetes: matcher.Match, apiserver/pkg/admission/plugin/webhook/matchconditions.
 */
import { BOOL } from '../../../api/cel/cel-type.ts';
import type { MatchCondition } from '../../../api/generated/kinds/admissionregistration-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { environmentOf } from '../../../api/kinds/admissionregistration/expression-environment.ts';
import type { AdmissionMeters, ConditionsOwner } from '../admission-meters.ts';
import {
  type AdmissionVariables,
  type CompiledExpression,
  compileExpression,
  evaluate,
} from './evaluation.ts';

export type MatchConditions = readonly CompiledExpression[];

/** Whether a request goes on (`Ignore`) where a webhook or policy could not decide. */
export type FailurePolicy = 'Fail' | 'Ignore';

/**
 * `error`: no condition was false, one could not be evaluated, and the failure policy is `Fail`.
 */
export type ConditionsResult = { readonly matches: boolean; readonly measured: Measured } & (
  | { readonly error?: undefined }
  | { readonly matches: false; readonly error: string }
);

/** For figures. */
interface Measured {
  /** How many conditions could not be evaluated. */
  readonly errors: number;
  readonly durationMs: number;
}

/** Units that all conditions of one webhook or binding may cost for a request. */
export const MATCH_CONDITIONS_COST_MAX = 2_500_000;

/** @param environment that of the policy; without, that of webhooks. */
export function compileConditions(
  conditions: readonly MatchCondition[] | undefined,
  environment = environmentOf(OF_WEBHOOKS),
): MatchConditions {
  return items(conditions).map(({ expression }) =>
    compileExpression(expression, environment, [BOOL]),
  );
}

const OF_WEBHOOKS = { hasParams: false, hasAuthorizer: true, hasPatchTypes: false };

export interface Meeting {
  readonly failurePolicy: FailurePolicy;
  /** Milliseconds from anywhere, with fractions. */
  readonly now: () => number;
}

/** Evaluates all conditions within one budget of cost, and stops at the first that is false. */
export function meetsConditions(
  conditions: MatchConditions,
  variables: AdmissionVariables,
  { failurePolicy, now }: Meeting,
): ConditionsResult {
  const begun = now();
  const errors: string[] = [];
  const budget = { remaining: MATCH_CONDITIONS_COST_MAX };
  let isMet = true;
  const end = (matches: boolean, problems: readonly string[]): ConditionsResult => {
    const measured = { errors: errors.length, durationMs: now() - begun };
    const isFailed = problems.length > 0 && failurePolicy === 'Fail';
    return isFailed
      ? { matches: false, measured, error: aggregated(problems) }
      : { matches: matches && problems.length === 0, measured };
  };
  for (const condition of conditions) {
    const evaluated = evaluate(condition, variables, budget);
    if (evaluated.ok) isMet &&= evaluated.value !== false;
    // Nothing of what was found out before counts then.
    else if (evaluated.isFinal) return end(false, [evaluated.message]);
    else errors.push(evaluated.message);
  }
  return isMet ? end(true, errors) : end(false, []);
}

/**
 * Tells the figures of conditions that did not all hold.
 *
 * In Kubernetes: matcher.Match, which tells of no others.
 */
export function noteConditions(
  { policies }: AdmissionMeters,
  owner: ConditionsOwner,
  { matches, measured }: ConditionsResult,
): void {
  if (!matches) policies.conditionsEvaluated(owner, measured.errors, measured.durationMs);
}

/** In Kubernetes: utilerrors.NewAggregate, which says each sentence once. */
function aggregated(errors: readonly string[]): string {
  const [first = '', ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}
