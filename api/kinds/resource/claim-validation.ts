/**
 * Which devices a claim asks for, in claims and in templates of claims.
 *
 * In Kubernetes: validateDeviceClaim, pkg/apis/resource/validation.
 */
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../json/json.ts';
import { dns1123SubdomainProblems } from '../../meta/names.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { requiredText } from '../rules/text-validation.ts';
import { isMissing, objectsAt, stringsAt } from '../rules/value-validation.ts';
import { validateList, validateSet } from './list-validation.ts';
import { validateLabelName, validateQualifiedAttributeName } from './name-validation.ts';
import { validateSelectors, validateSettings } from './selector-validation.ts';
import { validateToleration } from './taint-validation.ts';

export const REQUESTS_MAX = 32;
const CONSTRAINTS_MAX = 32;
export const CONFIG_MAX = 32;
const ALTERNATIVES_MAX = 8;
const ALLOCATION_MODES = ['All', 'ExactCount'];
const NO_REFERENCE =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The names of requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** `claim` is the `devices` of a spec. */
export function validateDeviceClaim(field: string, claim: JsonObject): FieldErrors {
  const names = requestNamesOf(claim);
  return [
    ...validateSet(`${field}.requests`, objectsAt(claim, 'requests'), {
      itemsMax: REQUESTS_MAX,
      keyOf: (request) => stringAt(request, 'name'),
      check: validateRequest,
    }),
    ...validateList(
      `${field}.constraints`,
      objectsAt(claim, 'constraints'),
      CONSTRAINTS_MAX,
      (path, constraint) => validateConstraint(path, constraint, names),
    ),
    ...validateList(`${field}.config`, objectsAt(claim, 'config'), CONFIG_MAX, (path, config) => [
      ...validateRequestNames(`${path}.requests`, config, names),
      ...validateSettings(path, config),
    ]),
  ];
}

export function requestNamesOf(claim: JsonObject | undefined): RequestNames {
  return new Map(
    objectsAt(claim, 'requests').map((request) => [
      stringAt(request, 'name'),
      new Set(objectsAt(request, 'firstAvailable').map((one) => stringAt(one, 'name'))),
    ]),
  );
}

/** The names in the list at `requests` of `owner`. */
export function validateRequestNames(
  field: string,
  owner: JsonObject,
  names: RequestNames,
): FieldErrors {
  return validateSet(field, stringsAt(owner, 'requests'), {
    itemsMax: REQUESTS_MAX,
    keyOf: (name) => name,
    check: (path, name) => validateRequestName(path, name, names),
  });
}

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

function validateRequest(field: string, request: JsonObject): FieldErrors {
  return [
    ...validateLabelName(`${field}.name`, stringAt(request, 'name')),
    ...validateChoice(field, request),
  ];
}

function validateChoice(field: string, request: JsonObject): FieldErrors {
  const exactly = objectAt(request, 'exactly');
  const alternatives = objectsAt(request, 'firstAvailable');
  const one = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly !== undefined && alternatives.length > 0) {
    return [invalidValue(field, null, `${one}, but multiple fields are set`)];
  }
  if (exactly !== undefined) return validateDevices(`${field}.exactly`, exactly);
  if (alternatives.length === 0) return [required(field, one)];
  return validateSet(`${field}.firstAvailable`, alternatives, {
    itemsMax: ALTERNATIVES_MAX,
    keyOf: (alternative) => stringAt(alternative, 'name'),
    check: (path, alternative) => [
      ...validateLabelName(`${path}.name`, stringAt(alternative, 'name')),
      ...validateDevices(path, alternative),
    ],
  });
}

/** The class, the selectors, and how many. */
function validateDevices(field: string, request: JsonObject): FieldErrors {
  const className = stringAt(request, 'deviceClassName');
  return [
    ...requiredText(`${field}.deviceClassName`, className, dns1123SubdomainProblems),
    ...validateSelectors(`${field}.selectors`, request),
    ...validateCount(field, request),
    ...objectsAt(request, 'tolerations').flatMap((toleration, index) =>
      validateToleration(indexPath(`${field}.tolerations`, index), toleration),
    ),
  ];
}

function validateCount(field: string, request: JsonObject): FieldErrors {
  const mode = stringAt(request, 'allocationMode');
  const count = numberAt(request, 'count') ?? 0;
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
  constraint: JsonObject,
  names: RequestNames,
): FieldErrors {
  // Upstream looks at the first of the two only.
  const key = ['matchAttribute', 'distinctAttribute'].find((one) => !isMissing(constraint[one]));
  const detail =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, ' +
    'but multiple fields are set';
  return [
    ...validateRequestNames(`${field}.requests`, constraint, names),
    ...(key === undefined
      ? [required(field, detail)]
      : validateQualifiedAttributeName(`${field}.${key}`, stringAt(constraint, key))),
  ];
}

/** The devices of a spec, an empty object when there are none. */
export function devicesOf(spec: JsonObject | undefined): JsonObject {
  const devices = spec?.['devices'];
  return isJsonObject(devices) ? devices : {};
}
