/**
 * Sets a condition of a pod, and when it changed.
 *
 * In Kubernetes: UpdatePodCondition, kubernetes/pkg/api/pod.
 */
import { formatTime } from '../../../meta/clock.ts';
import { items } from '../../../json/go-values.ts';
import type { Pod, PodCondition } from '../../../generated/kinds/core-v1.ts';

/** What a caller says of a condition; its times are found here. */
export interface SaidPodCondition {
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
export function setPodCondition(pod: Pod, condition: SaidPodCondition, now: number): void {
  const conditions = [...items(pod.status.conditions)];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const isSame = old !== undefined && old.status === condition.status;
  const next: PodCondition = {
    ...condition,
    lastProbeTime: null,
    lastTransitionTime: isSame ? (old.lastTransitionTime ?? null) : formatTime(now),
  };
  if (index < 0) conditions.push(next);
  else conditions[index] = next;
  pod.status = { ...pod.status, conditions };
}

/** True when the condition `Ready` of the pod is `True`. */
export function isPodReady(pod: Pod): boolean {
  return items(pod.status.conditions).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}
