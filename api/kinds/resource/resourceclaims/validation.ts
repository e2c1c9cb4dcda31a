/**
 * Which devices a claim asks for, in claims and in templates of claims.
 *
 * In Kubernetes: validateDeviceClaim, pkg/apis/resource/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  DeviceConstraint,
} from '../../../generated/kinds/resource-v1.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { requiredText } from '../../rules/text-validation.ts';
import { validateList, validateSet } from '../list-validation.ts';
import { validateLabelName, validateQualifiedAttributeName } from '../name-validation.ts';
import { validateSelectors, validateSettings } from '../selector-validation.ts';
import { validateToleration } from '../taint-validation.ts';

/** Requests of a claim, names that one setting is about, and devices that are allocated. */
export const REQUESTS_MAX = 32;
const CONSTRAINTS_MAX = 32;
/** Settings for drivers in a claim or a class. */
export const CONFIG_MAX = 32;
const ALTERNATIVES_MAX = 8;
const ALLOCATION_MODES = ['All', 'ExactCount'];
const NO_REFERENCE =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The names of requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** `claim` is the `devices` of a spec. */
export function validateDeviceClaim(field: string, claim: DeviceClaim): FieldErrors {
  const names = requestNamesOf(claim);
  return [
    ...validateSet(`${field}.requests`, items(claim.requests), {
      itemsMax: REQUESTS_MAX,
      keyOf: (request) => request.name,
      check: validateRequest,
    }),
    ...validateList(
      `${field}.constraints`,
      items(claim.constraints),
      CONSTRAINTS_MAX,
      (path, constraint) => validateConstraint(path, constraint, names),
    ),
    ...validateList(`${field}.config`, items(claim.config), CONFIG_MAX, (path, config) => [
      ...validateRequestNames(`${path}.requests`, config.requests, names),
      ...validateSettings(path, config),
    ]),
  ];
}

/** The names of the requests of a claim. */
export function requestNamesOf(claim: DeviceClaim): RequestNames {
  return new Map(
    items(claim.requests).map(({ name, firstAvailable }) => [
      name,
      new Set(items(firstAvailable).map((one) => one.name)),
    ]),
  );
}

/** The names of requests that something is about: each names one of `names`, and none comes twice. */
export function validateRequestNames(
  field: string,
  requests: readonly string[] | undefined,
  names: RequestNames,
): FieldErrors {
  return validateSet(field, items(requests), {
    itemsMax: REQUESTS_MAX,
    keyOf: (name) => name,
    check: (path, name) => validateRequestName(path, name, names),
  });
}

/** `name` or `name/alternative`. */
export function validateRequestName(field: string, name: string, names: RequestNames): FieldErrors {
  const segments = name.split('/');
  if (segments.length > 2) return [invalidValue(field, name, NO_REFERENCE)];
  const alternatives = names.get(segments[0] ?? '');
  const [, alternative] = segments;
  const isKnown =
    alternatives !== undefined && (alternative === undefined || alternatives.has(alternative));
  return [
    ...segments.flatMap((segment) => validateLabelName(field, segment)),
    ...(isKnown ? [] : [invalidValue(field, name, NO_REFERENCE)]),
  ];
}

function validateRequest(field: string, request: DeviceRequest): FieldErrors {
  return [...validateLabelName(`${field}.name`, request.name), ...validateChoice(field, request)];
}

function validateChoice(field: string, request: DeviceRequest): FieldErrors {
  const { exactly } = request;
  const alternatives = items(request.firstAvailable);
  const one = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly !== undefined && alternatives.length > 0) {
    return [invalidValue(field, null, `${one}, but multiple fields are set`)];
  }
  if (exactly !== undefined) return validateDevices(`${field}.exactly`, exactly);
  if (alternatives.length === 0) return [required(field, one)];
  return validateSet(`${field}.firstAvailable`, alternatives, {
    itemsMax: ALTERNATIVES_MAX,
    keyOf: (alternative) => alternative.name,
    check: (path, alternative) => [
      ...validateLabelName(`${path}.name`, alternative.name),
      ...validateDevices(path, alternative),
    ],
  });
}

type Devices = ExactDeviceRequest | DeviceSubRequest;

/** The class, the selectors, and how many. */
function validateDevices(field: string, request: Devices): FieldErrors {
  const { deviceClassName } = request;
  return [
    ...requiredText(`${field}.deviceClassName`, deviceClassName, dns1123SubdomainProblems),
    ...validateSelectors(`${field}.selectors`, request.selectors),
    ...validateCount(field, request),
    ...items(request.tolerations).flatMap((toleration, index) =>
      validateToleration(indexPath(`${field}.tolerations`, index), toleration),
    ),
  ];
}

function validateCount(
  field: string,
  { allocationMode: mode = '', count = 0 }: Devices,
): FieldErrors {
  const path = `${field}.count`;
  const unwanted = `must not be specified when allocationMode is '${mode}'`;
  switch (mode) {
    case 'All':
      return count === 0 ? [] : [invalidValue(path, count, unwanted)];
    case 'ExactCount':
      return count > 0 ? [] : [invalidValue(path, count, 'must be greater than zero')];
    default:
      return [notSupported(`${field}.allocationMode`, mode, ALLOCATION_MODES)];
  }
}

function validateConstraint(
  field: string,
  constraint: DeviceConstraint,
  names: RequestNames,
): FieldErrors {
  // Upstream looks at the first of the two only.
  const key = (['matchAttribute', 'distinctAttribute'] as const).find(
    (one) => constraint[one] !== undefined,
  );
  const detail =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, ' +
    'but multiple fields are set';
  return [
    ...validateRequestNames(`${field}.requests`, constraint.requests, names),
    ...(key === undefined
      ? [required(field, detail)]
      : validateQualifiedAttributeName(`${field}.${key}`, constraint[key] ?? '')),
  ];
}
