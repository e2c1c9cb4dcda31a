/** What a CSI driver may say of itself. Upstream's path of the first field is misspelled. */
import { items } from '../../../json/go-values.ts';
import type {
  CSIDriver,
  CSIDriverSpec,
  TokenRequest,
} from '../../../generated/kinds/storage-v1.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { sameValue } from '../../rules/same-value.ts';
import { immutable, isMissing } from '../../rules/value-validation.ts';

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const EXPIRATION_SECONDS_MIN = 600;
const EXPIRATION_SECONDS_MAX = 2 ** 32;
const UPDATE_PERIOD_SECONDS_MIN = 10;

/** What is wrong with a driver, new or changed. */
export function validateDriver(driver: CSIDriver): FieldErrors {
  const spec = driver.spec;
  const policy = spec.fsGroupPolicy ?? '';
  return [
    ...(isMissing(spec.attachRequired) ? [required('spec.attachedRequired')] : []),
    ...requiredAt(spec, 'podInfoOnMount'),
    ...requiredAt(spec, 'storageCapacity'),
    ...(isMissing(spec.fsGroupPolicy) || GROUP_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.fsGroupPolicy', policy, GROUP_POLICIES)]),
    ...validateTokenRequests(items(spec.tokenRequests)),
    ...items(spec.volumeLifecycleModes)
      .filter((mode) => !LIFECYCLE_MODES.includes(mode))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
    ...requiredAt(spec, 'seLinuxMount'),
    ...validateUpdatePeriod(spec),
    ...validateTokenPlace(spec),
  ];
}

/** Whether volumes are attached, and how long they live, stays. */
export function validateDriverChange(driver: CSIDriver, old: CSIDriver): FieldErrors {
  const spec = driver.spec;
  const oldSpec = old.spec;
  const modes = 'volumeLifecycleModes';
  return [
    ...immutable('spec.attachedRequired', spec.attachRequired, oldSpec.attachRequired),
    ...immutable(`spec.${modes}`, spec[modes], oldSpec[modes]),
  ];
}

/** Tokens that a driver asks for may come into logs. */
export function driverWarnings(driver: CSIDriver): readonly string[] {
  const spec = driver.spec;
  if (isMissing(spec.tokenRequests) || !isMissing(spec.serviceAccountTokenInSecrets)) {
    return [];
  }
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true ' +
      'to prevent possible logging of tokens in volume attributes',
  ];
}

/** Said again only when the tokens that are asked for are others. */
export function driverChangeWarnings(driver: CSIDriver, old: CSIDriver): readonly string[] {
  const isSame = sameValue(driver.spec.tokenRequests, old.spec.tokenRequests);
  return isSame ? [] : driverWarnings(driver);
}

function requiredAt(spec: CSIDriverSpec, key: keyof CSIDriverSpec): FieldErrors {
  return isMissing(spec[key]) ? [required(`spec.${key}`)] : [];
}

function validateTokenRequests(requests: readonly TokenRequest[]): FieldErrors {
  const audiences = new Set<string>();
  return requests.flatMap((request, index) => {
    const field = indexPath('spec.tokenRequests', index);
    const audience = request.audience;
    if (audiences.has(audience)) return [duplicateValue(`${field}.audience`, audience)];
    audiences.add(audience);
    return validateExpiration(`${field}.expirationSeconds`, request.expirationSeconds);
  });
}

function validateExpiration(field: string, seconds: number | bigint | undefined): FieldErrors {
  if (seconds === undefined) return [];
  if (seconds < EXPIRATION_SECONDS_MIN) {
    return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  }
  return seconds > EXPIRATION_SECONDS_MAX
    ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

function validateUpdatePeriod(spec: CSIDriverSpec): FieldErrors {
  const key = 'nodeAllocatableUpdatePeriodSeconds';
  const { [key]: seconds } = spec;
  if (seconds === undefined || seconds >= UPDATE_PERIOD_SECONDS_MIN) return [];
  const detail = 'must be greater than or equal to 10 seconds';
  return [invalidValue(`spec.${key}`, seconds, detail)];
}

function validateTokenPlace(spec: CSIDriverSpec): FieldErrors {
  const key = 'serviceAccountTokenInSecrets';
  if (isMissing(spec[key]) || !isMissing(spec.tokenRequests)) return [];
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [invalidValue(`spec.${key}`, spec[key], detail)];
}
