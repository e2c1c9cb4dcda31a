/**
 * Metrics of v2 in the flatter form that v1 carries in its annotations.
 *
 * In Kubernetes: Convert_autoscaling_*MetricSource_To_v1_*MetricSource, pkg/apis/autoscaling/v1.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { changedMetric, optional, referenceAt, type MetricChanges } from './metric-forms.ts';

const SOURCES: MetricChanges = {
  object: objectSource,
  pods: podsSource,
  resource: resourceSource,
  containerResource: containerSource,
  external: externalSource,
};
const STATUSES: MetricChanges = {
  object: objectStatus,
  pods: podsStatus,
  resource: resourceStatus,
  containerResource: containerStatus,
  external: externalStatus,
};

export function metricToV1(metric: JsonObject): JsonObject {
  return changedMetric(metric, SOURCES);
}

export function metricStatusToV1(metric: JsonObject): JsonObject {
  return changedMetric(metric, STATUSES);
}

function objectSource(source: JsonObject): JsonObject {
  const target = objectAt(source, 'target');
  return {
    target: referenceAt(source, 'describedObject'),
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
    target: referenceAt(status, 'describedObject'),
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
