/**
 * The status of a pod, which its node's agent writes.
 *
 * In Kubernetes: podStatusStrategy, registry/core/pod.
 */
import { type JsonObject, numberAt, stringAt } from '../../../../api/meta/json.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { ipWarnings } from '../../ip-warnings.ts';
import { withoutGatedStatus } from '../../pod-gated-fields.ts';
import type { StatusRules } from '../../strategy-of.ts';
import { isMissing, objectsAt, statusOf } from '../../value-validation.ts';
import { pairPodIps } from './pod-ips.ts';
import { validatePodStatus } from './status-validation.ts';

export const podStatus: Omit<StatusRules, 'initial'> = {
  keeps: ['ownerReferences'],
  prepareForUpdate(pod, old) {
    // The registry puts the old object's back; nobody can set one this way.
    Reflect.deleteProperty(pod.metadata, 'deletionTimestamp');
    const oldStatus = statusOf(old);
    const status = withOldGenerations({ ...statusOf(pod) }, oldStatus);
    pairPodIps(status);
    const qosClass = stringAt(oldStatus, 'qosClass');
    if (stringAt(status, 'qosClass') === '' && qosClass !== '') status['qosClass'] = qosClass;
    pod['status'] = withoutGatedStatus(status, oldStatus);
  },
  validateUpdate: validatePodStatus,
  warningsOnUpdate: (pod) =>
    ['podIPs', 'hostIPs'].flatMap((key) =>
      objectsAt(statusOf(pod), key).flatMap((address, index) =>
        ipWarnings(`${indexPath(`status.${key}`, index)}.ip`, stringAt(address, 'ip')),
      ),
    ),
};

/** Writers that do not know of observed generations must not erase them. */
function withOldGenerations(status: JsonObject, oldStatus: JsonObject): JsonObject {
  keepGeneration(status, oldStatus);
  if (isMissing(status['conditions'])) return status;
  const oldConditions = objectsAt(oldStatus, 'conditions');
  status['conditions'] = objectsAt(status, 'conditions').map((condition) => {
    const copy: JsonObject = { ...condition };
    const old = takeFirst(oldConditions, (one) => one['type'] === condition['type']);
    keepGeneration(copy, old ?? {});
    return copy;
  });
  return status;
}

function keepGeneration(target: JsonObject, old: JsonObject): void {
  const generation = numberAt(old, 'observedGeneration') ?? 0;
  if ((numberAt(target, 'observedGeneration') ?? 0) === 0 && generation !== 0) {
    target['observedGeneration'] = generation;
  }
}

/** Removes what it returns, so that conditions of one type are paired in their order. */
function takeFirst<T>(list: T[], matches: (one: T) => boolean): T | undefined {
  const index = list.findIndex(matches);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}
