/**
 * Which group comes before which, and which version of a group is preferred. Clients that meet
 * a resource in two groups (events) take the first, so the order is part of the contract.
 *
 * In Kubernetes: apiVersionPriorities of kube-apiserver and CompareKubeAwareVersionStrings.
 */

/** Higher numbers come first. An APIService shows the same two numbers in its spec. */
export interface VersionPriority {
  /** Of the whole group; the highest of its versions counts. */
  readonly group: number;
  /** Among the versions of its group. */
  readonly version: number;
}

const STABLE = 15;
const GROUPS: Readonly<Record<string, number>> = {
  // The aggregator names its own group before all others, whatever else is registered.
  'apiregistration.k8s.io': 20_001,
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'admissionregistration.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
  'internal.apiserver.k8s.io': 16_000,
  'storagemigration.k8s.io': 15_800,
};
/** Where a version of a built-in group has another number than {@link STABLE}. */
const VERSIONS: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'resource.k8s.io/v1': 21,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'admissionregistration.k8s.io/v1beta1': 12,
  'admissionregistration.k8s.io/v1alpha1': 9,
  'certificates.k8s.io/v1beta1': 9,
  'certificates.k8s.io/v1alpha1': 1,
  'coordination.k8s.io/v1beta1': 13,
  'coordination.k8s.io/v1alpha2': 12,
  'internal.apiserver.k8s.io/v1alpha1': 9,
  'networking.k8s.io/v1beta1': 9,
  'resource.k8s.io/v1beta2': 15,
  'resource.k8s.io/v1beta1': 9,
  'resource.k8s.io/v1alpha3': 1,
  'scheduling.k8s.io/v1alpha2': 2,
  'storage.k8s.io/v1beta1': 9,
  'storagemigration.k8s.io/v1beta1': 9,
};
/** What the controller that registers custom resources gives to each of their versions. */
const CUSTOM: VersionPriority = { group: 1000, version: 100 };

/** The aggregator serves its own group, and registers it nowhere. */
const UNREGISTERED = 'apiregistration.k8s.io';

/** What the APIService of a built-in group version shows; undefined: it has none. */
export function builtInPriorityOf(group: string, version: string): VersionPriority | undefined {
  const isRegistered = Object.hasOwn(GROUPS, group) && group !== UNREGISTERED;
  return isRegistered ? priorityOf(group, version) : undefined;
}

/** The priority of `v1` of `apps`; of a group that is not built in, that of custom resources. */
export function priorityOf(group: string, version: string): VersionPriority {
  if (!Object.hasOwn(GROUPS, group)) return CUSTOM;
  const key = `${group}/${version}`;
  return {
    group: GROUPS[group] ?? CUSTOM.group,
    version: Object.hasOwn(VERSIONS, key) ? (VERSIONS[key] ?? STABLE) : STABLE,
  };
}

const KUBERNETES_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STAGES: readonly (string | undefined)[] = ['alpha', 'beta', undefined];

/**
 * Sorts versions with the one to prefer first: stable before beta before alpha, then by number;
 * names of another form come last, in alphabetical order.
 */
export function compareVersions(left: string, right: string): number {
  const leftParts = KUBERNETES_VERSION.exec(left);
  const rightParts = KUBERNETES_VERSION.exec(right);
  if (leftParts === null && rightParts === null) return left < right ? -1 : Number(left > right);
  if (leftParts === null) return 1;
  if (rightParts === null) return -1;
  return (
    STAGES.indexOf(rightParts[2]) - STAGES.indexOf(leftParts[2]) ||
    Number(rightParts[1]) - Number(leftParts[1]) ||
    Number(rightParts[3] ?? 0) - Number(leftParts[3] ?? 0)
  );
}
