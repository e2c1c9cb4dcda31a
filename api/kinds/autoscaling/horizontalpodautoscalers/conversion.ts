/**
 * Autoscalers are stored as v2; v1 knows but the target for cpu. All else travels through v1 in
 * annotations that exist only there, so that a client of v1 that writes back what it read loses
 * nothing.
 *
 * In Kubernetes: pkg/apis/autoscaling/v1/conversion.go.
 */
import type * as v1 from '../../../generated/kinds/autoscaling-v1.ts';
import type * as v2 from '../../../generated/kinds/autoscaling-v2.ts';
import type { ModelTypes } from '../../../generated/kinds/kinds.ts';
import { items } from '../../../json/go-values.ts';
import { formatJson, parseJson } from '../../../json/json-text.ts';
import { copiedObject } from '../../../json/long-values.ts';
import { setOwn } from '../../../json/own-property.ts';
import { forEachKey, hasFields, remembered, someKey } from '../../../json/work-in-slices.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import type { ObjectMeta, ObjectOf, StringMap } from '../../../meta/object-meta.ts';
import { conversionOf, decodedAs } from '../../kind.ts';
import {
  metricFromV1,
  metricStatusFromV1,
  metricStatusToV1,
  metricToV1,
} from './metric-conversion.ts';

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

/** Between autoscaling/v1 and the stored autoscaling/v2. */
export const autoscalerConversion = conversionOf<
  v1.HorizontalPodAutoscaler,
  v2.HorizontalPodAutoscaler
>({ toStorage, fromStorage });

/** Removes the annotations above, which mean nothing in v2. */
export function dropConversionAnnotations(autoscaler: { metadata: ObjectMeta }): void {
  const { annotations } = autoscaler.metadata;
  if (annotations === undefined || !someKey(annotations, (key) => OURS.has(key))) return;
  const kept = withoutOurs(annotations);
  if (hasFields(kept)) autoscaler.metadata.annotations = kept;
  else delete autoscaler.metadata.annotations;
}

/** The target for cpu, where nothing says what to scale by: it is the writer's own, as a default is. */
export function setCpuTarget({ metadata, spec }: v1.HorizontalPodAutoscaler): void {
  const { annotations = {} } = metadata;
  const isSaid = spec.targetCPUUtilizationPercentage !== undefined;
  if (isSaid || othersIn(annotations).length > 0) return;
  spec.targetCPUUtilizationPercentage = DEFAULT_CPU_PERCENT;
}

function fromStorage({
  kind,
  metadata,
  spec,
  status,
}: ObjectOf<v2.HorizontalPodAutoscaler>): ObjectOf<v1.HorizontalPodAutoscaler> {
  const annotations = withAll(
    withoutOurs(metadata.annotations ?? {}),
    annotationsFor(spec, status),
  );
  const target = items(spec.metrics).map(cpuPercentOf).find(isPresent);
  const current = currentCpuPercent(status);
  return {
    kind,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, annotations),
    spec: {
      ...scalingOf(spec),
      ...(target !== undefined && { targetCPUUtilizationPercentage: target }),
    },
    status: {
      ...progressOf(status),
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas,
      ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
    },
  };
}

