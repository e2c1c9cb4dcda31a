/**
 * Expressions of webhooks and policies: whether they are there.
 *
 * In Kubernetes: validateMatchConditions and validateVariable,
 * pkg/apis/admissionregistration/validation.
 */
import { stringAt, type JsonObject } from '../../../api/meta/json.ts';
import { qualifiedNameProblems } from '../../../api/meta/names.ts';
import {
  duplicateValue,
  invalidValue,
  required,
  tooMany,
  type FieldErrors,
} from '../../../api/schema/field-errors.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { repeatsIn } from '../repeats.ts';
import { requiredText } from '../text-validation.ts';

const CONDITIONS_MAX = 64;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);

export function validateMatchConditions(
  field: string,
  conditions: readonly JsonObject[],
): FieldErrors {
  const names = conditions.map((condition) => stringAt(condition, 'name'));
  const repeats = repeatsIn(names);
  return [
    ...(conditions.length > CONDITIONS_MAX
      ? [tooMany(field, conditions.length, CONDITIONS_MAX)]
      : []),
    ...conditions.flatMap((condition, index) => {
      const path = indexPath(field, index);
      const name = names[index] ?? '';
      return [
        ...(stringAt(condition, 'expression').trim() === ''
          ? [required(`${path}.expression`)]
          : []),
        ...requiredText(`${path}.name`, name, qualifiedNameProblems),
        ...(name !== '' && repeats[index] === true ? [duplicateValue(`${path}.name`, name)] : []),
      ];
    }),
  ];
}

export function validateVariable(field: string, variable: JsonObject): FieldErrors {
  const name = stringAt(variable, 'name');
  const isIdentifier = IDENTIFIER.test(name) && !RESERVED.has(name);
  return [
    ...(name.trim() === '' ? [required(`${field}.name`, 'name is not specified')] : []),
    ...(name.trim() === '' || isIdentifier
      ? []
      : [invalidValue(`${field}.name`, name, 'must be a valid CEL identifier')]),
    ...(stringAt(variable, 'expression').trim() === ''
      ? [required(`${field}.expression`, 'expression is not specified')]
      : []),
  ];
}
