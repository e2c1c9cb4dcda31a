/**
 * Sets a condition of a pod, and when it changed.
 *
 * In Kubernetes: UpdatePodCondition, kubernetes/pkg/api/pod.
 */
import { formatTime } from '../../../meta/clock.ts';
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { objectsAt, statusOf } from '../../rules/value-validation.ts';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Changes the pod. A condition that keeps its status keeps the time since when it has it.
 *
 * @param now milliseconds since 1970.
 */
export function setPodCondition(pod: KubeObject, condition: PodCondition, now: number): void {
  const conditions = objectsAt(statusOf(pod), 'conditions');
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const isSame = old !== undefined && stringAt(old, 'status') === condition.status;
  const next: JsonObject = {
    ...condition,
    lastProbeTime: null,
    lastTransitionTime: isSame ? (old['lastTransitionTime'] ?? null) : formatTime(now),
  };
  if (index < 0) conditions.push(next);
  else conditions[index] = next;
  pod['status'] = { ...statusOf(pod), conditions };
}

/** True when the condition `Ready` of the pod is `True`. */
export function isPodReady(pod: KubeObject): boolean {
  return objectsAt(statusOf(pod), 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}
