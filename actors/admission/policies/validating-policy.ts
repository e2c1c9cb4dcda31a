/**
 * A ValidatingAdmissionPolicy, compiled.
 *
 * In Kubernetes: compilePolicy, apiserver/pkg/admission/plugin/policy/validating.
 */
import { BOOL, NULL, STRING } from '../../../api/cel/cel-type.ts';
import { itemsAt, type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { compileExpression, type CompiledExpression } from '../expressions/compiled-expression.ts';
import {
  compileConditions,
  type FailurePolicy,
  type MatchConditions,
} from '../expressions/match-conditions.ts';
import { compileMatch } from '../matching/match-resources.ts';
import type { NamedExpressions } from '../expressions/admission-variables.ts';
import type { AnyPolicy } from './configured-policies.ts';
import { policyExpressions } from './policy-expressions.ts';
import { compileParamKind, type ParamKind } from './policy-parameters.ts';

export interface ValidatingPolicy extends AnyPolicy {
  readonly failurePolicy: FailurePolicy;
  readonly paramKind: ParamKind | undefined;
  readonly conditions: MatchConditions;
  readonly variables: NamedExpressions;
  readonly validations: readonly PolicyValidation[];
  readonly annotations: readonly AuditAnnotation[];
}

export interface PolicyValidation {
  readonly expression: CompiledExpression;
  /** undefined: there is none. */
  readonly messageExpression: CompiledExpression | undefined;
  readonly message: string;
  /** '' where it says none. */
  readonly reason: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly expression: CompiledExpression;
}

/** @param object as it is stored, and so valid. */
export function compileValidatingPolicy(object: JsonObject): ValidatingPolicy {
  const spec = objectAt(object, 'spec') ?? {};
  const { variables, environment } = policyExpressions(spec);
  const asking = environment({ hasAuthorizer: true });
  const plain = environment({ hasAuthorizer: false });
  return {
    name: stringAt(objectAt(object, 'metadata'), 'name'),
    match: compileMatch(objectAt(spec, 'matchConstraints') ?? {}),
    failurePolicy: stringAt(spec, 'failurePolicy') === 'Ignore' ? 'Ignore' : 'Fail',
    paramKind: compileParamKind(spec),
    conditions: compileConditions(spec, asking),
    variables,
    validations: itemsAt(spec, 'validations').map((one) => {
      const message = stringAt(one, 'messageExpression');
      return {
        expression: compileExpression(stringAt(one, 'expression'), asking, [BOOL]),
        messageExpression: message === '' ? undefined : compileExpression(message, plain, [STRING]),
        message: stringAt(one, 'message'),
        reason: stringAt(one, 'reason'),
      };
    }),
    annotations: itemsAt(spec, 'auditAnnotations').map((one) => ({
      key: stringAt(one, 'key'),
      expression: compileExpression(stringAt(one, 'valueExpression'), asking, [STRING, NULL]),
    })),
  };
}
