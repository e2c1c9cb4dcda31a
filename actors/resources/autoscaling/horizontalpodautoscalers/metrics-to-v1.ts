/**
 * Metrics of v2 in the flatter form that v1 carries in its annotations.
 *
 * In Kubernetes: Convert_autoscaling_*MetricSource_To_v1_*MetricSource, pkg/apis/autoscaling/v1.
 */
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../../../../api/meta/json.ts';
import { isMissing } from '../../value-validation.ts';

type Change = (source: JsonObject) => JsonObject;

/** In Go's order; a metric has one of these, named by its type. */
const SOURCES: readonly (readonly [string, Change])[] = [
  ['object', objectSource],
  ['pods', podsSource],
  ['resource', resourceSource],
  ['containerResource', containerSource],
  ['external', externalSource],
];
const STATUSES: readonly (readonly [string, Change])[] = [
  ['object', objectStatus],
  ['pods', podsStatus],
  ['resource', resourceStatus],
  ['containerResource', containerStatus],
  ['external', externalStatus],
];

export function metricToV1(metric: JsonObject): JsonObject {
  return changed(metric, SOURCES);
}

export function metricStatusToV1(metric: JsonObject): JsonObject {
  return changed(metric, STATUSES);
}

function changed(metric: JsonObject, changes: typeof SOURCES): JsonObject {
  const result: JsonObject = { type: stringAt(metric, 'type') };
  for (const [key, change] of changes) {
    const source = objectAt(metric, key);
    if (source !== undefined) result[key] = change(source);
  }
  return result;
}

function objectSource(source: JsonObject): JsonObject {
  const target = objectAt(source, 'target');
  return {
    target: referenceOf(source),
    ...metricName(source),
    targetValue: target?.['value'] ?? '0',
    ...optional('selector', objectAt(source, 'metric')?.['selector']),
    ...optional('averageValue', target?.['averageValue']),
  };
}

function podsSource(source: JsonObject): JsonObject {
  return {
    ...metricName(source),
    targetAverageValue: objectAt(source, 'target')?.['averageValue'] ?? '0',
    ...optional('selector', objectAt(source, 'metric')?.['selector']),
  };
}

function resourceSource(source: JsonObject): JsonObject {
  const target = objectAt(source, 'target');
  return {
    name: stringAt(source, 'name'),
    ...optional('targetAverageUtilization', target?.['averageUtilization']),
    ...optional('targetAverageValue', target?.['averageValue']),
  };
}

function containerSource(source: JsonObject): JsonObject {
  return { ...resourceSource(source), container: stringAt(source, 'container') };
}

function externalSource(source: JsonObject): JsonObject {
  const target = objectAt(source, 'target');
  return {
    ...metricName(source),
    ...optional('metricSelector', objectAt(source, 'metric')?.['selector']),
    ...optional('targetValue', target?.['value']),
    ...optional('targetAverageValue', target?.['averageValue']),
  };
}

function objectStatus(status: JsonObject): JsonObject {
  const current = objectAt(status, 'current');
  return {
    target: referenceOf(status),
    ...metricName(status),
    currentValue: current?.['value'] ?? '0',
    ...optional('selector', objectAt(status, 'metric')?.['selector']),
    ...optional('averageValue', current?.['averageValue']),
  };
}

function podsStatus(status: JsonObject): JsonObject {
  return {
    ...metricName(status),
    currentAverageValue: objectAt(status, 'current')?.['averageValue'] ?? '0',
    ...optional('selector', objectAt(status, 'metric')?.['selector']),
  };
}

function resourceStatus(status: JsonObject): JsonObject {
  const current = objectAt(status, 'current');
  return {
    name: stringAt(status, 'name'),
    ...optional('currentAverageUtilization', current?.['averageUtilization']),
    currentAverageValue: current?.['averageValue'] ?? '0',
  };
}

function containerStatus(status: JsonObject): JsonObject {
  return { ...resourceStatus(status), container: stringAt(status, 'container') };
}

function externalStatus(status: JsonObject): JsonObject {
  const current = objectAt(status, 'current');
  return {
    ...metricName(status),
    ...optional('metricSelector', objectAt(status, 'metric')?.['selector']),
    currentValue: current?.['value'] ?? '0',
    ...optional('currentAverageValue', current?.['averageValue']),
  };
}

function metricName(source: JsonObject): JsonObject {
  return { metricName: stringAt(objectAt(source, 'metric'), 'name') };
}

function referenceOf(source: JsonObject): JsonObject {
  const described = objectAt(source, 'describedObject');
  const apiVersion = stringAt(described, 'apiVersion');
  return {
    kind: stringAt(described, 'kind'),
    name: stringAt(described, 'name'),
    ...(apiVersion === '' ? {} : { apiVersion }),
  };
}

function optional(key: string, value: JsonValue | undefined): JsonObject {
  return isMissing(value) ? {} : { [key]: value };
}
