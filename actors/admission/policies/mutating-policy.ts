/**
 * A MutatingAdmissionPolicy, compiled.
 *
 * In Kubernetes: compilePolicy, apiserver/pkg/admission/plugin/policy/mutating.
 */
import { listOf } from '../../../api/cel/cel-type.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import {
  JSON_PATCH_TYPE,
  OBJECT_TYPE,
} from '../../../api/kinds/admissionregistration/expression-environment.ts';
import type { NamedExpressions } from '../expressions/admission-variables.ts';
import { compileExpression, type CompiledExpression } from '../expressions/compiled-expression.ts';
import {
  compileConditions,
  type FailurePolicy,
  type MatchConditions,
} from '../expressions/match-conditions.ts';
import { compileMatch } from '../matching/match-resources.ts';
import type { AnyPolicy } from './configured-policies.ts';
import { policyExpressions } from './policy-expressions.ts';
import { compileParamKind, type ParamKind } from './policy-parameters.ts';

export interface MutatingPolicy extends AnyPolicy {
  readonly failurePolicy: FailurePolicy;
  readonly paramKind: ParamKind | undefined;
  readonly conditions: MatchConditions;
  readonly variables: NamedExpressions;
  readonly mutations: readonly Mutation[];
  readonly isReinvoked: boolean;
}

export interface Mutation {
  readonly patchType: 'JSONPatch' | 'ApplyConfiguration';
  readonly expression: CompiledExpression;
}

/** @param object as it is stored, and so valid. */
export function compileMutatingPolicy(object: JsonObject): MutatingPolicy {
  const spec = objectAt(object, 'spec') ?? {};
  const { variables, environment } = policyExpressions(spec);
  const patching = environment({ hasAuthorizer: true, hasPatchTypes: true });
  return {
    name: stringAt(objectAt(object, 'metadata'), 'name'),
    match: compileMatch(objectAt(spec, 'matchConstraints') ?? {}),
    failurePolicy: stringAt(spec, 'failurePolicy') === 'Ignore' ? 'Ignore' : 'Fail',
    paramKind: compileParamKind(spec),
    conditions: compileConditions(spec, environment({ hasAuthorizer: true })),
    variables,
    mutations: listAt(spec, 'mutations')
      .filter(isJsonObject)
      .map((mutation): Mutation => {
        const isPatch = stringAt(mutation, 'patchType') === 'JSONPatch';
        const part = objectAt(mutation, isPatch ? 'jsonPatch' : 'applyConfiguration');
        const result = isPatch ? listOf(JSON_PATCH_TYPE) : OBJECT_TYPE;
        return {
          patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration',
          expression: compileExpression(stringAt(part, 'expression'), patching, [result]),
        };
      }),
    isReinvoked: stringAt(spec, 'reinvocationPolicy') === 'IfNeeded',
  };
}
