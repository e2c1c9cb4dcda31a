/**
 * Horizontal pod autoscalers, stored as v2 and also shown as v1. They count no generations.
 *
 * In Kubernetes: registry/autoscaling/horizontalpodautoscaler.
 */
import type { Kind } from '../../kind.ts';
import { strategyOf } from '../../strategy-of.ts';
import { nonNegativeAt, statusOf } from '../../value-validation.ts';
import { autoscalerConversion } from './conversion.ts';
import { validateAutoscaler, validateAutoscalerChange } from './validation.ts';

export const horizontalPodAutoscalers: Kind = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
  alsoServedAs: [{ group: 'autoscaling', version: 'v1', conversion: autoscalerConversion }],
  strategy: strategyOf({
    status: {
      initial: () => ({ desiredReplicas: 0, currentMetrics: null }),
      validateUpdate: (autoscaler) =>
        nonNegativeAt('status', statusOf(autoscaler), ['currentReplicas', 'desiredReplicas']),
    },
    validate: validateAutoscaler,
    validateUpdate: validateAutoscalerChange,
  }),
};
