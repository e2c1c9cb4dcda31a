/**
 * What is said to those who label a namespace for which labels mean nothing.
 *
 * In Kubernetes: exemptNamespaceWarning, k8s.io/pod-security-admission/admission.
 */
import type { StringMap } from '../../../api/meta/object-meta.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { formatLevel, isEquivalent, isFullyPrivileged, PREFIX, type PodPolicy } from './levels.ts';

export interface LabelledPolicy {
  readonly policy: PodPolicy;
  readonly labels: StringMap;
  readonly defaults: PodPolicy;
}

/** @returns '' where the labels make no difference anyway. */
export function exemptWarning(
  namespace: string,
  { policy, labels, defaults }: LabelledPolicy,
): string {
  if (isFullyPrivileged(policy) || isEquivalent(policy, defaults)) return '';
  const isSaid = (mode: string): boolean =>
    [mode, `${mode}-version`].some((key) => Object.hasOwn(labels, PREFIX + key));
  const said = (['enforce', 'audit', 'warn'] as const)
    .filter((mode) => policy[mode].level !== 'privileged' && isSaid(mode))
    .map((mode) => `${mode}=${formatLevel(policy[mode])}`)
    .join(', ');
  const who = `namespace ${goQuote(namespace)} is exempt from Pod Security`;
  return `${who}, and the policy (${said}) will be ignored`;
}
