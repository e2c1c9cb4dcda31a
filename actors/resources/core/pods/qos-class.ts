/**
 * How well a pod is served when its node runs short: Guaranteed when every container has limits
 * for both cpu and memory and asks for just these, BestEffort when none asks for anything.
 *
 * In Kubernetes: ComputePodQOS, pkg/apis/core/helper/qos.
 */
import { isJsonObject, objectAt, type JsonObject } from '../../../../api/meta/json.ts';
import { nanosOf } from '../../amount.ts';
import { objectsAt } from '../../value-validation.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Nanos by resource; only cpu and memory count. */
type Amounts = Map<string, bigint>;

const COUNTED_RESOURCES = ['cpu', 'memory'];

export function qosClassOf(podSpec: JsonObject): QosClass {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  let isLimited = true;
  for (const resources of resourcesOf(podSpec)) {
    addAmounts(requests, resources['requests']);
    const limited = addAmounts(limits, resources['limits']);
    isLimited &&= limited === COUNTED_RESOURCES.length;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return isLimited && isSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

/** What the pod as a whole says counts alone; ephemeral containers never count. */
function resourcesOf(podSpec: JsonObject): JsonObject[] {
  const ofPod = podSpec['resources'];
  if (isJsonObject(ofPod)) return [ofPod];
  const containers = [...objectsAt(podSpec, 'containers'), ...objectsAt(podSpec, 'initContainers')];
  return containers.map((container) => objectAt(container, 'resources') ?? {});
}

/** Returns for how many resources there is an amount above zero. */
function addAmounts(sum: Amounts, list: JsonObject[string]): number {
  let count = 0;
  for (const resource of COUNTED_RESOURCES) {
    const amount = nanosOf(isJsonObject(list) ? list[resource] : undefined);
    if (amount <= 0n) continue;
    count += 1;
    sum.set(resource, (sum.get(resource) ?? 0n) + amount);
  }
  return count;
}

function isSame(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([resource, amount]) => b.get(resource) === amount);
}
