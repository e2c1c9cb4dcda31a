/**
 * The scaling behavior as v1 carries it: the JSON of upstream's internal type, whose fields
 * begin with capitals. Upstream reads them whatever their case, and so do we.
 *
 * In Kubernetes: Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler.
 */
import { formatJson, parseJson } from '../../../json/json-text.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  stringAt,
} from '../../../json/json.ts';
import { typedCodec } from '../../../scheme/typed-json.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';

export function behaviorToAnnotation(behavior: JsonObject): string {
  return formatJson({
    ScaleUp: rulesToInternal(objectAt(behavior, 'scaleUp')),
    ScaleDown: rulesToInternal(objectAt(behavior, 'scaleDown')),
  });
}

/** undefined when there is no behavior in it, or something that cannot be one. */
export function behaviorFromAnnotation(text: string | undefined): JsonObject | undefined {
  const internal = lowered(parsed(text));
  if (!isJsonObject(internal)) return undefined;
  const decoded = typedCodec('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior').decode({
    scaleUp: rulesFromInternal(internal['scaleup']),
    scaleDown: rulesFromInternal(internal['scaledown']),
  });
  return decoded.ok && Object.keys(decoded.value).length > 0 ? decoded.value : undefined;
}

function rulesToInternal(rules: JsonObject | undefined): JsonObject | null {
  if (rules === undefined) return null;
  const policies = objectsAt(rules, 'policies').map((policy) => ({
    Type: stringAt(policy, 'type'),
    Value: numberAt(policy, 'value') ?? 0,
    PeriodSeconds: numberAt(policy, 'periodSeconds') ?? 0,
  }));
  return {
    StabilizationWindowSeconds: rules['stabilizationWindowSeconds'] ?? null,
    SelectPolicy: rules['selectPolicy'] ?? null,
    Policies: isMissing(rules['policies']) ? null : policies,
    Tolerance: rules['tolerance'] ?? null,
  };
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
