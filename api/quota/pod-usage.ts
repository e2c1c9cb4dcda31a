/**
 * What a pod uses of a quota, which is what it asks for all in all: its containers side by side, its
 * init containers one behind the other, sidecars through both; while it is being resized the greater
 * of what it has and what it is going to have.
 *
 * In Kubernetes: podEvaluator, pkg/quota/v1/evaluator/core/pods.go; PodRequests and PodLimits,
 * component-helpers/resource, as quotas use them.
 */
import type { Container, Pod, PodStatus } from '../generated/kinds/core-v1.ts';
import { items } from '../json/go-values.ts';
import { forEachEntry, remembered, rememberedOf } from '../json/work-in-slices.ts';
import {
  addTo,
  amountOf,
  type Amounts,
  amountsIn,
  type AmountsToFill,
  isZero,
  ONE,
  raiseTo,
} from './amounts.ts';
import { addQuantities } from '../meta/quantity.ts';
import { type AmountKind, containerTotals } from './container-totals.ts';
import { isExtended, isExtendedInQuota, REQUESTS } from './extended-resources.ts';

/** Whether the pod itself says what it needs, and not only its containers. */
function hasOwnResources(pod: Pod): boolean {
  return ownAmounts(pod, 'requests').size + ownAmounts(pod, 'limits').size > 0;
}

function podRequests(pod: Pod): Amounts {
  const requests = containerTotals(pod.spec, 'requests', effectiveAmounts(pod, 'requests'));
  const own = ownAmounts(pod, 'requests');
  remembered(() => {
    for (const [name, amount] of own) requests.set(name, amount);
  });
  addTo(requests, amountsIn(pod.spec.overhead));
  return requests;
}

function podLimits(pod: Pod): Amounts {
  const limits = containerTotals(pod.spec, 'limits', effectiveAmounts(pod, 'limits'));
  const own = ownAmounts(pod, 'limits');
  remembered(() => {
    for (const [name, amount] of own) limits.set(name, amount);
  });
  forEachEntry(amountsIn(pod.spec.overhead), (name, amount) => {
    const limit = limits.get(name);
    // What has no limit gets none by it.
    if (limit !== undefined && !isZero(limit)) limits.set(name, addQuantities(limit, amount));
  });
  return limits;
}

/** What stands on the pod itself, as far as that is a thing that can be said there. */
function ownAmounts({ spec }: Pod, kind: AmountKind): Amounts {
  const own = amountsIn(spec.resources?.[kind]);
  for (const name of own.keys()) {
    const isKnown = name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
    if (!isKnown) own.delete(name);
  }
  return own;
}

/** What of a container counts: what was asked for, what it has, what it was promised. */
function effectiveAmounts({ status }: Pod, kind: AmountKind): (container: Container) => Amounts {
  const { containerStatuses, initContainerStatuses } = status;
  const [some, others] = [items(containerStatuses), items(initContainerStatuses)];
  const statuses = rememberedOf(
    [some, others],
    () => new Map([...some, ...others].map((one) => [one.name, one])),
  );
  const isInfeasible = isResizeInfeasible(status);
  return (container) => {
    const asked = amountsIn(container.resources[kind]);
    const has = statuses.get(container.name);
    const actuated = has?.resources;
    if (actuated === undefined) return asked;
    const greatest: AmountsToFill = isInfeasible ? amountsIn(undefined) : asked;
    raiseTo(greatest, amountsIn(actuated[kind]));
    if (kind === 'requests') raiseTo(greatest, amountsIn(has?.allocatedResources));
    return greatest;
  };
}

function isResizeInfeasible({ conditions }: PodStatus): boolean {
  const pending = items(conditions).find(({ type }) => type === 'PodResizePending');
  return pending?.reason === 'Infeasible';
}

const COUNT = 'count/pods';
const NAMES: ReadonlySet<string> = new Set([
  COUNT,
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
]);
const HUGE_PAGES = 'hugepages-';
const LIMITS = 'limits.';
/** Where a quota counts one of these, every container has to say how much it needs. */
const TO_BE_SAID: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);
const ALWAYS: Amounts = new Map([[COUNT, ONE]]);

/** Whether pods use what is called this in a quota. */
export function isPodResource(name: string): boolean {
  if (NAMES.has(name) || name.startsWith(HUGE_PAGES)) return true;
  return name.startsWith(REQUESTS + HUGE_PAGES) || isExtendedInQuota(name);
}

/** Milliseconds since 1970 behind which a pod that is being deleted does not count any more. */
export function podExpiry({ metadata }: Pod): number | undefined {
  const deletedAt = Date.parse(metadata.deletionTimestamp ?? '');
  const graceSeconds = metadata.deletionGracePeriodSeconds;
  if (Number.isNaN(deletedAt) || graceSeconds === undefined) return undefined;
  return deletedAt + Number(graceSeconds) * 1_000;
}

/** Of a pod that has ended only the object itself counts. */
export function podUsage(pod: Pod, now: number): Amounts {
  const { phase } = pod.status;
  const expiry = podExpiry(pod);
  const isExpired = expiry !== undefined && now > expiry;
  if (phase === 'Failed' || phase === 'Succeeded' || isExpired) return ALWAYS;
  const usage = remembered((): AmountsToFill => new Map(ALWAYS));
  addTo(usage, computed(podRequests(pod), podLimits(pod)));
  return usage;
}

/** @returns what is wrong; '' for nothing. */
export function podConstraints(names: readonly string[], pod: Pod): string {
  if (hasOwnResources(pod)) return '';
  const needed = names.filter((name) => TO_BE_SAID.has(name));
  if (needed.length === 0) return '';
  const { containers, initContainers } = pod.spec;
  const missing = new Map<string, Set<string>>();
  for (const container of [...items(containers), ...items(initContainers)]) {
    for (const name of needed) {
      if (isSaid(container, name)) continue;
      const named = missing.get(name) ?? new Set();
      missing.set(name, named.add(container.name));
    }
  }
  if (missing.size === 0) return '';
  const parts = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, named]) => `${name} for: ${[...named].sort().join(',')}`);
  return `must specify ${parts.join('; ')}`;
}

/** Of the names in {@link TO_BE_SAID}. */
function isSaid({ resources: { requests, limits } }: Container, name: string): boolean {
  if (name.startsWith(LIMITS)) return amountOf(limits?.[name.slice(LIMITS.length)]) !== undefined;
  const asked = name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : name;
  return amountOf(requests?.[asked]) !== undefined;
}

function computed(requests: Amounts, limits: Amounts): Amounts {
  const usage = remembered((): AmountsToFill => new Map([['pods', ONE]]));
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) usage.set(name, request).set(REQUESTS + name, request);
    if (limit !== undefined) usage.set(LIMITS + name, limit);
  }
  forEachEntry(requests, (name, request) => {
    if (name.startsWith(HUGE_PAGES)) usage.set(name, request).set(REQUESTS + name, request);
    if (isExtended(name)) usage.set(REQUESTS + name, request);
  });
  return usage;
}
