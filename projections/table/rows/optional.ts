/**
 * Rows of kinds that are served only where they are switched on.
 *
 * In Kubernetes: printLeaseCandidate and its neighbours, pkg/printers/internalversion.
 */
import type { StorageVersion } from '../../../api/generated/kinds/apiserverinternal-v1alpha1.ts';
import type {
  ClusterTrustBundle,
  PodCertificateRequest,
} from '../../../api/generated/kinds/certificates-v1beta1.ts';
import type { LeaseCandidate } from '../../../api/generated/kinds/coordination-v1beta1.ts';
import type {
  DeviceTaintRule,
  PoolStatus,
  ResourcePoolStatusRequest,
} from '../../../api/generated/kinds/resource-v1alpha3.ts';
import type { PodGroup } from '../../../api/generated/kinds/scheduling-v1alpha2.ts';
import type { StorageVersionMigration } from '../../../api/generated/kinds/storagemigration-v1beta1.ts';
import { items } from '../../../api/json/go-values.ts';
import { ageOf, type Cell, labelsText, listOf, nameOf, nonEmpty, since } from '../cells.ts';

/** Name, SignerName. */
export function clusterTrustBundleCells(bundle: ClusterTrustBundle): Cell[] {
  return [nameOf(bundle), bundle.spec.signerName ?? '<none>'];
}

/** Name, LeaseName, BinaryVersion, EmulationVersion, Age. */
export function leaseCandidateCells(candidate: LeaseCandidate, now: number): Cell[] {
  const { leaseName, binaryVersion, emulationVersion = '' } = candidate.spec;
  return [nameOf(candidate), leaseName, binaryVersion, emulationVersion, ageOf(candidate, now)];
}

const STATES: readonly string[] = ['Running', 'Failed', 'Succeeded'];

/** Name, Resource, Status. The last of its conditions that holds is its status. */
export function storageVersionMigrationCells({
  metadata,
  spec,
  status,
}: StorageVersionMigration): Cell[] {
  const { group, resource } = spec.resource;
  const holding = items(status.conditions).filter(
    (one) => one.status === 'True' && STATES.includes(one.type),
  );
  const name = group === '' ? resource : `${resource}.${group}`;
  return [nameOf({ metadata }), name, holding.at(-1)?.type ?? 'Unknown'];
}

/** Name, Policy, Workload, Status, Age. A disruption that is about to come says why. */
export function podGroupCells(group: PodGroup, now: number): Cell[] {
  const { podGroupTemplateRef: ref, schedulingPolicy } = group.spec;
  const conditions = items(group.status.conditions);
  const conditionOf = (type: string) => conditions.findLast((one) => one.type === type);
  const scheduled = conditionOf('PodGroupScheduled');
  const isScheduled = scheduled?.status === 'True' ? 'Scheduled' : 'Unschedulable';
  const status = scheduled === undefined ? 'Pending' : isScheduled;
  return [
    nameOf(group),
    schedulingPolicy.gang === undefined ? 'Basic' : 'Gang',
    ref === null ? '<none>' : (ref.workload?.workloadName ?? ''),
    conditionOf('DisruptionTarget')?.reason ?? status,
    ageOf(group, now),
  ];
}

const SERVERS_SHOWN_MAX = 3;

/** Name, CommonEncodingVersion, StorageVersions, Age. */
export function storageVersionCells(version: StorageVersion, now: number): Cell[] {
  const { commonEncodingVersion = '<unset>', storageVersions } = version.status;
  const servers = items(storageVersions).map(
    ({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`,
  );
  const shown = nonEmpty(listOf(servers, SERVERS_SHOWN_MAX), '<unset>');
  return [nameOf(version), commonEncodingVersion, shown, ageOf(version, now)];
}

/** Name, Key, Value, Effect, TimeAdded, Age. */
export function deviceTaintRuleCells(rule: DeviceTaintRule, now: number): Cell[] {
  const { key, value = '', effect, timeAdded } = rule.spec.taint;
  const added = timeAdded === undefined ? '' : since(timeAdded, now);
  return [nameOf(rule), key, value, effect, added, ageOf(rule, now)];
}

/** Name, Driver, Total, Available, Allocated, Unavailable, Errors, Pools, Status, Completed. */
export function resourcePoolStatusRequestCells(
  request: ResourcePoolStatusRequest,
  now: number,
): Cell[] {
  const { spec, status } = request;
  const pools = items(status?.pools);
  const count = status?.poolCount ?? 0;
  const ended = items(status?.conditions).find(
    (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
  );
  const isComplete = ended?.type === 'Complete';
  const told = `Complete (${String(pools.length)}/${String(count)} pools)`;
  return [
    ...[nameOf(request), spec.driver],
    ...(status === undefined || ended?.type === 'Failed' ? NO_COUNTS : countsOf(pools)),
    count,
    isComplete && count > pools.length ? told : (ended?.type ?? 'Pending'),
    isComplete ? since(ended.lastTransitionTime, now) : '<none>',
  ];
}

const NO_COUNTS: readonly string[] = ['-', '-', '-', '-', '-'];
const COUNTS = [
  'totalDevices',
  'availableDevices',
  'allocatedDevices',
  'unavailableDevices',
] as const;

/** Sums of 32 bits, as Go adds them; and how many pools could not be looked at. */
function countsOf(pools: readonly PoolStatus[]): string[] {
  const sums = COUNTS.map((key) => pools.reduce((sum, pool) => (sum + (pool[key] ?? 0)) | 0, 0));
  const errors = pools.filter(({ validationError }) => validationError !== undefined).length;
  return [...sums, errors].map(String);
}

const ENDS: readonly string[] = ['Issued', 'Denied', 'Failed'];

/** Name, PodName, ServiceAccountName, NodeName, SignerName, State, UnverifiedUserAnnotations. */
export function podCertificateRequestCells(request: PodCertificateRequest): Cell[] {
  const { podName, serviceAccountName, nodeName, signerName } = request.spec;
  const states = items(request.status.conditions).filter(({ type }) => ENDS.includes(type));
  const state = states.at(-1)?.type ?? 'Pending';
  const annotations = labelsText(request.spec.unverifiedUserAnnotations);
  return [nameOf(request), podName, serviceAccountName, nodeName, signerName, state, annotations];
}
