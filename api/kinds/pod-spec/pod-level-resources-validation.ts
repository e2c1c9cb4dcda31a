/**
 * What a whole pod asks for, which must be enough for its containers.
 *
 * In Kubernetes: validatePodResources and validatePodResourceConsistency, pkg/apis/core/validation.
 */
import { items } from '../../json/go-values.ts';
import type { PodSpec, ResourceRequirements } from '../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import { compareQuantities, type Quantity } from '../../meta/quantity.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath, keyPath } from '../../field/field-path.ts';
import { containerTotals } from './containers/container-totals.ts';
import {
  compareAmounts,
  isHugePages,
  quantityAt,
  validateResourceName,
} from '../rules/resource-names.ts';
import { isMissing } from '../rules/value-validation.ts';
import { validateRequirements } from './containers/resource-requirements-validation.ts';

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
