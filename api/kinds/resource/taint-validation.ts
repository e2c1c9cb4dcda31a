/**
 * Taints of devices, tolerations of them, and the conditions that a device must meet before a pod is
 * bound.
 *
 * In Kubernetes: pkg/apis/resource/validation.
 */
import { items } from '../../json/go-values.ts';
import type { DeviceTaint, Device, DeviceToleration } from '../../generated/kinds/resource-v1.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor, repeatsIn } from '../rules/value-validation.ts';
import { validateList } from './list-validation.ts';

const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const OPERATORS = ['Equal', 'Exists'];
const CONDITIONS_MAX = 4;

/** A taint needs an effect, which may stay what it was in `old`; its value may be empty. */
export function validateTaint(
  field: string,
  { key, value = '', effect }: DeviceTaint,
  old?: DeviceTaint,
): FieldErrors {
  const isNew = old?.effect !== effect;
  return [
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...invalidFor(`${field}.value`, value, labelValueProblems(value)),
    ...(isNew && effect === '' ? [required(`${field}.effect`)] : []),
    ...(isNew ? validateEffect(`${field}.effect`, effect) : []),
  ];
}

/** Without a key, or without an effect, a toleration is about all of them. */
export function validateToleration(field: string, toleration: DeviceToleration): FieldErrors {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  return [
    ...(key === '' ? [] : invalidFor(`${field}.key`, key, qualifiedNameProblems(key))),
    ...validateOperator(field, operator, value),
    ...validateEffect(`${field}.effect`, effect),
  ];
}

/** The conditions that say that the device is ready, and those that say that it will never be. */
export function validateBindingConditions(
  field: string,
  device: Pick<Device, 'bindingConditions' | 'bindingFailureConditions'>,
): FieldErrors {
  const conditions = items(device.bindingConditions);
  const failures = items(device.bindingFailureConditions);
  const ready = `${field}.bindingConditions`;
  const failed = `${field}.bindingFailureConditions`;
  const known = new Set(conditions);
  const repeats = repeatsIn(failures);
  const overlap = 'bindingFailureConditions must not overlap with bindingConditions';
  const noReady = 'bindingConditions are required to use bindingFailureConditions';
  const noFailed = 'bindingFailureConditions are required to use bindingConditions';
  return [
    ...validateList(ready, conditions, CONDITIONS_MAX, validateName),
    ...validateList(failed, failures, CONDITIONS_MAX, validateName),
    ...repeatsIn(conditions).flatMap((isRepeated, index) =>
      isRepeated ? [duplicateValue(indexPath(ready, index), conditions[index])] : [],
    ),
    ...failures.flatMap((name, index) => [
      ...(repeats[index] === true ? [duplicateValue(indexPath(failed, index), name)] : []),
      ...(known.has(name) ? [invalidValue(indexPath(failed, index), name, overlap)] : []),
    ]),
    ...(conditions.length === 0 && failures.length > 0 ? [invalidValue(ready, null, noReady)] : []),
    ...(failures.length === 0 && conditions.length > 0
      ? [invalidValue(failed, null, noFailed)]
      : []),
  ];
}

function validateName(field: string, name: string): FieldErrors {
  return invalidFor(field, name, qualifiedNameProblems(name));
}

function validateOperator(field: string, operator: string, value: string): FieldErrors {
  switch (operator) {
    case 'Exists':
      return value === ''
        ? []
        : [invalidValue(`${field}.value`, value, 'must be empty for operator `Exists`')];
    case 'Equal':
      return invalidFor(`${field}.value`, value, labelValueProblems(value));
    case '':
      return [required(`${field}.operator`)];
    default:
      return [notSupported(`${field}.operator`, operator, OPERATORS)];
  }
}

function validateEffect(field: string, effect: string): FieldErrors {
  return effect === '' || EFFECTS.includes(effect) ? [] : [notSupported(field, effect, EFFECTS)];
}