function toStorage({
  kind,
  metadata,
  spec,
  status,
}: ObjectOf<v1.HorizontalPodAutoscaler>): ObjectOf<v2.HorizontalPodAutoscaler> {
  const annotations = metadata.annotations ?? {};
  const behavior = behaviorFromAnnotation(annotations[BEHAVIOR]);
  const conditions = items(
    listIn(annotations[CONDITIONS], 'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerCondition'),
  );
  const { currentReplicas, desiredReplicas } = status;
  return {
    kind,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, withoutOurs(annotations)),
    spec: {
      ...scalingOf(spec),
      metrics: metricsOf(spec, annotations),
      ...(behavior !== undefined && { behavior }),
    },
    status: {
      ...progressOf(status),
      ...(currentReplicas !== 0 && { currentReplicas }),
      desiredReplicas,
      currentMetrics: currentMetricsOf(status, annotations),
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

/** What both versions say alike of what is scaled. */
function scalingOf(spec: v1.HorizontalPodAutoscalerSpec | v2.HorizontalPodAutoscalerSpec) {
  const { scaleTargetRef, minReplicas, maxReplicas } = spec;
  return { scaleTargetRef, ...(minReplicas !== undefined && { minReplicas }), maxReplicas };
}

/** What both versions say alike of what was done. */
function progressOf(status: v1.HorizontalPodAutoscalerStatus | v2.HorizontalPodAutoscalerStatus) {
  const { observedGeneration, lastScaleTime } = status;
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(typeof lastScaleTime === 'string' && { lastScaleTime }),
  };
}

/** What v1 has no fields for. The target for cpu is left out of it, its current value is not. */
function annotationsFor(
  { metrics, behavior }: v2.HorizontalPodAutoscalerSpec,
  status: v2.HorizontalPodAutoscalerStatus,
): StringMap {
  const others = items(metrics).filter((metric) => cpuPercentOf(metric) === undefined);
  const current = items(status.currentMetrics);
  const conditions = items(status.conditions);
  return {
    ...(others.length > 0 ? { [METRICS]: formatJson(others.map(metricToV1)) } : {}),
    ...(current.length > 0 ? { [CURRENT_METRICS]: formatJson(current.map(metricStatusToV1)) } : {}),
    ...(behavior === undefined ? {} : { [BEHAVIOR]: behaviorToAnnotation(behavior) }),
    ...(conditions.length > 0 ? { [CONDITIONS]: formatJson(conditions) } : {}),
  };
}

/** The share of cpu that the metric wants; undefined for any other metric. */
function cpuPercentOf({ type, resource }: v2.MetricSpec): number | undefined {
  return type === 'Resource' && resource?.name === 'cpu'
    ? resource.target.averageUtilization
    : undefined;
}

/** The last one counts when there are several. */
function currentCpuPercent({ currentMetrics }: v2.HorizontalPodAutoscalerStatus) {
  return items(currentMetrics)
    .filter(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu')
    .map(({ resource }) => resource?.current.averageUtilization)
    .findLast(isPresent);
}

function isPresent(percent: number | undefined): percent is number {
  return percent !== undefined;
}

/** Those of the annotation first, then the one for cpu; when there is none at all, the default. */
function metricsOf(
  { targetCPUUtilizationPercentage: percent }: v1.HorizontalPodAutoscalerSpec,
  annotations: StringMap,
): v2.MetricSpec[] {
  const metrics = [
    ...othersIn(annotations).map(metricFromV1),
    ...(percent === undefined ? [] : [cpuTarget(percent)]),
  ];
  return metrics.length > 0 ? metrics : [cpuTarget(DEFAULT_CPU_PERCENT)];
}

function othersIn(annotations: StringMap): readonly v1.MetricSpec[] {
  return items(listIn(annotations[METRICS], 'io.k8s.api.autoscaling.v1.MetricSpec'));
}

function cpuTarget(averageUtilization: number): v2.MetricSpec {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

/** The annotation says more than the field and replaces it. */
function currentMetricsOf(
  { currentCPUUtilizationPercentage: percent }: v1.HorizontalPodAutoscalerStatus,
  annotations: StringMap,
): v2.MetricStatus[] | null {
  const listed = listIn(annotations[CURRENT_METRICS], 'io.k8s.api.autoscaling.v1.MetricStatus');
  if (listed !== undefined) return listed.map(metricStatusFromV1);
  if (percent === undefined) return null;
  const current = { averageUtilization: percent };
  return [{ type: 'Resource', resource: { name: 'cpu', current } }];
}

/**
 * Objects of a type of autoscaling/v1, as Go reads them; undefined when it could not, and then the
 * annotation counts for nothing.
 */
function listIn<Model extends keyof ModelTypes>(
  text: string | undefined,
  model: Model,
): ModelTypes[Model][] | undefined {
  if (text === undefined) return undefined;
  const objects: ModelTypes[Model][] = [];
  for (const item of parsedList(text) ?? [false]) {
    const decoded = decodedAs(model, item ?? {});
    if (decoded === undefined) return undefined;
    objects.push(decoded);
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

/** In slices, as there may be very many. */
function withoutOurs(annotations: StringMap): StringMap {
  if (!someKey(annotations, (key) => OURS.has(key))) return annotations;
  const kept = remembered((): StringMap => ({}));
  forEachKey(annotations, (key) => {
    if (!OURS.has(key)) setOwn(kept, key, annotations[key] ?? '');
  });
  return kept;
}

function withAll(annotations: StringMap, more: StringMap): StringMap {
  return hasFields(more) ? (copiedObject(more, annotations) as StringMap) : annotations;
}

function withAnnotations(metadata: ObjectMeta, annotations: StringMap): ObjectMeta {
  const { annotations: _annotations, ...rest } = metadata;
  return hasFields(annotations) ? { ...rest, annotations } : rest;
}

/** The JSON of upstream's internal type, whose fields begin with capitals. */
function behaviorToAnnotation({ scaleUp, scaleDown }: v2.HorizontalPodAutoscalerBehavior): string {
  return formatJson({ ScaleUp: rulesToInternal(scaleUp), ScaleDown: rulesToInternal(scaleDown) });
}

function rulesToInternal(rules: v2.HPAScalingRules | undefined): JsonObject | null {
  if (rules === undefined) return null;
  const policies = items(rules.policies).map(({ type, value, periodSeconds }) => {
    return { Type: type, Value: value, PeriodSeconds: periodSeconds };
  });
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: policies.length === 0 ? null : policies,
    Tolerance: rules.tolerance ?? null,
  };
}

/**
 * undefined when there is no behavior in it, or something that cannot be one. Upstream reads its
 * fields whatever their case, and so do we.
 */
function behaviorFromAnnotation(
  text: string | undefined,
): v2.HorizontalPodAutoscalerBehavior | undefined {
  const internal = lowered(parsed(text));
  if (!isJsonObject(internal)) return undefined;
  const decoded = decodedAs('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior', {
    scaleUp: rulesFromInternal(internal['scaleup']),
    scaleDown: rulesFromInternal(internal['scaledown']),
  });
  return decoded !== undefined && Object.keys(decoded).length > 0 ? decoded : undefined;
}

function rulesFromInternal(rules: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(rules)) return rules;
  const { policies } = rules;
  return {
    stabilizationWindowSeconds: rules['stabilizationwindowseconds'],
    selectPolicy: rules['selectpolicy'],
    policies: Array.isArray(policies) ? policies.map(policyFromInternal) : policies,
    tolerance: rules['tolerance'],
  };
}

function policyFromInternal(policy: JsonValue): JsonValue {
  if (!isJsonObject(policy)) return policy;
  const { type, value, periodseconds: periodSeconds } = policy;
  return { type, value, periodSeconds };
}

function parsed(text: string | undefined): JsonValue | undefined {
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}

/** The same value with all keys in lower case. */
function lowered(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((one) => lowered(one) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.toLowerCase(), lowered(one)]),
  );
}
