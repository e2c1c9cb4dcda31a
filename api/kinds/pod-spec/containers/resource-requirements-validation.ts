/**
 * What containers and pods ask for, and what they may take at most.
 *
 * In Kubernetes: validateResourceRequirements and validateResourceClaimNames, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { ResourceRequirements, ResourceClaim } from '../../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { keysOf } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import {
  allowsOvercommit,
  compareAmounts,
  isHugePages,
  quantityAt,
  validateAmount,
  validateHugePages,
} from '../../rules/resource-names.ts';
import { errorsOfKeys, invalidFor } from '../../rules/value-validation.ts';

type NameRule = (field: string, name: string) => FieldErrors;

/** `claims` are the names of the claims that the pod has. */
export function validateRequirements(
  field: string,
  requirements: ResourceRequirements | undefined,
  claims: ReadonlySet<string>,
  validateName: NameRule,
): FieldErrors {
  if (requirements === undefined) return [];
  const limits = requirements.limits ?? {};
  const requests = requirements.requests ?? {};
  const [limited, requested] = [keysOf(limits), keysOf(requests)];
  const isBare = !['cpu', 'memory'].some(
    (name) => Object.hasOwn(limits, name) || Object.hasOwn(requests, name),
  );
  const validateRequest = (name: string): FieldErrors => {
    const path = keyPath(`${field}.requests`, name);
    return [
      ...validateName(path, name),
      ...validateAmount(path, name, requests[name]),
      ...validateWithinLimit(field, requests, limits, name),
      ...validateHugePages(path, name, requests[name]),
    ];
  };
  return [
    ...errorsOfKeys(
      limits,
      (name) => validateEntry(keyPath(`${field}.limits`, name), limits, name, validateName),
      limited,
    ),
    ...errorsOfKeys(requests, validateRequest, requested),
    ...(isBare && (limited.some(isHugePages) || requested.some(isHugePages))
      ? [forbiddenField(field, 'HugePages require cpu or memory')]
      : []),
    ...validateClaimNames(`${field}.claims`, requirements, claims),
  ];
}

function validateEntry(
  path: string,
  amounts: JsonObject,
  name: string,
  validateName: NameRule,
): FieldErrors {
  return [
    ...validateName(path, name),
    ...validateAmount(path, name, amounts[name]),
    ...validateHugePages(path, name, amounts[name]),
  ];
}

/** What cannot be promised twice must have a limit, and ask for just that. */
function validateWithinLimit(
  field: string,
  requests: JsonObject,
  limits: JsonObject,
  name: string,
): FieldErrors {
  const canOvercommit = allowsOvercommit(name);
  if (!Object.hasOwn(limits, name)) {
    return canOvercommit
      ? []
      : [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const difference = compareAmounts(requests[name], limits[name]);
  const shown = quantityAt(requests[name]).text;
  const limit = `${name} limit of ${quantityAt(limits[name]).text}`;
  if (difference !== 0 && !canOvercommit) {
    return [invalidValue(`${field}.requests`, shown, `must be equal to ${limit}`)];
  }
  return difference > 0
    ? [invalidValue(`${field}.requests`, shown, `must be less than or equal to ${limit}`)]
    : [];
}

function validateClaimNames(
  field: string,
  requirements: ResourceRequirements,
  claims: ReadonlySet<string>,
): FieldErrors {
  const seen = new Set<string>();
  return items(requirements.claims).flatMap((claim, index) => {
    const path = indexPath(field, index);
    const name = claim.name;
    if (name === '') return [required(path)];
    return [...validateClaimUse(path, claim, seen), ...validateKnownClaim(path, name, claims)];
  });
}

/** A whole claim and one request of it overlap. Adds the claim to `seen`. */
function validateClaimUse(path: string, claim: ResourceClaim, seen: Set<string>): FieldErrors {
  const name = claim.name;
  const request = claim.request ?? '';
  if (seen.has(name)) return [duplicateValue(path, name)];
  const key = request === '' ? name : `${name}/${request}`;
  const overlaps =
    request === '' ? [...seen].filter((one) => one.startsWith(`${name}/`)).map(() => name) : [];
  const duplicates = seen.has(key) ? [key] : overlaps;
  seen.add(key);
  return [
    ...(request === ''
      ? []
      : invalidFor(`${path}.request`, request, dns1123LabelProblems(request))),
    ...duplicates.map((one) => duplicateValue(path, one)),
  ];
}

function validateKnownClaim(path: string, name: string, claims: ReadonlySet<string>): FieldErrors {
  if (claims.has(name)) return [];
  const known = claims.size === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`;
  const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
  return [notFoundValue(path, name, detail)];
}
