/**
 * Requests and limits of a whole pod, filled in from its containers. Runs after each container has
 * got its own requests, because it adds them up.
 *
 * In Kubernetes: defaultHugePagePodLimits and defaultPodRequests, pkg/apis/core/v1, over
 * AggregateContainerRequests, component-helpers/resource.
 */
import { isJsonObject, type JsonObject, objectAt } from '../../../api/meta/json.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from '../../../api/meta/quantity.ts';
import { forEachIn, isEmpty } from '../default-field.ts';
import { setKey } from '../../../api/scheme/typed-json-keys.ts';

type Amounts = Map<string, Quantity>;

/** Changes `spec.resources` only, and only where the pod says something there already. */
export function setPodLevelResources(spec: JsonObject): void {
  const resources = spec['resources'];
  if (!isJsonObject(resources)) return;
  if (isEmpty(resources['limits']) && isEmpty(resources['requests'])) return;
  setHugePageLimits(spec, resources);
  if (!isEmpty(resources['limits'])) setPodRequests(spec, resources);
}

function setHugePageLimits(spec: JsonObject, resources: JsonObject): void {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
  for (const [name, amount] of containerTotals(spec, 'limits')) {
    if (!isHugePages(name) || Object.hasOwn(requests, name)) continue;
    if (!Object.hasOwn(limits, name)) setKey(limits, name, amount.text);
  }
  if (!isEmpty(limits)) resources['limits'] = limits;
}

/** What the containers ask for together; failing that, what the pod is limited to. */
function setPodRequests(spec: JsonObject, resources: JsonObject): void {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
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
  if (!isEmpty(requests)) resources['requests'] = requests;
}

/**
 * What the pod needs at its worst moment: all containers and sidecars together, or an init
 * container beside the sidecars that were started before it.
 */
function containerTotals(spec: JsonObject, list: 'limits' | 'requests'): Amounts {
  const totals: Amounts = new Map();
  forEachIn(spec, 'containers', (container) => {
    addAll(totals, amountsOf(container, list));
  });
  const sidecars: Amounts = new Map();
  const whileStarting: Amounts = new Map();
  forEachIn(spec, 'initContainers', (container) => {
    const own = amountsOf(container, list);
    if (container['restartPolicy'] === 'Always') {
      addAll(totals, own);
      addAll(sidecars, own);
      raiseAll(whileStarting, sidecars);
      return;
    }
    addAll(own, sidecars);
    raiseAll(whileStarting, own);
  });
  raiseAll(totals, whileStarting);
  return totals;
}

function amountsOf(container: JsonObject, list: 'limits' | 'requests'): Amounts {
  const written = objectAt(objectAt(container, 'resources'), list) ?? {};
  const amounts: Amounts = new Map();
  for (const name of Object.keys(written)) {
    const text = written[name];
    const parsed = typeof text === 'string' ? parseQuantity(text) : undefined;
    if (parsed?.ok === true) amounts.set(name, parsed.quantity);
  }
  return amounts;
}

function addAll(totals: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const total = totals.get(name);
    totals.set(name, total === undefined ? amount : addQuantities(total, amount));
  }
}

function raiseAll(totals: Amounts, others: Amounts): void {
  for (const [name, amount] of others) {
    const total = totals.get(name);
    if (total === undefined || compareQuantities(amount, total) > 0) totals.set(name, amount);
  }
}

function isCpuOrMemory(name: string): boolean {
  return name === 'cpu' || name === 'memory';
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}
