/**
 * Requests and limits of a whole pod: what its containers come to, the defaults that are filled in
 * from that, and what is valid. The defaults run after each container has got its own requests,
 * because they add them up.
 *
 * In Kubernetes: AggregateContainerRequests and AggregateContainerLimits,
 * component-helpers/resource; defaultHugePagePodLimits and defaultPodRequests, pkg/apis/core/v1;
 * validatePodResources, pkg/apis/core/validation.
 */
import { items } from '../../json/go-values.ts';
import type { Container, PodSpec, ResourceRequirements } from '../../generated/kinds/core-v1.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from '../../meta/quantity.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { setOwn } from '../../json/own-property.ts';
import { isEmpty } from '../default-field.ts';
import {
  compareAmounts,
  isHugePages,
  quantityAt,
  validateResourceName,
} from '../rules/resource-names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
} from '../../field/field-errors.ts';
import { indexPath, keyPath } from '../../field/field-path.ts';
import { isMissing } from '../rules/value-validation.ts';
import { validateRequirements } from './containers/resource-requirements-validation.ts';

/** Amounts by the name of the resource, `cpu`. */
export type Amounts = Map<string, Quantity>;

/**
 * What the pod needs at its worst moment: all containers and sidecars together, or an init
 * container beside the sidecars that were started before it.
 */
export function containerTotals(spec: PodSpec, list: 'limits' | 'requests'): Amounts {
  const totals: Amounts = new Map();
  for (const container of items(spec.containers)) {
    addAll(totals, amountsOf(container, list));
  }
  const sidecars: Amounts = new Map();
  const whileStarting: Amounts = new Map();
  for (const container of items(spec.initContainers)) {
    const own = amountsOf(container, list);
    if (container.restartPolicy === 'Always') {
      addAll(totals, own);
      addAll(sidecars, own);
      raiseAll(whileStarting, sidecars);
      continue;
    }
    addAll(own, sidecars);
    raiseAll(whileStarting, own);
  }
  raiseAll(totals, whileStarting);
  return totals;
}

function amountsOf(container: Container, list: 'limits' | 'requests'): Amounts {
  const written = container.resources[list] ?? {};
  const amounts: Amounts = new Map();
  for (const name of Object.keys(written)) {
    const text = written[name];
    const parsed = text === undefined ? undefined : parseQuantity(text);
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
    if (!Object.hasOwn(limits, name)) setOwn(limits, name, amount.text);
  }
  if (!isEmpty(limits)) resources.limits = limits;
}

/** What the containers ask for together; failing that, what the pod is limited to. */
function setPodRequests(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  for (const [name, amount] of containerTotals(spec, 'requests')) {
    if (!isCpuOrMemory(name) || Object.hasOwn(requests, name)) continue;
    setOwn(requests, name, amount.text);
  }
  for (const name of Object.keys(limits)) {
    const amount = limits[name];
    const isSupported = isCpuOrMemory(name) || isHugePages(name);
    if (amount === undefined || !isSupported || Object.hasOwn(requests, name)) continue;
    setOwn(requests, name, amount);
  }
  if (!isEmpty(requests)) resources.requests = requests;
}

function isCpuOrMemory(name: string): boolean {
  return name === 'cpu' || name === 'memory';
}

/** As messages list them. */
const SUPPORTED = ['cpu', 'hugepages-', 'memory'];

export function validatePodResources(
  field: string,
  spec: PodSpec,
  claims: ReadonlySet<string>,
): FieldErrors {
  const resources = spec.resources;
  if (resources === undefined) return [];
  const path = `${field}.resources`;
  if (spec.os?.name === 'windows') {
    return [forbiddenField(path, 'may not be set for a windows pod')];
  }
  const claimsForbidden = 'claims may not be set for Resources at pod-level';
  return [
    ...(isMissing(resources.claims) ? [] : [forbiddenField(`${path}.claims`, claimsForbidden)]),
    ...validateRequirements(path, resources, claims, validatePodResourceName),
    ...validateRequests(`${path}.requests`, spec, resources),
    ...validateHugePageLimits(`${path}.limits`, spec, resources),
    ...validateContainerLimits(path, spec, resources),
  ];
}

function validatePodResourceName(field: string, name: string): FieldErrors {
  const errors = validateResourceName(field, name);
  if (errors.length > 0) return errors;
  const isSupported = name === 'cpu' || name === 'memory' || isHugePages(name);
  return isSupported ? [] : [notSupported(field, name, SUPPORTED)];
}

function validateRequests(
  field: string,
  spec: PodSpec,
  resources: ResourceRequirements,
): FieldErrors {
  const requests = resources.requests ?? {};
  return [...containerTotals(spec, 'requests')].flatMap(([name, total]) =>
    notLess(field, requests, name, { total, what: 'requests' }),
  );
}

function validateHugePageLimits(
  field: string,
  spec: PodSpec,
  resources: ResourceRequirements,
): FieldErrors {
  const limits = resources.limits ?? {};
  return [...containerTotals(spec, 'limits')]
    .filter(([name]) => isHugePages(name))
    .flatMap(([name, total]) => notLess(field, limits, name, { total, what: 'limits' }));
}

interface Total {
  readonly total: Quantity;
  readonly what: string;
}

function notLess(field: string, amounts: JsonObject, name: string, sum: Total): FieldErrors {
  if (!Object.hasOwn(amounts, name)) return [];
  const amount = quantityAt(amounts[name]);
  if (compareQuantities(sum.total, amount) <= 0) return [];
  const detail = `must be greater than or equal to aggregate container ${sum.what} of ${sum.total.text}`;
  return [invalidValue(keyPath(field, name), amount.text, detail)];
}

function validateContainerLimits(
  field: string,
  spec: PodSpec,
  resources: ResourceRequirements,
): FieldErrors {
  const limits = resources.limits ?? {};
  return items(spec.containers).flatMap((container, index) => {
    const own = container.resources.limits ?? {};
    const path = indexPath(`${field}.containers`, index);
    return Object.keys(own)
      .filter((name) => Object.hasOwn(limits, name) && compareAmounts(own[name], limits[name]) > 0)
      .map((name) =>
        invalidValue(
          `${keyPath(path, name)}.limits`,
          quantityAt(own[name]).text,
          `must be less than or equal to pod limits of ${quantityAt(limits[name]).text}`,
        ),
      );
  });
}
