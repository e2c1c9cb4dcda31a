/**
 * Requests and limits of a whole pod, filled in from its containers. Runs after each container has
 * got its own requests, because it adds them up.
 *
 * In Kubernetes: defaultHugePagePodLimits and defaultPodRequests, pkg/apis/core/v1.
 */
import type { PodSpec, ResourceRequirements } from '../../generated/kinds/core-v1.ts';
import { isJsonObject } from '../../json/json.ts';
import { setKey } from '../../json/typed-json-keys.ts';
import { containerTotals } from './containers/container-totals.ts';
import { isEmpty } from '../default-field.ts';

/** Changes `spec.resources` only, and only where the pod says something there already. */
export function setPodLevelResources(spec: PodSpec): void {
  const resources = spec.resources;
  if (!isJsonObject(resources)) return;
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return;
  setHugePageLimits(spec, resources);
  if (!isEmpty(resources.limits)) setPodRequests(spec, resources);
}

function setHugePageLimits(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  for (const [name, amount] of containerTotals(spec, 'limits')) {
    if (!isHugePages(name) || Object.hasOwn(requests, name)) continue;
    if (!Object.hasOwn(limits, name)) setKey(limits, name, amount.text);
  }
  if (!isEmpty(limits)) resources.limits = limits;
}

/** What the containers ask for together; failing that, what the pod is limited to. */
function setPodRequests(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  for (const [name, amount] of containerTotals(spec, 'requests')) {
    if (!isCpuOrMemory(name) || Object.hasOwn(requests, name)) continue;
    setKey(requests, name, amount.text);
  }
  for (const name of Object.keys(limits)) {
    const amount = limits[name];
    const isSupported = isCpuOrMemory(name) || isHugePages(name);
    if (amount === undefined || !isSupported || Object.hasOwn(requests, name)) continue;
    setKey(requests, name, amount);
  }
  if (!isEmpty(requests)) resources.requests = requests;
}

function isCpuOrMemory(name: string): boolean {
  return name === 'cpu' || name === 'memory';
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}
