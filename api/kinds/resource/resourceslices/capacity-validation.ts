/**
 * How much a device has of something, and in which portions the claims that share it may ask for it.
 *
 * In Kubernetes: validateRequestPolicy, pkg/apis/resource/validation.
 */
import { items, type Quantity } from '../../../json/go-values.ts';
import type {
  DeviceCapacity,
  CapacityRequestPolicyRange,
} from '../../../generated/kinds/resource-v1.ts';
import { addQuantities, compareQuantities } from '../../../meta/quantity.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { compareAmounts, quantityAt, wholeOf } from '../../rules/resource-names.ts';
import { validateSet } from '../list-validation.ts';

const OPTIONS_MAX = 10;

type Amount = Quantity | null | undefined;

/** `isShared`: several claims may have parts of the device. */
export function validateCapacity(
  field: string,
  { requestPolicy: policy, value: whole }: DeviceCapacity,
  isShared: boolean,
): FieldErrors {
  const path = `${field}.requestPolicy`;
  if (policy === undefined) return [];
  if (!isShared) return [forbiddenField(path, 'allowMultipleAllocations must be true')];
  const values = items(policy.validValues);
  const { validRange: range, default: usual } = policy;
  if (values.length > 0 && range !== undefined) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the ' +
      'same time';
    return [forbiddenField(path, detail)];
  }
  const key = values.length > 0 ? 'validValues' : 'validRange';
  if (values.length === 0 && range === undefined) return [];
  if (usual === null) {
    return [required(`${path}.default`, `required when ${key} is defined`)];
  }
  const amounts = { usual, whole };
  return values.length > 0
    ? validateOptions(`${path}.validValues`, values, amounts)
    : validateRange(`${path}.validRange`, range ?? {}, amounts);
}

interface Amounts {
  /** What a claim is given that does not say how much. */
  readonly usual: Amount;
  /** All there is. */
  readonly whole: Amount;
}

function validateOptions(
  field: string,
  options: readonly Amount[],
  { usual, whole }: Amounts,
): FieldErrors {
  const unsorted = options.flatMap((option, index) => {
    const next = options[index + 1];
    if (index + 1 === options.length || compareAmounts(option, next) <= 0) return [];
    const detail = 'values must be sorted in ascending order';
    return [invalidValue(indexPath(field, index + 1), next, detail)];
  });
  const isOption =
    options.length <= OPTIONS_MAX && options.some((one) => compareAmounts(one, usual) === 0);
  const noOption = 'default value is not valid according to the requestPolicy';
  return [
    ...unsorted,
    ...validateSet(field, options, {
      itemsMax: OPTIONS_MAX,
      keyOf: (option) => String(wholeOf(quantityAt(option))),
      check: (path, option) =>
        compareAmounts(option, whole) > 0
          ? [invalidValue(path, option, `option is larger than capacity value: ${shown(whole)}`)]
          : [],
    }),
    ...(isOption ? [] : [invalidValue(field, usual, noOption)]),
  ];
}

function validateRange(
  field: string,
  range: CapacityRequestPolicyRange,
  amounts: Amounts,
): FieldErrors {
  const { usual, whole } = amounts;
  const { min, max, step } = range;
  if (min === undefined) {
    return [required(`${field}.min`, 'required when validRange is defined')];
  }
  const isMore = (a: Amount, b: Amount): boolean => compareAmounts(a, b) > 0;
  const beyond = `is larger than capacity value: ${shown(whole)}`;
  const hasMax = max !== undefined;
  const [minField, maxField] = [`${field}.min`, `${field}.max`];
  return [
    ...(isMore(min, whole) ? [invalidValue(minField, min, `min ${beyond}`)] : []),
    ...(isMore(min, usual)
      ? [invalidValue(minField, usual, `default is less than min: ${shown(min)}`)]
      : []),
    ...(hasMax && isMore(min, max)
      ? [invalidValue(maxField, min, `min is larger than max: ${shown(max)}`)]
      : []),
    ...(hasMax && isMore(max, whole) ? [invalidValue(maxField, max, `max ${beyond}`)] : []),
    ...(hasMax && isMore(usual, max)
      ? [invalidValue(maxField, usual, `default is more than max: ${shown(max)}`)]
      : []),
    ...(step === undefined ? [] : validateStep(`${field}.step`, range, amounts)),
  ];
}

function validateStep(
  field: string,
  { min, max, step }: CapacityRequestPolicyRange,
  amounts: Amounts,
): FieldErrors {
  const { usual, whole } = amounts;
  const sum = addQuantities(quantityAt(min), quantityAt(step));
  const isTooFar = compareQuantities(sum, quantityAt(whole)) > 0;
  const detail = `one step ${sum.text} is larger than capacity value: ${shown(whole)}`;
  return [
    ...(isTooFar ? [invalidValue(field, step, detail)] : []),
    ...[usual, max].flatMap((value) =>
      (value ?? undefined) === undefined || isReached(value, min, step)
        ? []
        : [
            invalidValue(
              field,
              value,
              `value is not a multiple of a given step (${shown(step)}) from (${shown(min)})`,
            ),
          ],
    ),
  ];
}

/** Whether some steps from `min` lead to `value`. A step of nothing leads nowhere. */
function isReached(value: Amount, min: Amount, step: Amount): boolean {
  const size = wholeOf(quantityAt(step));
  const distance = wholeOf(quantityAt(value)) - wholeOf(quantityAt(min));
  return size === 0n ? distance === 0n : distance % size === 0n;
}

function shown(amount: Amount): string {
  return quantityAt(amount).text;
}
