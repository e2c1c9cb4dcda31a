/**
 * A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, compiled: its variables, and everything
 * else of it in the environment that they give.
 *
 * In Kubernetes: compilePolicy, apiserver/pkg/admission/plugin/policy/{validating,mutating}, and
 * CompositedCompiler, plugin/cel.
 */
import { BOOL, type CelType, listOf, NULL, STRING } from '../../../api/cel/cel-type.ts';
import type { Environment } from '../../../api/cel/environment.ts';
import {
  isJsonObject,
  itemsAt,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
} from '../../../api/json/json.ts';
import {
  environmentOf,
  JSON_PATCH_TYPE,
  OBJECT_TYPE,
  variableTypeOf,
} from '../../../api/kinds/admissionregistration/expression-environment.ts';
import {
  type CompiledExpression,
  compileExpression,
  type NamedExpressions,
} from '../expressions/evaluation.ts';
import {
  compileConditions,
  type FailurePolicy,
  type MatchConditions,
} from '../expressions/match-conditions.ts';
import { compileMatch } from '../matching/match-resources.ts';
import type { AnyPolicy } from './configured-policies.ts';
import { compileParamKind, type ParamKind } from './policy-parameters.ts';

interface PolicyExpressions {
  readonly variables: NamedExpressions;
  /** For expressions that may ask what the requester may do, and for those that may not. */
  readonly environment: (surroundings: {
    readonly hasAuthorizer: boolean;
    readonly hasPatchTypes?: boolean;
  }) => Environment;
}

function policyExpressions(spec: JsonObject | undefined): PolicyExpressions {
  const hasParams = isJsonObject(spec?.['paramKind']);
  const types = new Map<string, CelType>();
  const variables = new Map<string, CompiledExpression>();
  const environment: PolicyExpressions['environment'] = ({
    hasAuthorizer,
    hasPatchTypes = false,
  }) => environmentOf({ hasParams, hasAuthorizer, hasPatchTypes, variables: types });
  for (const variable of listAt(spec, 'variables').filter(isJsonObject)) {
    const name = stringAt(variable, 'name');
    const text = stringAt(variable, 'expression');
    const compiled = compileExpression(text, environment({ hasAuthorizer: true }), undefined);
    variables.set(name, compiled);
    types.set(name, variableTypeOf(compiled.ok ? compiled.program.resultType : undefined));
  }
  return { variables, environment };
}

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
