/**
 * The conditions under which a webhook is called, or a policy applies: all have to be true. One
 * that is false decides, whatever goes wrong with the others; what goes wrong otherwise is for the
 * failure policy.
 *
 * In Kubernetes: matcher.Match, apiserver/pkg/admission/plugin/webhook/matchconditions.
 */
import { BOOL } from '../../../api/cel/cel-type.ts';
import { isJsonObject, listAt, stringAt, type JsonObject } from '../../../api/meta/json.ts';
import { environmentOf } from '../../resources/admissionregistration/expression-environment.ts';
import type { AdmissionVariables } from './admission-variables.ts';
import { compileExpression, type CompiledExpression } from './compiled-expression.ts';
import { evaluate } from './evaluation.ts';

export type MatchConditions = readonly CompiledExpression[];

export type FailurePolicy = 'Fail' | 'Ignore';

export type ConditionsResult =
  | { readonly matches: boolean; readonly error?: undefined }
  | { readonly matches: false; readonly error: string };

/** Units that all conditions of one webhook or binding may cost for a request. */
export const MATCH_CONDITIONS_COST_MAX = 2_500_000;

/** @param environment that of the policy; without, that of webhooks. */
export function compileConditions(
  parent: JsonObject,
  environment = environmentOf(OF_WEBHOOKS),
): MatchConditions {
  return listAt(parent, 'matchConditions')
    .filter(isJsonObject)
    .map((one) => compileExpression(stringAt(one, 'expression'), environment, [BOOL]));
}

const OF_WEBHOOKS = { hasParams: false, hasAuthorizer: true, hasPatchTypes: false };

export function meetsConditions(
  conditions: MatchConditions,
  variables: AdmissionVariables,
  failurePolicy: FailurePolicy,
): ConditionsResult {
  const errors: string[] = [];
  const budget = { remaining: MATCH_CONDITIONS_COST_MAX };
  let isMet = true;
  for (const condition of conditions) {
    const evaluated = evaluate(condition, variables, budget);
    if (evaluated.ok) isMet &&= evaluated.value !== false;
    // Nothing of what was found out before counts then.
    else if (evaluated.isFinal) return failed([evaluated.message], failurePolicy);
    else errors.push(evaluated.message);
  }
  if (!isMet) return { matches: false };
  return errors.length === 0 ? { matches: true } : failed(errors, failurePolicy);
}

function failed(errors: readonly string[], failurePolicy: FailurePolicy): ConditionsResult {
  if (failurePolicy === 'Ignore') return { matches: false };
  return { matches: false, error: aggregated(errors) };
}

/** In Kubernetes: utilerrors.NewAggregate, which says each sentence once. */
function aggregated(errors: readonly string[]): string {
  const [first = '', ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}
