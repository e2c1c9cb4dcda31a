/** Which taints of nodes a pod bears. In Kubernetes: ValidateTolerations, pkg/apis/core/validation. */
import type { Toleration } from '../../../generated/kinds/core-v1.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../../meta/names.ts';
import { parseInt64 } from '../../../json/go-numbers.ts';
import { flatMapItems } from '../../../json/work-in-slices.ts';
import { goQuote } from '../../../json/go-format.ts';
import { type FieldErrors, invalidValue, notSupported } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { isComparison } from '../pod-rules.ts';

/** In the order in which messages list them. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const OPERATORS = ['Equal', 'Exists'];
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** `allowsComparison`: the operators Lt and Gt may be used. */
export function validateTolerations(
  field: string,
  tolerations: readonly Toleration[],
  allowsComparison: boolean,
): FieldErrors {
  return flatMapItems(tolerations, (toleration, index) => {
    const path = indexPath(field, index);
    const key = toleration.key ?? '';
    const effect = toleration.effect ?? '';
    return [
      ...(key === '' ? [] : invalidFor(`${path}.key`, key, qualifiedNameProblems(key))),
      ...validateScope(path, toleration),
      ...validateOperator(path, toleration, allowsComparison),
      ...(effect === '' || TAINT_EFFECTS.includes(effect)
        ? []
        : [notSupported(`${path}.effect`, effect, TAINT_EFFECTS)]),
    ];
  });
}

function validateScope(field: string, toleration: Toleration): FieldErrors {
  const operator = toleration.operator ?? '';
  const effect = toleration.effect ?? '';
  const isForAll = (toleration.key ?? '') === '';
  const isTimed = !isMissing(toleration.tolerationSeconds);
  const all =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const timed = "effect must be 'NoExecute' when `tolerationSeconds` is set";
  return [
    ...(isForAll && operator !== 'Exists'
      ? [invalidValue(`${field}.operator`, operator, all)]
      : []),
    ...(isTimed && effect !== 'NoExecute' ? [invalidValue(`${field}.effect`, effect, timed)] : []),
  ];
}

function validateOperator(
  field: string,
  toleration: Toleration,
  allowsComparison: boolean,
): FieldErrors {
  const operator = toleration.operator ?? '';
  const value = toleration.value ?? '';
  const path = `${field}.operator`;
  if (operator === '' || operator === 'Equal') {
    const problems = labelValueProblems(value);
    return problems.length === 0 ? [] : [invalidValue(path, value, problems.join(';'))];
  }
  if (operator === 'Exists') {
    const detail = "value must be empty when `operator` is 'Exists'";
    return value === '' ? [] : [invalidValue(path, value, detail)];
  }
  if (!isComparison(operator)) return [notSupported(path, operator, OPERATORS)];
  return allowsComparison
    ? validateInteger(`${field}.value`, value)
    : [notSupported(path, operator, [...OPERATORS, 'Lt', 'Gt'])];
}

/** As Go reads a number of 64 bits. */
function validateInteger(field: string, value: string): FieldErrors {
  const problems =
    value === '' ? 'must be non-empty' : 'must be a valid decimal integer in canonical form';
  const number = parseInt64(value);
  return [
    ...(INTEGER.test(value) ? [] : [invalidValue(field, value, problems)]),
    ...(typeof number === 'string'
      ? [invalidValue(field, value, `strconv.ParseInt: parsing ${goQuote(value)}: ${number}`)]
      : []),
  ];
}
