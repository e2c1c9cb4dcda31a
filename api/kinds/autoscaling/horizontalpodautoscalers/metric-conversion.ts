/**
 * Metrics between v2 and the flatter form that v1 carries in its annotations. v1 does not carry the
 * type of a target: it follows from which of its values are there.
 *
 * In Kubernetes: Convert_autoscaling_*Metric{Source,Status}_To_v1_* and Convert_v1_*_To_autoscaling_*,
 * pkg/apis/autoscaling/v1.
 */
import type * as v1 from '../../../generated/kinds/autoscaling-v1.ts';
import type * as v2 from '../../../generated/kinds/autoscaling-v2.ts';
import type { LabelSelector } from '../../../generated/kinds/meta-v1.ts';
import { nanosOf } from '../../rules/resource-names.ts';

/** What is measured and the value that is wanted, as an annotation of v1 has it. */
export function metricToV1(metric: v2.MetricSpec): v1.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && { object: objectSourceToV1(object) }),
    ...(pods && { pods: podsSourceToV1(pods) }),
    ...(resource && { resource: resourceSourceToV1(resource) }),
    ...(containerResource && {
      containerResource: {
        ...resourceSourceToV1(containerResource),
        container: containerResource.container,
      },
    }),
    ...(external && { external: externalSourceToV1(external) }),
  };
}

/** The value that was measured last, as an annotation of v1 has it. */
export function metricStatusToV1(metric: v2.MetricStatus): v1.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && { object: objectStatusToV1(object) }),
    ...(pods && { pods: podsStatusToV1(pods) }),
    ...(resource && { resource: resourceStatusToV1(resource) }),
    ...(containerResource && {
      containerResource: {
        ...resourceStatusToV1(containerResource),
        container: containerResource.container,
      },
    }),
    ...(external && { external: externalStatusToV1(external) }),
  };
}

/** The reverse of {@link metricToV1}. */
export function metricFromV1(metric: v1.MetricSpec): v2.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && { object: objectSourceFromV1(object) }),
    ...(pods && {
      pods: {
        metric: metricOf(pods.metricName, pods.selector),
        target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
      },
    }),
    ...(resource && { resource: resourceSourceFromV1(resource) }),
    ...(containerResource && {
      containerResource: {
        ...resourceSourceFromV1(containerResource),
        container: containerResource.container,
      },
    }),
    ...(external && { external: externalSourceFromV1(external) }),
  };
}

/** The reverse of {@link metricStatusToV1}. */
export function metricStatusFromV1(metric: v1.MetricStatus): v2.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && { object: objectStatusFromV1(object) }),
    ...(pods && {
      pods: {
        metric: metricOf(pods.metricName, pods.selector),
        current: { averageValue: pods.currentAverageValue },
      },
    }),
    ...(resource && { resource: resourceStatusFromV1(resource) }),
    ...(containerResource && {
      containerResource: {
        ...resourceStatusFromV1(containerResource),
        container: containerResource.container,
      },
    }),
    ...(external && { external: externalStatusFromV1(external) }),
  };
}

function objectSourceToV1(source: v2.ObjectMetricSource): v1.ObjectMetricSource {
  const { describedObject, metric, target } = source;
  return {
    target: describedObject,
    metricName: metric.name,
    targetValue: target.value ?? '0',
    ...(metric.selector && { selector: metric.selector }),
    ...(target.averageValue !== undefined && { averageValue: target.averageValue }),
  };
}

function podsSourceToV1({ metric, target }: v2.PodsMetricSource): v1.PodsMetricSource {
  return {
    metricName: metric.name,
    targetAverageValue: target.averageValue ?? '0',
    ...(metric.selector && { selector: metric.selector }),
  };
}

function resourceSourceToV1({ name, target }: v2.ResourceMetricSource): v1.ResourceMetricSource {
  const { averageUtilization: share, averageValue } = target;
  return {
    name,
    ...(share !== undefined && { targetAverageUtilization: share }),
    ...(averageValue !== undefined && { targetAverageValue: averageValue }),
  };
}

