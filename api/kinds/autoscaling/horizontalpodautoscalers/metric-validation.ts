/**
 * What an autoscaler measures, and its references to objects. Of several sources in one metric only
 * the first is looked into.
 *
 * In Kubernetes: validateMetricSpec and ValidateCrossVersionObjectReference,
 * pkg/apis/autoscaling/validation.
 */
import { requiredSegment } from '../../rules/text-validation.ts';
import type { Quantity } from '../../../json/go-values.ts';
import type {
  MetricSpec,
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../../generated/kinds/autoscaling-v2.ts';
import { dns1123LabelProblems, pathSegmentProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { nanosOf, validateContainerResourceName } from '../../rules/resource-names.ts';
import { invalidFor } from '../../rules/value-validation.ts';

const SOURCE_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const NEITHER = 'must set either a target raw value or a target utilization';
const BOTH = 'may not set both a target raw value and a target utilization';

/** What is demanded of the group of a reference: nothing, that it is no nonsense, or that it is there. */
export type GroupRule = 'any' | 'optional' | 'required';

interface SourceCheck {
  readonly key: string;
  readonly errorsAt: (field: string) => FieldErrors;
}

/** `rule` is for the object that is measured. */
export function validateMetric(field: string, metric: MetricSpec, rule: GroupRule): FieldErrors {
  const { type } = metric;
  const isKnown = SOURCE_TYPES.includes(type);
  const unknown = isKnown ? [] : [notSupported(`${field}.type`, type, SOURCE_TYPES)];
  const expected = isKnown ? `${type.slice(0, 1).toLowerCase()}${type.slice(1)}` : '';
  const present = sourceChecksOf(metric, rule);
  const first = present.slice(0, 1);
  const others = present.length > 1 ? present.filter(({ key }) => key !== expected) : [];
  const nothing = 'must populate information for the given metric source';
  return [
    ...(type === '' ? [required(`${field}.type`, 'must specify a metric source type')] : []),
    ...unknown,
    ...first.flatMap(({ key, errorsAt }) => errorsAt(`${field}.${key}`)),
    ...(isKnown && !present.some(({ key }) => key === expected)
      ? [required(`${field}.${expected}`, nothing)]
      : []),
    // Upstream says it before and after it has looked at the sources.
    ...unknown,
    ...others.map(({ key }) =>
      forbiddenField(`${field}.${key}`, 'must populate the given metric source only'),
    ),
  ];
}

/** The sources that are there, in the order in which upstream looks at them. */
function sourceChecksOf(metric: MetricSpec, rule: GroupRule): SourceCheck[] {
  const { object, external, pods, resource, containerResource } = metric;
  return [
    ...checkOf('object', object, (field, source) => validateObjectSource(field, source, rule)),
    ...checkOf('external', external, validateExternalSource),
    ...checkOf('pods', pods, validatePodsSource),
    ...checkOf('resource', resource, validateResourceSource),
    ...checkOf('containerResource', containerResource, validateContainerSource),
  ];
}

function checkOf<Source>(
  key: string,
  source: Source | undefined,
  check: (field: string, source: Source) => FieldErrors,
): SourceCheck[] {
  return source === undefined ? [] : [{ key, errorsAt: (field) => check(field, source) }];
}

function validateObjectSource(
  field: string,
  source: ObjectMetricSource,
  rule: GroupRule,
): FieldErrors {
  const { value, averageValue } = source.target;
  const detail = 'must set either a target value or averageValue';
  return [
    ...validateReference(`${field}.describedObject`, source.describedObject, rule),
    ...validateIdentifierAndTarget(field, source),
    ...(value === undefined && averageValue === undefined
      ? [required(`${field}.target.averageValue`, detail)]
      : []),
  ];
}

function validateExternalSource(field: string, source: ExternalMetricSource): FieldErrors {
  const { value, averageValue } = source.target;
  const [hasValue, hasAverage] = [value !== undefined, averageValue !== undefined];
  const neither = 'must set either a target value for metric or a per-pod target';
  const both = 'may not set both a target value for metric and a per-pod target';
  return [
    ...validateIdentifierAndTarget(field, source),
    ...(hasValue || hasAverage ? [] : [required(`${field}.target.averageValue`, neither)]),
    ...(hasValue && hasAverage ? [forbiddenField(`${field}.target.value`, both)] : []),
  ];
}

function validatePodsSource(field: string, source: PodsMetricSource): FieldErrors {
  return [
    ...validateIdentifierAndTarget(field, source),
    ...(source.target.averageValue === undefined
      ? [required(`${field}.target.averageValue`, 'must specify a positive target averageValue')]
      : []),
  ];
}

function validateResourceSource(field: string, source: ResourceMetricSource): FieldErrors {
  return [
    ...(source.name === '' ? [required(`${field}.name`, 'must specify a resource name')] : []),
    ...validateUtilization(field, source.target),
  ];
}

function validateContainerSource(
  field: string,
  { name, container, target }: ContainerResourceMetricSource,
): FieldErrors {
  return [
    ...(name === ''
      ? [required(`${field}.name`, 'must specify a resource name')]
      : validateContainerResourceName(`${field}.name`, name)),
    ...(container === ''
      ? [required(`${field}.container`, 'must specify a container')]
      : invalidFor(`${field}.container`, container, dns1123LabelProblems(container))),
    ...validateUtilization(field, target),
  ];
}

function validateUtilization(field: string, target: MetricTarget): FieldErrors {
  const hasShare = target.averageUtilization !== undefined;
  const hasValue = target.averageValue !== undefined;
  return [
    ...validateTarget(`${field}.target`, target),
    ...(hasShare || hasValue ? [] : [required(`${field}.target.averageUtilization`, NEITHER)]),
    ...(hasShare && hasValue ? [forbiddenField(`${field}.target.averageValue`, BOTH)] : []),
  ];
}

function validateIdentifierAndTarget(
  field: string,
  { metric: { name }, target }: PodsMetricSource,
): FieldErrors {
  return [
    ...(name === ''
      ? [required(`${field}.metric.name`, 'must specify a metric name')]
      : invalidFor(`${field}.metric.name`, name, pathSegmentProblems(name))),
    ...validateTarget(`${field}.target`, target),
  ];
}

function validateTarget(field: string, target: MetricTarget): FieldErrors {
  const { type, averageUtilization: share } = target;
  const unknown = 'must be either Utilization, Value, or AverageValue';
  return [
    ...(type === '' ? [required(`${field}.type`, 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.includes(type) ? [] : [invalidValue(`${field}.type`, type, unknown)]),
    ...validatePositive(`${field}.value`, target.value),
    ...validatePositive(`${field}.averageValue`, target.averageValue),
    ...(share !== undefined && share < 1
      ? [invalidValue(`${field}.averageUtilization`, share, 'must be greater than 0')]
      : []),
  ];
}

function validatePositive(field: string, amount: Quantity | undefined): FieldErrors {
  if (amount === undefined || nanosOf(amount) > 0n) return [];
  return [invalidValue(field, amount, 'must be positive')];
}

/** A reference to the object that is scaled, or to one that is measured. */
export function validateReference(
  field: string,
  { kind, name, apiVersion = '' }: CrossVersionObjectReference,
  rule: GroupRule,
): FieldErrors {
  const problem = versionProblem(apiVersion, rule);
  return [
    ...requiredSegment(`${field}.kind`, kind),
    ...requiredSegment(`${field}.name`, name),
    ...(problem === undefined ? [] : [invalidValue(`${field}.apiVersion`, apiVersion, problem)]),
  ];
}

/** undefined when there is none. */
export function versionProblem(apiVersion: string, rule: GroupRule): string | undefined {
  if (rule === 'any') return undefined;
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) return `unexpected GroupVersion string: ${apiVersion}`;
  const isGroupless = slashes === 0 || apiVersion.startsWith('/');
  if (!isGroupless || rule === 'optional') return undefined;
  return 'apiVersion must specify API group';
}
