/**
 * Horizontal pod autoscalers, stored as v2 and also shown as v1. They count no generations.
 *
 * In Kubernetes: registry/autoscaling/horizontalpodautoscaler.
 */
import { defineKind } from '../../kind.ts';
import { nonNegativeAt } from '../../rules/value-validation.ts';
import { autoscalerConversion } from './conversion.ts';
import { validateAutoscaler, validateAutoscalerChange } from './validation.ts';

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
