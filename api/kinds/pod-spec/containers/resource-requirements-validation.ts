/**
 * What containers and pods ask for, and what they may take at most.
 *
 * In Kubernetes: validateResourceRequirements and validateResourceClaimNames, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { ResourceRequirements } from '../../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { flatMapUntil, keysOf, remembered } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  ERRORS_SHOWN_MAX,
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
  const seen = remembered(() => new ClaimsSeen());
  return flatMapUntil(items(requirements.claims), ERRORS_SHOWN_MAX, (claim, index) => {
    const path = indexPath(field, index);
    const { name, request = '' } = claim;
    if (name === '') return [required(path)];
    const errors = [
      ...validateClaimUse(path, { name, request }, seen),
      ...validateKnownClaim(path, name, claims),
    ];
    seen.add(name, request);
    return errors;
  });
}

/** What a container has claimed so far: `claim`, or one request of it, `claim/request`. */
class ClaimsSeen {
  readonly #keys = new Set<string>();
  /** How many requests of a claim are among them. */
  readonly #requestsOf = new Map<string, number>();

  has(name: string, request = ''): boolean {
    return this.#keys.has(claimKey(name, request));
  }

  requestsOf(name: string): number {
    return this.#requestsOf.get(name) ?? 0;
  }

  /** A request of a claim that was claimed as a whole adds nothing. */
  add(name: string, request: string): void {
    const key = claimKey(name, request);
    if (this.#keys.has(name) || this.#keys.has(key)) return;
    this.#keys.add(key);
    const slash = key.indexOf('/');
    if (slash < 0) return;
    const claim = key.slice(0, slash);
    this.#requestsOf.set(claim, this.requestsOf(claim) + 1);
  }
}

function claimKey(name: string, request: string): string {
  return request === '' ? name : `${name}/${request}`;
}

/** A whole claim and each request of it overlap. */
function validateClaimUse(
  path: string,
  { name, request }: { readonly name: string; readonly request: string },
  seen: ClaimsSeen,
): FieldErrors {
  if (seen.has(name)) return [duplicateValue(path, name)];
  if (request === '') {
    return Array.from({ length: seen.requestsOf(name) }, () => duplicateValue(path, name));
  }
  const isRepeated = seen.has(name, request);
  return [
    ...invalidFor(`${path}.request`, request, dns1123LabelProblems(request)),
    ...(isRepeated ? [duplicateValue(path, claimKey(name, request))] : []),
  ];
}

function validateKnownClaim(path: string, name: string, claims: ReadonlySet<string>): FieldErrors {
  if (claims.has(name)) return [];
  const known = claims.size === 0 ? ' which is empty' : `: ${listOf(claims)}`;
  const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
  return [notFoundValue(path, name, detail)];
}

/** One text for all errors about the claims of a pod. */
const lists = new WeakMap<ReadonlySet<string>, string>();

function listOf(claims: ReadonlySet<string>): string {
  const known = lists.get(claims);
  if (known !== undefined) return known;
  const made = [...claims].sort().join(', ');
  lists.set(claims, made);
  return made;
}
