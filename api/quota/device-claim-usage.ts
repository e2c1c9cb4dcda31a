/**
 * What a ResourceClaim uses of a quota: devices by their class, at the worst.
 *
 * In Kubernetes: claimEvaluator, pkg/quota/v1/evaluator/core. What pods ask for as an extended
 * resource, and get by a claim, is counted as the pod's alone.
 */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../meta/json.ts';
import { addQuantities } from '../meta/quantity.ts';
import { ONE, whole, type Amounts, type AmountsToFill } from './amounts.ts';

const COUNT = 'count/resourceclaims.resource.k8s.io';
const OF_CLASS = '.deviceclass.resource.k8s.io/devices';
/** In Kubernetes: AllocationResultsMaxSize. */
const DEVICES_MAX = 32;

export function isDeviceClaimResource(name: string): boolean {
  return name === COUNT || name.endsWith(OF_CLASS);
}

export function deviceClaimUsage(claim: JsonObject): Amounts {
  const usage: AmountsToFill = new Map([[COUNT, ONE]]);
  const devices = objectAt(objectAt(claim, 'spec'), 'devices');
  for (const request of itemsAt(devices, 'requests')) {
    for (const [name, count] of devicesOf(request)) {
      const now = usage.get(name);
      usage.set(name, now === undefined ? whole(count) : addQuantities(now, whole(count)));
    }
  }
  return usage;
}

/** Of several that it could get, the most of each class. */
function devicesOf(request: JsonObject): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const choices = itemsAt(request, 'firstAvailable');
  for (const choice of choices) {
    const name = nameOf(choice);
    const count = countOf(choice);
    if (count > (counts.get(name) ?? 0)) counts.set(name, count);
  }
  const exactly = objectAt(request, 'exactly');
  if (choices.length === 0 && exactly !== undefined) counts.set(nameOf(exactly), countOf(exactly));
  return counts;
}

function nameOf(one: JsonObject): string {
  return stringAt(one, 'deviceClassName') + OF_CLASS;
}

function countOf(one: JsonObject): number {
  const mode = stringAt(one, 'allocationMode');
  if (mode === 'All') return DEVICES_MAX;
  const { count } = one;
  return mode === 'ExactCount' && typeof count === 'number' ? count : 0;
}
