/**
 * Horizontal pod autoscalers, stored as v2 and also shown as v1, with the defaults of both. They count
 * no generations.
 *
 * In Kubernetes: registry/autoscaling/horizontalpodautoscaler; SetDefaults_HorizontalPodAutoscaler,
 * pkg/apis/autoscaling/{v1,v2}.
 */
import { defineKind } from '../../kind.ts';
import { nonNegativeAt } from '../../rules/value-validation.ts';
import { autoscalerConversion } from './conversion.ts';
import { validateAutoscaler, validateAutoscalerChange } from './validation.ts';
import { items } from '../../../json/go-values.ts';
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '../../../generated/kinds/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingPolicy,
  MetricSpec,
} from '../../../generated/kinds/autoscaling-v2.ts';

/** The kind HorizontalPodAutoscaler, stored as v2 and also served as v1. */
export const horizontalPodAutoscalers = defineKind('autoscaling/v2/horizontalpodautoscalers', {
  alsoServedAs: [{ group: 'autoscaling', version: 'v1', conversion: autoscalerConversion }],
  rules: {
    status: {
      initial: () => ({ desiredReplicas: 0, currentMetrics: null }),
      validateUpdate: (autoscaler) =>
        nonNegativeAt('status', autoscaler.status, ['currentReplicas', 'desiredReplicas']),
    },
    validate: validateAutoscaler,
    validateUpdate: validateAutoscalerChange,
  },
});

const CPU_UTILIZATION_PERCENT = 80;
const POLICY_PERIOD_SECONDS = 15;

/** What v1 cannot say lies in annotations, and has no defaults before it is converted. */
export function setHorizontalPodAutoscalerV1Defaults(autoscaler: HorizontalPodAutoscalerV1): void {
  autoscaler.spec.minReplicas ??= 1;
}

/** An autoscaler that measures nothing measures cpu; a behavior says how fast in both directions. */
export function setHorizontalPodAutoscalerDefaults({ spec }: HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
  if (items(spec.metrics).length === 0) spec.metrics = [cpuUtilization()];
  const { behavior } = spec;
  if (behavior === undefined) return;
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [policy('Pods', 4), policy('Percent', 100)],
    ...behavior.scaleUp,
  };
  behavior.scaleDown = {
    selectPolicy: 'Max',
    policies: [policy('Percent', 100)],
    ...behavior.scaleDown,
  };
}

function cpuUtilization(): MetricSpec {
  const target = { type: 'Utilization', averageUtilization: CPU_UTILIZATION_PERCENT };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function policy(type: string, value: number): HPAScalingPolicy {
  return { type, value, periodSeconds: POLICY_PERIOD_SECONDS };
}
