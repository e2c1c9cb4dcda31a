/**
 * What a check of a pod is, and how it says what it found.
 *
 * In Kubernetes: Check and CheckResult, k8s.io/pod-security-admission/policy.
 */
import type { PodSpec } from '../../../api/generated/kinds/core-v1.ts';
import type { ObjectMeta } from '../../../api/meta/object-meta.ts';
import { compareGoStrings } from '../../../api/json/go-format.ts';
import { flatMapItems } from '../../../api/json/work-in-slices.ts';
import { type AnyContainer, containersOf } from '../../../api/kinds/pod-spec/pod-parts.ts';
import type { Level } from './levels.ts';

/** A pod, or what a controller makes pods of. */
export interface CheckedPod {
  /** Of the pod, or of the template. */
  readonly metadata: ObjectMeta;
  /** Of the pod, or of the template. */
  readonly spec: PodSpec;
}

/** A violation, as it appears in refusals and warnings: the reason, and in brackets the detail. */
export interface Finding {
  /** `privileged` */
  readonly reason: string;
  /** `container "a" must not set securityContext.privileged=true` */
  readonly detail: string;
}

/** undefined: nothing is wrong with it. */
export type CheckPod = (pod: CheckedPod) => Finding | undefined;

export interface Check {
  /** Findings are told in the order of these. */
  readonly id: string;
  readonly level: Exclude<Level, 'privileged'>;
  /** In rising order; a version counts from that minor version of Kubernetes on. */
  readonly versions: readonly CheckVersion[];
}

export interface CheckVersion {
  readonly since: number;
  readonly check: CheckPod;
  /** Weaker checks of baseline that need not be made beside this one. */
  readonly overrides?: readonly string[];
}

/** `"a", "b"` */
export function joinQuoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** Each once, in the order in which Go lists a set. */
export function sortedOnce(items: Iterable<string>): string[] {
  return [...new Set(items)].sort(compareGoStrings);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** `containers "a", "b"` */
export function shownContainers(names: readonly string[]): string {
  return `${plural(names.length, 'container')} ${joinQuoted(names)}`;
}

/** `pod and container "a"`: the parts of a pod that set what must not be set. */
export function shownSetters(isPod: boolean, containers: readonly string[]): string {
  const setters = isPod ? ['pod'] : [];
  if (containers.length > 0) setters.push(shownContainers(containers));
  return setters.join(' and ');
}

/** Names of containers of which this holds. */
export function namesOf(
  spec: PodSpec,
  holds: (container: AnyContainer) => boolean,
): readonly string[] {
  return flatMapItems(containersOf(spec), (container) =>
    holds(container) ? [container.name] : [],
  );
}

/** A pod or a container: both have a security context. */
export type Secured = PodSpec | AnyContainer;

/** Whether the pod has users of its own, so that its root has no rights outside of it. */
export function hasOwnUsers(spec: PodSpec): boolean {
  return spec.hostUsers === false;
}

export function isWindows(spec: PodSpec): boolean {
  return spec.os?.name === 'windows';
}

/** What is asked of Linux containers only. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (isWindows(pod.spec) ? undefined : check(pod));
}

/** What is not asked of pods that have users of their own. */
export function unlessOwnUsers(check: CheckPod): CheckPod {
  return (pod) => (hasOwnUsers(pod.spec) ? undefined : check(pod));
}
