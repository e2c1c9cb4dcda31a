/**
 * Defaults of a HorizontalPodAutoscaler, for each of the two versions that serve it. In v1 the
 * metric is left alone: what v1 cannot say lies in annotations, and conversion fills it in.
 *
 * In Kubernetes: SetDefaults_HorizontalPodAutoscaler, pkg/apis/autoscaling/{v1,v2}.
 */
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '../../../generated/kinds/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
} from '../../../generated/kinds/autoscaling-v2.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { isAbsent, isEmpty, withObject } from '../../default-field.ts';

const CPU_UTILIZATION_PERCENT = 80;
const POLICY_PERIOD_SECONDS = 15;

export function setHorizontalPodAutoscalerV1Defaults(autoscaler: HorizontalPodAutoscalerV1): void {
  autoscaler.spec.minReplicas ??= 1;
}

export function setHorizontalPodAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = autoscaler.spec;
  spec.minReplicas ??= 1;
  if (isEmpty(spec.metrics)) spec.metrics = [cpuUtilization()];
  withObject(spec, 'behavior', (behavior) => {
    behavior['scaleUp'] = withRules(behavior['scaleUp'], {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [policy('Pods', 4), policy('Percent', 100)],
    });
    behavior['scaleDown'] = withRules(behavior['scaleDown'], {
      selectPolicy: 'Max',
      policies: [policy('Percent', 100)],
    });
  });
}

function cpuUtilization(): MetricSpec {
  const target = { type: 'Utilization', averageUtilization: CPU_UTILIZATION_PERCENT };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function policy(type: string, value: number): JsonObject {
  return { type, value, periodSeconds: POLICY_PERIOD_SECONDS };
}

/** What is written wins, field by field; a list of policies is taken whole, also an empty one. */
function withRules(written: JsonValue | undefined, rules: JsonObject): JsonObject {
  if (!isJsonObject(written)) return rules;
  for (const [field, value] of Object.entries(written)) {
    if (!isAbsent(value)) rules[field] = value;
  }
  return rules;
}
