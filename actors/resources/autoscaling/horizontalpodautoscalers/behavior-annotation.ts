/**
 * The scaling behavior as v1 carries it: the JSON of upstream's internal type, whose fields
 * begin with capitals. Upstream reads them whatever their case, and so do we.
 *
 * In Kubernetes: Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler.
 */
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../../api/meta/json.ts';
import { isMissing, numberAt, objectsAt } from '../../value-validation.ts';

export function behaviorToAnnotation(behavior: JsonObject): string {
  return JSON.stringify({
    ScaleUp: rulesToInternal(objectAt(behavior, 'scaleUp')),
    ScaleDown: rulesToInternal(objectAt(behavior, 'scaleDown')),
  });
}

/** undefined when there is no behavior in it. */
export function behaviorFromAnnotation(text: string | undefined): JsonObject | undefined {
  const internal = lowered(parsed(text));
  if (!isJsonObject(internal)) return undefined;
  const scaleUp = rulesFromInternal(objectAt(internal, 'scaleup'));
  const scaleDown = rulesFromInternal(objectAt(internal, 'scaledown'));
  if (scaleUp === undefined && scaleDown === undefined) return undefined;
  return {
    ...(scaleUp === undefined ? {} : { scaleUp }),
    ...(scaleDown === undefined ? {} : { scaleDown }),
  };
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

function rulesFromInternal(rules: JsonObject | undefined): JsonObject | undefined {
  if (rules === undefined) return undefined;
  const policies = objectsAt(rules, 'policies').map((policy) => ({
    type: stringAt(policy, 'type'),
    value: numberAt(policy, 'value') ?? 0,
    periodSeconds: numberAt(policy, 'periodseconds') ?? 0,
  }));
  const { stabilizationwindowseconds: window, selectpolicy: selectPolicy, tolerance } = rules;
  return {
    ...(isMissing(window) ? {} : { stabilizationWindowSeconds: window }),
    ...(isMissing(selectPolicy) ? {} : { selectPolicy }),
    ...(policies.length === 0 ? {} : { policies }),
    ...(isMissing(tolerance) ? {} : { tolerance }),
  };
}

function parsed(text: string | undefined): JsonValue | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
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
