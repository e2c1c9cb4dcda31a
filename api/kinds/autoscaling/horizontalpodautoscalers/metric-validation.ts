/**
 * What an autoscaler measures. Of several sources in one metric only the first is looked into.
 *
 * In Kubernetes: validateMetricSpec, pkg/apis/autoscaling/validation.
 */
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import { dns1123LabelProblems, pathSegmentProblems } from '../../../meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { nanosOf } from '../../rules/amount.ts';
import { validateContainerResourceName } from '../../rules/resource-names.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { validateReference, type GroupRule } from './reference-validation.ts';

const SOURCE_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const SOURCE_CHECKS: Readonly<Record<string, SourceCheck>> = {
  object: validateObjectSource,
  external: validateExternalSource,
  pods: validatePodsSource,
  resource: validateResourceSource,
  containerResource: validateContainerSource,
};
const NEITHER = 'must set either a target raw value or a target utilization';
const BOTH = 'may not set both a target raw value and a target utilization';

type SourceCheck = (field: string, source: JsonObject, rule: GroupRule) => FieldErrors;

/** `rule` is for the object that is measured. */
export function validateMetric(field: string, metric: JsonObject, rule: GroupRule): FieldErrors {
  const type = stringAt(metric, 'type');
  const isKnown = SOURCE_TYPES.includes(type);
  const unknown = isKnown ? [] : [notSupported(`${field}.type`, type, SOURCE_TYPES)];
  const expected = isKnown ? `${type.slice(0, 1).toLowerCase()}${type.slice(1)}` : '';
  const present = Object.entries(SOURCE_CHECKS).flatMap(([key, check]) => {
    const source = metric[key];
    return isJsonObject(source) ? [{ key, source, check }] : [];
  });
  const first = present.slice(0, 1);
  const others = present.length > 1 ? present.filter(({ key }) => key !== expected) : [];
  const nothing = 'must populate information for the given metric source';
  return [
    ...(type === '' ? [required(`${field}.type`, 'must specify a metric source type')] : []),
    ...unknown,
    ...first.flatMap(({ key, source, check }) => check(`${field}.${key}`, source, rule)),
    ...(isKnown && !isJsonObject(metric[expected])
      ? [required(`${field}.${expected}`, nothing)]
      : []),
    // Upstream says it before and after it has looked at the sources.
    ...unknown,
    ...others.map(({ key }) =>
      forbiddenField(`${field}.${key}`, 'must populate the given metric source only'),
    ),
  ];
}

function validateObjectSource(field: string, source: JsonObject, rule: GroupRule): FieldErrors {
  const target = targetOf(source);
  const detail = 'must set either a target value or averageValue';
  return [
    ...validateReference(
      `${field}.describedObject`,
      objectAt(source, 'describedObject') ?? {},
      rule,
    ),
    ...validateIdentifierAndTarget(field, source),
    ...(isMissing(target['value']) && isMissing(target['averageValue'])
      ? [required(`${field}.target.averageValue`, detail)]
      : []),
  ];
}

function validateExternalSource(field: string, source: JsonObject): FieldErrors {
  const target = targetOf(source);
  const [hasValue, hasAverage] = [!isMissing(target['value']), !isMissing(target['averageValue'])];
  const neither = 'must set either a target value for metric or a per-pod target';
  const both = 'may not set both a target value for metric and a per-pod target';
  return [
    ...validateIdentifierAndTarget(field, source),
    ...(hasValue || hasAverage ? [] : [required(`${field}.target.averageValue`, neither)]),
    ...(hasValue && hasAverage ? [forbiddenField(`${field}.target.value`, both)] : []),
  ];
}

function validatePodsSource(field: string, source: JsonObject): FieldErrors {
  return [
    ...validateIdentifierAndTarget(field, source),
    ...(isMissing(targetOf(source)['averageValue'])
      ? [required(`${field}.target.averageValue`, 'must specify a positive target averageValue')]
      : []),
  ];
}

function validateResourceSource(field: string, source: JsonObject): FieldErrors {
  return [
    ...(stringAt(source, 'name') === ''
      ? [required(`${field}.name`, 'must specify a resource name')]
      : []),
    ...validateUtilization(field, source),
  ];
}

function validateContainerSource(field: string, source: JsonObject): FieldErrors {
  const name = stringAt(source, 'name');
  const container = stringAt(source, 'container');
  return [
    ...(name === ''
      ? [required(`${field}.name`, 'must specify a resource name')]
      : validateContainerResourceName(`${field}.name`, name)),
    ...(container === ''
      ? [required(`${field}.container`, 'must specify a container')]
      : invalidFor(`${field}.container`, container, dns1123LabelProblems(container))),
    ...validateUtilization(field, source),
  ];
}

function validateUtilization(field: string, source: JsonObject): FieldErrors {
  const target = targetOf(source);
  const hasShare = !isMissing(target['averageUtilization']);
  const hasValue = !isMissing(target['averageValue']);
  return [
    ...validateTarget(`${field}.target`, target),
    ...(hasShare || hasValue ? [] : [required(`${field}.target.averageUtilization`, NEITHER)]),
    ...(hasShare && hasValue ? [forbiddenField(`${field}.target.averageValue`, BOTH)] : []),
  ];
}

function validateIdentifierAndTarget(field: string, source: JsonObject): FieldErrors {
  const name = stringAt(objectAt(source, 'metric'), 'name');
  return [
    ...(name === ''
      ? [required(`${field}.metric.name`, 'must specify a metric name')]
      : invalidFor(`${field}.metric.name`, name, pathSegmentProblems(name))),
    ...validateTarget(`${field}.target`, targetOf(source)),
  ];
}

function targetOf(source: JsonObject): JsonObject {
  return objectAt(source, 'target') ?? {};
}

function validateTarget(field: string, target: JsonObject): FieldErrors {
  const type = stringAt(target, 'type');
  const share = numberAt(target, 'averageUtilization');
  const unknown = 'must be either Utilization, Value, or AverageValue';
  return [
    ...(type === '' ? [required(`${field}.type`, 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.includes(type) ? [] : [invalidValue(`${field}.type`, type, unknown)]),
    ...validatePositive(`${field}.value`, target['value']),
    ...validatePositive(`${field}.averageValue`, target['averageValue']),
    ...(share !== undefined && share < 1
      ? [invalidValue(`${field}.averageUtilization`, share, 'must be greater than 0')]
      : []),
  ];
}

function validatePositive(field: string, amount: JsonObject[string]): FieldErrors {
  if (isMissing(amount) || nanosOf(amount) > 0n) return [];
  return [invalidValue(field, amount, 'must be positive')];
}
