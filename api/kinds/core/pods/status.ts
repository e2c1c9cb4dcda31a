/**
 * The status of a pod, which its node's agent writes.
 *
 * In Kubernetes: podStatusStrategy, registry/core/pod.
 */
import type { Pod, PodStatus } from '../../../generated/kinds/core-v1.ts';
import { items, type Int64 } from '../../../json/go-values.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipWarnings } from '../../rules/ip-warnings.ts';
import { withoutGatedStatus } from '../../pod-spec/pod-gated-fields.ts';
import type { StatusRules } from '../../strategy-of.ts';
import { pairPodIps } from './pod-ips.ts';
import { validatePodStatus } from './status-validation.ts';

export const podStatus: Omit<StatusRules<ObjectOf<Pod>>, 'initial'> = {
  keeps: ['ownerReferences'],
  prepareForUpdate(pod, old) {
    // The registry puts the old object's back; nobody can set one this way.
    delete pod.metadata.deletionTimestamp;
    const status = withOldGenerations({ ...pod.status }, old.status);
    pairPodIps(status);
    const { qosClass } = old.status;
    if (qosClass !== undefined) status.qosClass ??= qosClass;
    pod.status = withoutGatedStatus(status, old.status);
  },
  validateUpdate: validatePodStatus,
  warningsOnUpdate: ({ status }) =>
    (['podIPs', 'hostIPs'] as const).flatMap((key) =>
      items(status[key]).flatMap(({ ip = '' }, index) =>
        ipWarnings(`${indexPath(`status.${key}`, index)}.ip`, ip),
      ),
    ),
};

/** Writers that do not know of observed generations must not erase them. */
function withOldGenerations(status: PodStatus, old: PodStatus): PodStatus {
  keepGeneration(status, old);
  if (status.conditions === undefined) return status;
  const oldConditions = [...items(old.conditions)];
  status.conditions = status.conditions.map((condition) => {
    const copy = { ...condition };
    keepGeneration(copy, takeFirst(oldConditions, ({ type }) => type === condition.type) ?? {});
    return copy;
  });
  return status;
}

function keepGeneration(target: Observing, { observedGeneration: old = 0 }: Observing): void {
  if ((target.observedGeneration ?? 0) === 0 && old !== 0) target.observedGeneration = old;
}

interface Observing {
  observedGeneration?: Int64;
}

/** Removes what it returns, so that conditions of one type are paired in their order. */
function takeFirst<T>(list: T[], matches: (one: T) => boolean): T | undefined {
  const index = list.findIndex(matches);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}
