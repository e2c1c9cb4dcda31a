/**
 * The conditions of a request, on which its life hangs: Approved, Denied, Failed.
 *
 * In Kubernetes: preserveConditionInstances and populateConditionTimestamps.
 */
import { formatTime, type Clock } from '../../../meta/clock.ts';
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { isMissing, objectsAt, statusOf } from '../../rules/value-validation.ts';

export function conditionsOf(request: KubeObject): JsonObject[] {
  return objectsAt(statusOf(request), 'conditions');
}

export function conditionsOfType(request: KubeObject, type: string): JsonObject[] {
  return conditionsOf(request).filter((one) => stringAt(one, 'type') === type);
}

/** A signer that sends an approval or a denial back altered does not alter it. */
export function keepDecision(request: KubeObject, old: KubeObject): void {
  let conditions = conditionsOf(request);
  for (const type of ['Approved', 'Denied']) {
    const kept = conditionsOfType(old, type);
    if (kept.length !== conditionsOfType(request, type).length) continue;
    conditions = conditions.map((one) => {
      return stringAt(one, 'type') === type ? (kept.shift() ?? one) : one;
    });
  }
  setConditions(request, conditions);
}

/** Fills in the times that a writer left out. */
export function stampConditions(request: KubeObject, old: KubeObject, clock: Clock): void {
  const now = formatTime(clock.now());
  const conditions = conditionsOf(request).map((condition): JsonObject => {
    const { lastUpdateTime, lastTransitionTime } = condition;
    const isTransitionKnown = !isMissing(lastTransitionTime);
    return {
      ...condition,
      lastUpdateTime: isMissing(lastUpdateTime) ? now : lastUpdateTime,
      lastTransitionTime: isTransitionKnown
        ? lastTransitionTime
        : (oldTransition(condition, old) ?? now),
    };
  });
  setConditions(request, conditions);
}

/** When the same condition became what it still is. */
function oldTransition(condition: JsonObject, old: KubeObject): JsonObject[string] {
  const same = conditionsOf(old).find(
    (one) =>
      stringAt(one, 'type') === stringAt(condition, 'type') &&
      stringAt(one, 'status') === stringAt(condition, 'status') &&
      !isMissing(one['lastTransitionTime']),
  );
  return same?.['lastTransitionTime'];
}

function setConditions(request: KubeObject, conditions: JsonObject[]): void {
  const status = { ...statusOf(request) };
  if (conditions.length > 0) status['conditions'] = conditions;
  else Reflect.deleteProperty(status, 'conditions');
  request['status'] = status;
}
