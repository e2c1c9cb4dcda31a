/**
 * Requests and limits of a whole pod: what its containers come to, the defaults that are filled in
 * from that, and what is valid. The defaults run after each container has got its own requests,
 * because they add them up.
 *
 * In Kubernetes: defaultHugePagePodLimits and defaultPodRequests, pkg/apis/core/v1;
 * validatePodResources, pkg/apis/core/validation.
 */
import { items } from '../../json/go-values.ts';
import type { PodSpec, ResourceRequirements } from '../../generated/kinds/core-v1.ts';
import {
  flatMapItems,
  forEachEntry,
  forEachKey,
  keysOf,
  remembered,
} from '../../json/work-in-slices.ts';
import { compareQuantities, type Quantity } from '../../meta/quantity.ts';
import type { Amounts } from '../../quota/amounts.ts';
import { containerTotals } from '../../quota/container-totals.ts';
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
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
} from '../../field/field-errors.ts';
import { indexPath, keyPath } from '../../field/field-path.ts';
import { isMissing } from '../rules/value-validation.ts';
import { validateRequirements } from './containers/resource-requirements-validation.ts';

/** Changes `spec.resources` only, and only where the pod says something there already. */
export function setPodLevelResources(spec: PodSpec): void {
  const resources = spec.resources;
  if (!isJsonObject(resources)) return;
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return;
  setHugePageLimits(spec, resources);
  if (!isEmpty(resources.limits)) setPodRequests(spec, resources);
}

function setHugePageLimits(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = remembered(() => resources.limits ?? {});
  const requests = resources.requests ?? {};
  forEachEntry(containerTotals(spec, 'limits'), (name, amount) => {
    if (!isHugePages(name) || Object.hasOwn(requests, name)) return;
    if (!Object.hasOwn(limits, name)) setOwn(limits, name, amount.text);
  });
  if (!isEmpty(limits)) resources.limits = limits;
}

/** What the containers ask for together; failing that, what the pod is limited to. */
function setPodRequests(spec: PodSpec, resources: ResourceRequirements): void {
  const limits = resources.limits ?? {};
  const requests = remembered(() => resources.requests ?? {});
  forEachEntry(containerTotals(spec, 'requests'), (name, amount) => {
    if (!isCpuOrMemory(name) || Object.hasOwn(requests, name)) return;
    setOwn(requests, name, amount.text);
  });
  forEachKey(limits, (name) => {
    const amount = limits[name];
    const isSupported = isCpuOrMemory(name) || isHugePages(name);
    if (amount === undefined || !isSupported || Object.hasOwn(requests, name)) return;
    setOwn(requests, name, amount);
  });
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
  return notLessThan(containerTotals(spec, 'requests'), (name, total) =>
    notLess(field, requests, name, { total, what: 'requests' }),
  );
}

function validateHugePageLimits(
  field: string,
  spec: PodSpec,
  resources: ResourceRequirements,
): FieldErrors {
  const limits = resources.limits ?? {};
  return notLessThan(containerTotals(spec, 'limits'), (name, total) =>
    isHugePages(name) ? notLess(field, limits, name, { total, what: 'limits' }) : [],
  );
}

function notLessThan(
  totals: Amounts,
  findIn: (name: string, total: Quantity) => FieldErrors,
): FieldErrors {
  const errors = remembered((): FieldError[] => []);
  forEachEntry(totals, (name, total) => {
    errors.push(...findIn(name, total));
  });
  return errors;
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
  return flatMapItems(items(spec.containers), (container, index) => {
    const own = container.resources.limits ?? {};
    return flatMapItems(keysOf(own), (name) => {
      const isMore = Object.hasOwn(limits, name) && compareAmounts(own[name], limits[name]) > 0;
      if (!isMore) return [];
      const path = keyPath(indexPath(`${field}.containers`, index), name);
      const most = quantityAt(limits[name]).text;
      const detail = `must be less than or equal to pod limits of ${most}`;
      return [invalidValue(`${path}.limits`, quantityAt(own[name]).text, detail)];
    });
  });
}
