/**
 * How well a pod is served when its node runs short: Guaranteed when every container has limits
 * for both cpu and memory and asks for just these, BestEffort when none asks for anything.
 *
 * In Kubernetes: ComputePodQOS, pkg/apis/core/helper/qos.
 */
import type { PodSpec, ResourceRequirements } from '../../../generated/kinds/core-v1.ts';
import { items, type Quantity } from '../../../json/go-values.ts';
import { forEachItem, remembered, stepped } from '../../../json/work-in-slices.ts';
import { nanosOf } from '../../rules/resource-names.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Nanos by resource; only cpu and memory count. */
type Amounts = Map<string, bigint>;

const COUNTED_RESOURCES = ['cpu', 'memory'];
/** A container that says how much it needs takes so many steps more than another item of a list. */
const STEPS_EACH = 4;

/**
 * The class by cpu and memory of all containers, or of the pod as a whole where it names them
 * itself.
 */
export function qosClassOf(podSpec: PodSpec): QosClass {
  const sums = remembered(() => ({
    requests: new Map<string, bigint>(),
    limits: new Map<string, bigint>(),
    isLimited: true,
  }));
  const { requests, limits } = sums;
  forEachItem(resourcesOf(podSpec), (resources) => {
    stepped(STEPS_EACH);
    addAmounts(requests, resources.requests);
    const limited = addAmounts(limits, resources.limits);
    sums.isLimited &&= limited === COUNTED_RESOURCES.length;
  });
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return sums.isLimited && isSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

/** What the pod as a whole says counts alone; ephemeral containers never count. */
function resourcesOf({ resources, containers, initContainers }: PodSpec): ResourceRequirements[] {
  if (resources !== undefined) return [resources];
  return [...items(containers), ...items(initContainers)].map((container) => container.resources);
}

/** Returns for how many resources there is an amount above zero. */
function addAmounts(sum: Amounts, list: { [key: string]: Quantity } = {}): number {
  let count = 0;
  for (const resource of COUNTED_RESOURCES) {
    const amount = nanosOf(list[resource]);
    if (amount <= 0n) continue;
    count += 1;
    sum.set(resource, (sum.get(resource) ?? 0n) + amount);
  }
  return count;
}

function isSame(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([resource, amount]) => b.get(resource) === amount);
}
