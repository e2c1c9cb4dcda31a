/**
 * Expressions of webhooks and policies: whether they are there, and whether they compile.
 *
 * In Kubernetes: validateMatchConditions and validateVariable,
 * pkg/apis/admissionregistration/validation.
 */
import type { MatchCondition, Variable } from '../../generated/kinds/admissionregistration-v1.ts';
import { BOOL, type CelType } from '../../cel/cel-type.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { flatMapItems, mapItems, remembered, stepped } from '../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  required,
  tooMany,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { checkExpression } from '../rules/expression-check.ts';
import { repeatsIn } from '../rules/value-validation.ts';
import { requiredText } from '../rules/text-validation.ts';
import { environmentOf, variableTypeOf, type Surroundings } from './expression-environment.ts';

/** To compile one takes some microseconds at the least. */
export const EXPRESSION_STEPS = 20;

const CONDITIONS_MAX = 64;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);

/** The conditions under which a webhook or a policy is asked: booleans, each with a name. */
export function validateMatchConditions(
  field: string,
  conditions: readonly MatchCondition[],
  hasParams = false,
): FieldErrors {
  const names = mapItems(conditions, (condition) => condition.name);
  const repeats = remembered(() => repeatsIn(names));
  return [
    ...(conditions.length > CONDITIONS_MAX
      ? [tooMany(field, conditions.length, CONDITIONS_MAX)]
      : []),
    ...flatMapItems(conditions, (condition, index) => {
      stepped(EXPRESSION_STEPS);
      const path = indexPath(field, index);
      const name = names[index] ?? '';
      return [
        ...validateCondition(`${path}.expression`, condition, hasParams),
        ...requiredText(`${path}.name`, name, qualifiedNameProblems),
        ...(name !== '' && repeats[index] === true ? [duplicateValue(`${path}.name`, name)] : []),
      ];
    }),
  ];
}

function validateCondition(
  field: string,
  condition: MatchCondition,
  hasParams: boolean,
): FieldErrors {
  const expression = condition.expression.trim();
  if (expression === '') return [required(field)];
  const environment = environmentOf({ hasParams, hasAuthorizer: true, hasPatchTypes: false });
  return checkExpression(field, expression, { environment, results: [BOOL] }).errors;
}

/** The variables of a policy, each of which may use those before it. */
export interface CheckedVariables {
  readonly errors: FieldErrors;
  readonly types: ReadonlyMap<string, CelType>;
}

/** `surroundings` is what the first of them can speak of. */
export function validateVariables(
  field: string,
  variables: readonly Variable[],
  surroundings: Omit<Surroundings, 'variables'>,
): CheckedVariables {
  const types = remembered(() => new Map<string, CelType>());
  const errors = flatMapItems(variables, ({ name, expression }, index) => {
    stepped(EXPRESSION_STEPS);
    const path = indexPath(field, index);
    if (expression.trim() === '') {
      const missing = required(`${path}.expression`, 'expression is not specified');
      return [...validateVariableName(`${path}.name`, name), missing];
    }
    const environment = environmentOf({ ...surroundings, variables: types });
    const checked = checkExpression(`${path}.expression`, expression, {
      environment,
      results: undefined,
    });
    types.set(name, variableTypeOf(checked.type));
    return [...validateVariableName(`${path}.name`, name), ...checked.errors];
  });
  return { errors, types };
}

function validateVariableName(field: string, name: string): FieldErrors {
  if (name.trim() === '') return [required(field, 'name is not specified')];
  if (IDENTIFIER.test(name) && !RESERVED.has(name)) return [];
  return [invalidValue(field, name, 'must be a valid CEL identifier')];
}
