/**
 * A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, compiled: its variables, and everything
 * else of it in the environment that they give.
 *
 * In Kubernetes: compilePolicy, apiserver/pkg/admission/plugin/policy/{validating,mutating}, and
 * CompositedCompiler, plugin/cel.
 */
import { BOOL, type CelType, listOf, NULL, STRING } from '../../../api/cel/cel-type.ts';
import type { Environment } from '../../../api/cel/environment.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../../api/generated/kinds/admissionregistration-v1.ts';
import { items } from '../../../api/json/go-values.ts';
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

function policyExpressions(
  spec: MutatingAdmissionPolicySpec | ValidatingAdmissionPolicySpec,
): PolicyExpressions {
  const hasParams = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const variables = new Map<string, CompiledExpression>();
  const environment: PolicyExpressions['environment'] = ({
    hasAuthorizer,
    hasPatchTypes = false,
  }) => environmentOf({ hasParams, hasAuthorizer, hasPatchTypes, variables: types });
  for (const { name, expression } of items(spec.variables)) {
    const compiled = compileExpression(expression, environment({ hasAuthorizer: true }), undefined);
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
export function compileValidatingPolicy({
  metadata,
  spec,
}: ValidatingAdmissionPolicy): ValidatingPolicy {
  const { variables, environment } = policyExpressions(spec);
  const asking = environment({ hasAuthorizer: true });
  const plain = environment({ hasAuthorizer: false });
  return {
    name: metadata.name ?? '',
    match: compileMatch(spec.matchConstraints),
    failurePolicy: spec.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    paramKind: compileParamKind(spec.paramKind),
    conditions: compileConditions(spec.matchConditions, asking),
    variables,
    validations: items(spec.validations).map((one) => {
      const { expression, messageExpression: text = '', message = '', reason = '' } = one;
      return {
        expression: compileExpression(expression, asking, [BOOL]),
        messageExpression: text === '' ? undefined : compileExpression(text, plain, [STRING]),
        message,
        reason,
      };
    }),
    annotations: items(spec.auditAnnotations).map(({ key, valueExpression }) => ({
      key,
      expression: compileExpression(valueExpression, asking, [STRING, NULL]),
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
export function compileMutatingPolicy({ metadata, spec }: MutatingAdmissionPolicy): MutatingPolicy {
  const { variables, environment } = policyExpressions(spec);
  const patching = environment({ hasAuthorizer: true, hasPatchTypes: true });
  return {
    name: metadata.name ?? '',
    match: compileMatch(spec.matchConstraints),
    failurePolicy: spec.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    paramKind: compileParamKind(spec.paramKind),
    conditions: compileConditions(spec.matchConditions, environment({ hasAuthorizer: true })),
    variables,
    mutations: items(spec.mutations).map(
      ({ patchType, jsonPatch, applyConfiguration }): Mutation => {
        const isPatch = patchType === 'JSONPatch';
        const { expression = '' } = (isPatch ? jsonPatch : applyConfiguration) ?? {};
        const result = isPatch ? listOf(JSON_PATCH_TYPE) : OBJECT_TYPE;
        return {
          patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration',
          expression: compileExpression(expression, patching, [result]),
        };
      },
    ),
    isReinvoked: spec.reinvocationPolicy === 'IfNeeded',
  };
}
