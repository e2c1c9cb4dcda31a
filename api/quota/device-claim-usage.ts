/**
 * What a ResourceClaim uses of a quota: devices by their class, at the worst, and the same devices
 * again as the extended resource that the class stands for.
 *
 * The surprise: it is not told by the claim alone. Where a pod asked for the extended resource and
 * the scheduler made the claim for it, the pod counts already, and the claim only for what is more.
 *
 * In Kubernetes: claimEvaluator, pkg/quota/v1/evaluator/core/resource_claims.go.
 */
import type { Pod } from '../generated/kinds/core-v1.ts';
import type {
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaim,
} from '../generated/kinds/resource-v1.ts';
import { items } from '../json/go-values.ts';
import { addQuantities } from '../meta/quantity.ts';
import {
  difference,
  NO_AMOUNTS,
  NONE,
  ONE,
  raiseTo,
  whole,
  type Amounts,
  type AmountsToFill,
} from './amounts.ts';
import { DEVICE_CLASS, isExtendedInQuota, REQUESTS } from './extended-resources.ts';
import { podUsage } from './pod-usage.ts';

const COUNT = 'count/resourceclaims.resource.k8s.io';
const OF_CLASS = '.deviceclass.resource.k8s.io/devices';
const REQUESTS_OF_CLASS = REQUESTS + DEVICE_CLASS;
/** In Kubernetes: AllocationResultsMaxSize. */
const DEVICES_MAX = 32;
const MADE_FOR_POD = 'resource.kubernetes.io/extended-resource-claim';

/** What else there is that decides what claims use. */
export interface DeviceClaimWorld {
  /** The extended resource that a DeviceClass says it stands for. */
  extendedNameOf(className: string): string | undefined;
  /** Whether a DeviceClass stands for the extended resource, or is called by it. */
  isOfClass(extendedName: string): boolean;
  /** The pod for whose extended resources the claim was made, where that is certain. */
  podOf(claim: ResourceClaim): Pod | undefined;
}

/** The pod that a claim says it was made for. */
export interface ClaimOwner {
  /** As the controller reference of the claim has it. */
  readonly podName: string;
  /** As the controller reference of the claim has it. */
  readonly podUid: string;
}

export function isDeviceClaimResource(name: string, world: DeviceClaimWorld): boolean {
  if (name === COUNT || name.endsWith(OF_CLASS)) return true;
  if (!isExtendedInQuota(name)) return false;
  return world.isOfClass(name.slice(REQUESTS.length));
}

/** @param now milliseconds since 1970: by then its pod may have ended. */
export function deviceClaimUsage(
  claim: ResourceClaim,
  now: number,
  world: DeviceClaimWorld,
): Amounts {
  const usage: AmountsToFill = new Map([[COUNT, ONE]]);
  const devices = devicesByClass(claim);
  if (devices.size === 0) return usage;
  const extended: AmountsToFill = new Map();
  for (const [className, count] of devices) {
    usage.set(className + OF_CLASS, count);
    if (className === '') continue;
    extended.set(REQUESTS_OF_CLASS + className, count);
    const name = world.extendedNameOf(className);
    // Of two classes that stand for the same the greater counts; upstream takes either.
    if (name !== undefined) raiseTo(extended, new Map([[REQUESTS + name, count]]));
  }
  const pod = world.podOf(claim);
  const counted = pod === undefined ? NO_AMOUNTS : podUsage(pod, now);
  for (const [name, count] of extended) {
    const more = difference(count, counted.get(name) ?? NONE);
    if (more.unscaled > 0n) usage.set(name, more);
  }
  return usage;
}

/** @returns undefined: it was made by itself, or for something else. */
export function claimOwner({ metadata }: Pick<ResourceClaim, 'metadata'>): ClaimOwner | undefined {
  if (metadata.annotations?.[MADE_FOR_POD] !== 'true') return undefined;
  const owner = items(metadata.ownerReferences).find(({ controller }) => controller === true);
  if (owner?.kind !== 'Pod' || owner.apiVersion !== 'v1') return undefined;
  return { podName: owner.name, podUid: owner.uid };
}

/** Which claim a pod says was made for it; undefined: it does not say yet. */
export function claimNamedBy({ status }: Pod): string | undefined {
  return status.extendedResourceClaimStatus?.resourceClaimName;
}

function devicesByClass({ spec }: ResourceClaim): AmountsToFill {
  const sum: AmountsToFill = new Map();
  for (const request of items(spec.devices.requests)) {
    for (const [className, count] of devicesOf(request)) {
      sum.set(className, addQuantities(sum.get(className) ?? NONE, whole(count)));
    }
  }
  return sum;
}

type Counted = Pick<ExactDeviceRequest, 'allocationMode' | 'count'>;

/** Of several that it could get, the most of each class. */
function devicesOf({ exactly, firstAvailable }: DeviceRequest): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const choices = items(firstAvailable);
  for (const choice of choices) {
    const { deviceClassName } = choice;
    const count = countOf(choice);
    if (count > (counts.get(deviceClassName) ?? 0)) counts.set(deviceClassName, count);
  }
  if (choices.length === 0 && exactly !== undefined) {
    counts.set(exactly.deviceClassName, countOf(exactly));
  }
  return counts;
}

function countOf({ allocationMode, count = 0 }: Counted): number {
  if (allocationMode === 'All') return DEVICES_MAX;
  return allocationMode === 'ExactCount' ? Number(count) : 0;
}
