/**
 * Autoscalers are stored as v2; v1 knows but the target for cpu. All else travels through v1 in
 * annotations that exist only there, so that a client of v1 that writes back what it read loses
 * nothing.
 *
 * In Kubernetes: pkg/apis/autoscaling/v1/conversion.go.
 */
import { formatJson, parseJson } from '../../../json/json-text.ts';
import {
  type JsonObject,
  type JsonValue,
  int32At,
  objectAt,
  stringAt,
} from '../../../json/json.ts';
import type { KubeObject, ObjectMeta, StringMap } from '../../../meta/object-meta.ts';
import type { VersionConversion } from '../../resource-definition.ts';
import { typedCodec } from '../../../scheme/typed-json.ts';
import { isMissing, objectsAt, specOf, statusOf } from '../../rules/value-validation.ts';
import { behaviorFromAnnotation, behaviorToAnnotation } from './behavior-annotation.ts';
import { metricFromV1, metricStatusFromV1 } from './metrics-from-v1.ts';
import { metricStatusToV1, metricToV1 } from './metrics-to-v1.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
/** The last two were used by versions that are no longer served. */
const OURS = new Set([
  METRICS,
  CURRENT_METRICS,
  CONDITIONS,
  BEHAVIOR,
  `${PREFIX}scale-down-tolerance`,
  `${PREFIX}scale-up-tolerance`,
]);
const DEFAULT_CPU_PERCENT = 80;

export const autoscalerConversion: VersionConversion = { toStorage, fromStorage };

/** Removes the annotations above, which mean nothing in v2. */
export function dropConversionAnnotations(autoscaler: { metadata: ObjectMeta }): void {
  const { annotations } = autoscaler.metadata;
  if (annotations === undefined || !Object.keys(annotations).some((key) => OURS.has(key))) return;
  const kept = withoutOurs(annotations);
  if (Object.keys(kept).length > 0) autoscaler.metadata.annotations = kept;
  else delete autoscaler.metadata.annotations;
}

function fromStorage(autoscaler: KubeObject): KubeObject {
  const spec = specOf(autoscaler);
  const status = statusOf(autoscaler);
  const cpu = objectsAt(spec, 'metrics').find(isCpuTarget);
  const annotations = {
    ...withoutOurs(autoscaler.metadata.annotations ?? {}),
    ...annotationsFor(spec, status),
  };
  const target = objectAt(objectAt(cpu, 'resource'), 'target');
  return {
    kind: autoscaler.kind,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(autoscaler, annotations),
    spec: {
      ...pick(spec, ['scaleTargetRef', 'minReplicas', 'maxReplicas']),
      ...named('targetCPUUtilizationPercentage', target?.['averageUtilization']),
    },
    status: {
      ...pick(status, ['observedGeneration', 'lastScaleTime']),
      currentReplicas: int32At(status, 'currentReplicas') ?? 0,
      desiredReplicas: int32At(status, 'desiredReplicas') ?? 0,
      ...named('currentCPUUtilizationPercentage', currentCpuPercent(status)),
    },
  };
}

function toStorage(autoscaler: KubeObject): KubeObject {
  const annotations = autoscaler.metadata.annotations ?? {};
  const spec = specOf(autoscaler);
  const status = statusOf(autoscaler);
  return {
    kind: autoscaler.kind,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(autoscaler, withoutOurs(annotations)),
    spec: {
      ...pick(spec, ['scaleTargetRef', 'minReplicas', 'maxReplicas']),
      metrics: metricsOf(spec, annotations),
      ...named('behavior', behaviorFromAnnotation(annotations[BEHAVIOR])),
    },
    status: {
      ...pick(status, ['observedGeneration', 'lastScaleTime']),
      ...nonZero('currentReplicas', int32At(status, 'currentReplicas')),
      desiredReplicas: int32At(status, 'desiredReplicas') ?? 0,
      currentMetrics: currentMetricsOf(status, annotations),
      ...named('conditions', listIn(annotations[CONDITIONS], 'HorizontalPodAutoscalerCondition')),
    },
  };
}

