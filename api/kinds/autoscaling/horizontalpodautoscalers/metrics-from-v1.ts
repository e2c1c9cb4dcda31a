/**
 * Metrics out of v1's annotations, in the form of v2. The type of a target is not carried: it
 * follows from which of its values are there.
 *
 * In Kubernetes: Convert_v1_*MetricSource_To_autoscaling_*MetricSource, pkg/apis/autoscaling/v1.
 */
import { stringAt, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { nanosOf } from '../../rules/amount.ts';
import { isMissing } from '../../rules/value-validation.ts';
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

export function metricFromV1(metric: JsonObject): JsonObject {
  return changedMetric(metric, SOURCES);
}

export function metricStatusFromV1(metric: JsonObject): JsonObject {
  return changedMetric(metric, STATUSES);
}

function objectSource(source: JsonObject): JsonObject {
  const { averageValue, targetValue } = source;
  const value = amountOf(targetValue);
  // v1 cannot leave the value out: next to an average, zero stands for none.
  const isNone = !isMissing(averageValue) && isZero(value);
  return {
    describedObject: referenceAt(source, 'target'),
    target: {
      type: isMissing(averageValue) ? 'Value' : 'AverageValue',
      ...(isNone ? {} : { value }),
      ...optional('averageValue', averageValue),
    },
    metric: metricOf(source, 'selector'),
  };
}

function podsSource(source: JsonObject): JsonObject {
  return {
    metric: metricOf(source, 'selector'),
    target: { type: 'AverageValue', averageValue: amountOf(source['targetAverageValue']) },
  };
}

function resourceSource(source: JsonObject): JsonObject {
  const { targetAverageUtilization: utilization, targetAverageValue: averageValue } = source;
  return {
    name: stringAt(source, 'name'),
    target: {
      type: isMissing(utilization) ? 'AverageValue' : 'Utilization',
      ...optional('averageValue', averageValue),
      ...optional('averageUtilization', utilization),
    },
  };
}

function containerSource(source: JsonObject): JsonObject {
  return { ...resourceSource(source), container: stringAt(source, 'container') };
}

function externalSource(source: JsonObject): JsonObject {
  const { targetValue, targetAverageValue } = source;
  return {
    metric: metricOf(source, 'metricSelector'),
    target: {
      type: isMissing(targetValue) ? 'AverageValue' : 'Value',
      ...optional('value', targetValue),
      ...optional('averageValue', targetAverageValue),
    },
  };
}

function objectStatus(status: JsonObject): JsonObject {
  return {
    metric: metricOf(status, 'selector'),
    current: {
      value: amountOf(status['currentValue']),
      ...optional('averageValue', status['averageValue']),
    },
    describedObject: referenceAt(status, 'target'),
  };
}

function podsStatus(status: JsonObject): JsonObject {
  return {
    metric: metricOf(status, 'selector'),
    current: { averageValue: amountOf(status['currentAverageValue']) },
  };
}

function resourceStatus(status: JsonObject): JsonObject {
  return {
    name: stringAt(status, 'name'),
    current: {
      averageValue: amountOf(status['currentAverageValue']),
      ...optional('averageUtilization', status['currentAverageUtilization']),
    },
  };
}

function containerStatus(status: JsonObject): JsonObject {
  return { ...resourceStatus(status), container: stringAt(status, 'container') };
}

function externalStatus(status: JsonObject): JsonObject {
  return {
    metric: metricOf(status, 'metricSelector'),
    current: {
      value: amountOf(status['currentValue']),
      ...optional('averageValue', status['currentAverageValue']),
    },
  };
}

function metricOf(source: JsonObject, selectorKey: string): JsonObject {
  return { name: stringAt(source, 'metricName'), ...optional('selector', source[selectorKey]) };
}

function amountOf(value: JsonValue | undefined): JsonValue {
  return isMissing(value) || value === undefined ? '0' : value;
}

function isZero(value: JsonValue): boolean {
  return nanosOf(value) === 0n;
}