function externalSourceToV1({ metric, target }: v2.ExternalMetricSource): v1.ExternalMetricSource {
  const { value, averageValue } = target;
  return {
    metricName: metric.name,
    ...(metric.selector && { metricSelector: metric.selector }),
    ...(value !== undefined && { targetValue: value }),
    ...(averageValue !== undefined && { targetAverageValue: averageValue }),
  };
}

function objectStatusToV1(status: v2.ObjectMetricStatus): v1.ObjectMetricStatus {
  const { describedObject, metric, current } = status;
  return {
    target: describedObject,
    metricName: metric.name,
    currentValue: current.value ?? '0',
    ...(metric.selector && { selector: metric.selector }),
    ...(current.averageValue !== undefined && { averageValue: current.averageValue }),
  };
}

function podsStatusToV1({ metric, current }: v2.PodsMetricStatus): v1.PodsMetricStatus {
  return {
    metricName: metric.name,
    currentAverageValue: current.averageValue ?? '0',
    ...(metric.selector && { selector: metric.selector }),
  };
}

function resourceStatusToV1({ name, current }: v2.ResourceMetricStatus): v1.ResourceMetricStatus {
  const { averageUtilization: share, averageValue } = current;
  return {
    name,
    ...(share !== undefined && { currentAverageUtilization: share }),
    currentAverageValue: averageValue ?? '0',
  };
}

function externalStatusToV1({ metric, current }: v2.ExternalMetricStatus): v1.ExternalMetricStatus {
  const { value, averageValue } = current;
  return {
    metricName: metric.name,
    ...(metric.selector && { metricSelector: metric.selector }),
    currentValue: value ?? '0',
    ...(averageValue !== undefined && { currentAverageValue: averageValue }),
  };
}

function objectSourceFromV1(source: v1.ObjectMetricSource): v2.ObjectMetricSource {
  const { target, metricName, selector, targetValue: value, averageValue } = source;
  const metric = metricOf(metricName, selector);
  if (averageValue === undefined) {
    return { describedObject: target, target: { type: 'Value', value }, metric };
  }
  // v1 cannot leave the value out: next to an average, zero stands for none.
  const isNone = nanosOf(value) === 0n;
  return {
    describedObject: target,
    target: { type: 'AverageValue', ...(isNone ? {} : { value }), averageValue },
    metric,
  };
}

function resourceSourceFromV1(source: v1.ResourceMetricSource): v2.ResourceMetricSource {
  const { name, targetAverageUtilization: share, targetAverageValue: averageValue } = source;
  return {
    name,
    target: {
      type: share === undefined ? 'AverageValue' : 'Utilization',
      ...(averageValue !== undefined && { averageValue }),
      ...(share !== undefined && { averageUtilization: share }),
    },
  };
}

function externalSourceFromV1(source: v1.ExternalMetricSource): v2.ExternalMetricSource {
  const { metricName, metricSelector, targetValue: value, targetAverageValue } = source;
  return {
    metric: metricOf(metricName, metricSelector),
    target: {
      type: value === undefined ? 'AverageValue' : 'Value',
      ...(value !== undefined && { value }),
      ...(targetAverageValue !== undefined && { averageValue: targetAverageValue }),
    },
  };
}

function objectStatusFromV1(status: v1.ObjectMetricStatus): v2.ObjectMetricStatus {
  const { target, metricName, selector, currentValue: value, averageValue } = status;
  return {
    metric: metricOf(metricName, selector),
    current: { value, ...(averageValue !== undefined && { averageValue }) },
    describedObject: target,
  };
}

function resourceStatusFromV1(status: v1.ResourceMetricStatus): v2.ResourceMetricStatus {
  const { name, currentAverageUtilization: share, currentAverageValue: averageValue } = status;
  return {
    name,
    current: { averageValue, ...(share !== undefined && { averageUtilization: share }) },
  };
}

function externalStatusFromV1(status: v1.ExternalMetricStatus): v2.ExternalMetricStatus {
  const { metricName, metricSelector, currentValue: value, currentAverageValue } = status;
  return {
    metric: metricOf(metricName, metricSelector),
    current: {
      value,
      ...(currentAverageValue !== undefined && { averageValue: currentAverageValue }),
    },
  };
}

function metricOf(name: string, selector: LabelSelector | undefined): v2.MetricIdentifier {
  return { name, ...(selector && { selector }) };
}