/** What v1 has no fields for. The target for cpu is left out of it, its current value is not. */
function annotationsFor(spec: JsonObject, status: JsonObject): StringMap {
  const metrics = objectsAt(spec, 'metrics').filter((metric) => !isCpuTarget(metric));
  const current = objectsAt(status, 'currentMetrics');
  const conditions = objectsAt(status, 'conditions');
  const behavior = objectAt(spec, 'behavior');
  return {
    ...(metrics.length > 0 ? { [METRICS]: formatJson(metrics.map(metricToV1)) } : {}),
    ...(current.length > 0 ? { [CURRENT_METRICS]: formatJson(current.map(metricStatusToV1)) } : {}),
    ...(behavior === undefined ? {} : { [BEHAVIOR]: behaviorToAnnotation(behavior) }),
    ...(conditions.length > 0 ? { [CONDITIONS]: formatJson(conditions) } : {}),
  };
}

function isCpuTarget(metric: JsonObject): boolean {
  const resource = objectAt(metric, 'resource');
  return (
    stringAt(metric, 'type') === 'Resource' &&
    stringAt(resource, 'name') === 'cpu' &&
    !isMissing(objectAt(resource, 'target')?.['averageUtilization'])
  );
}

/** The last one counts when there are several. */
function currentCpuPercent(status: JsonObject): JsonValue | undefined {
  return objectsAt(status, 'currentMetrics')
    .filter((metric) => stringAt(metric, 'type') === 'Resource')
    .map((metric) => objectAt(metric, 'resource'))
    .filter((resource) => stringAt(resource, 'name') === 'cpu')
    .map((resource) => objectAt(resource, 'current')?.['averageUtilization'])
    .findLast((percent) => !isMissing(percent));
}

/** Those of the annotation first, then the one for cpu; when there is none at all, the default. */
function metricsOf(spec: JsonObject, annotations: StringMap): JsonObject[] {
  const percent = spec['targetCPUUtilizationPercentage'];
  const others = listIn(annotations[METRICS], 'MetricSpec')?.map(metricFromV1) ?? [];
  const cpu = isMissing(percent) ? [] : [cpuTarget(percent)];
  const metrics = [...others, ...cpu];
  return metrics.length > 0 ? metrics : [cpuTarget(DEFAULT_CPU_PERCENT)];
}

function cpuTarget(percent: JsonValue | undefined): JsonObject {
  const target = { type: 'Utilization', averageUtilization: percent };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

/** The annotation says more than the field and replaces it. */
function currentMetricsOf(status: JsonObject, annotations: StringMap): JsonObject[] | null {
  const listed = listIn(annotations[CURRENT_METRICS], 'MetricStatus');
  if (listed !== undefined) return listed.map(metricStatusFromV1);
  const percent = status['currentCPUUtilizationPercentage'];
  if (isMissing(percent)) return null;
  const current = { averageUtilization: percent };
  return [{ type: 'Resource', resource: { name: 'cpu', current } }];
}

/**
 * Objects of a type of autoscaling/v1, as Go reads them; undefined when it could not, and then the
 * annotation counts for nothing.
 */
function listIn(text: string | undefined, type: string): JsonObject[] | undefined {
  if (text === undefined) return undefined;
  const codec = typedCodec(`io.k8s.api.autoscaling.v1.${type}`);
  const objects: JsonObject[] = [];
  for (const item of parsedList(text) ?? [false]) {
    const decoded = codec.decode(item ?? {});
    if (!decoded.ok) return undefined;
    objects.push(decoded.value);
  }
  return objects;
}

/** undefined when the text is no list; null is one that has nothing in it. */
function parsedList(text: string): readonly JsonValue[] | undefined {
  try {
    const value = parseJson(text) ?? [];
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withoutOurs(annotations: StringMap): StringMap {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !OURS.has(key)));
}

function withAnnotations({ metadata }: KubeObject, annotations: StringMap) {
  const { annotations: _annotations, ...rest } = metadata;
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}

function pick(source: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.filter((key) => !isMissing(source[key])).map((key) => [key, source[key]]),
  );
}

function named(key: string, value: JsonValue | undefined): JsonObject {
  return isMissing(value) ? {} : { [key]: value };
}

function nonZero(key: string, value: number | undefined): JsonObject {
  return value === undefined || value === 0 ? {} : { [key]: value };
}
