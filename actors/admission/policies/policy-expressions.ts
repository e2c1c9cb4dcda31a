/**
 * The expressions of a policy: its variables, and the environment in which everything else of it
 * is compiled.
 *
 * In Kubernetes: CompositedCompiler, apiserver/pkg/admission/plugin/cel.
 */
import type { CelType } from '../../../api/cel/cel-type.ts';
import type { Environment } from '../../../api/cel/environment.ts';
import { isJsonObject, listAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import {
  environmentOf,
  variableTypeOf,
} from '../../../api/kinds/admissionregistration/expression-environment.ts';
import type { NamedExpressions } from '../expressions/admission-variables.ts';
import { compileExpression, type CompiledExpression } from '../expressions/compiled-expression.ts';

export interface PolicyExpressions {
  readonly variables: NamedExpressions;
  /** For expressions that may ask what the requester may do, and for those that may not. */
  readonly environment: (surroundings: {
    readonly hasAuthorizer: boolean;
    readonly hasPatchTypes?: boolean;
  }) => Environment;
}

export function policyExpressions(spec: JsonObject | undefined): PolicyExpressions {
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
