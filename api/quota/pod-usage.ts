/** What a pod uses of a quota. In Kubernetes: podEvaluator, pkg/quota/v1/evaluator/core/pods.go. */
import { itemsAt, type JsonObject, objectAt, stringAt, isNumber } from '../json/json.ts';
import { addTo, amountsIn, ONE, type Amounts, type AmountsToFill } from './amounts.ts';
import { isExtended, isExtendedInQuota, REQUESTS } from './extended-resources.ts';
import { hasOwnResources, podLimits, podRequests } from './pod-resources.ts';

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
export function podExpiry(pod: JsonObject): number | undefined {
  const metadata = objectAt(pod, 'metadata');
  const deletedAt = Date.parse(stringAt(metadata, 'deletionTimestamp'));
  const graceSeconds = metadata?.['deletionGracePeriodSeconds'];
  if (Number.isNaN(deletedAt) || !isNumber(graceSeconds)) return undefined;
  return deletedAt + Number(graceSeconds) * 1_000;
}

/** Of a pod that has ended only the object itself counts. */
export function podUsage(pod: JsonObject, now: number): Amounts {
  const phase = stringAt(objectAt(pod, 'status'), 'phase');
  const expiry = podExpiry(pod);
  const isExpired = expiry !== undefined && now > expiry;
  if (phase === 'Failed' || phase === 'Succeeded' || isExpired) return ALWAYS;
  const usage: AmountsToFill = new Map(ALWAYS);
  addTo(usage, computed(podRequests(pod), podLimits(pod)));
  return usage;
}

/** @returns what is wrong; '' for nothing. */
export function podConstraints(names: readonly string[], pod: JsonObject): string {
  if (hasOwnResources(pod)) return '';
  const needed = names.filter((name) => TO_BE_SAID.has(name));
  if (needed.length === 0) return '';
  const spec = objectAt(pod, 'spec');
  const missing = new Map<string, Set<string>>();
  for (const container of [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')]) {
    const resources = objectAt(container, 'resources');
    const said = computed(
      amountsIn(objectAt(resources, 'requests')),
      amountsIn(objectAt(resources, 'limits')),
    );
    for (const name of needed.filter((one) => !said.has(one))) {
      const containers = missing.get(name) ?? new Set();
      missing.set(name, containers.add(stringAt(container, 'name')));
    }
  }
  if (missing.size === 0) return '';
  const parts = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`);
  return `must specify ${parts.join('; ')}`;
}

function computed(requests: Amounts, limits: Amounts): Amounts {
  const usage: AmountsToFill = new Map([['pods', ONE]]);
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) usage.set(name, request).set(REQUESTS + name, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith(HUGE_PAGES)) usage.set(name, request).set(REQUESTS + name, request);
    if (isExtended(name)) usage.set(REQUESTS + name, request);
  }
  return usage;
}
