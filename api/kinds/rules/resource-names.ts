/**
 * Names of resources (`cpu`, `requests.storage`, `example.com/gpu`) and their amounts: which names
 * may stand where, amounts as plain numbers to be added and compared, and warnings about amounts
 * that are no whole bytes.
 *
 * In Kubernetes: validateResourceName and its kin, pkg/apis/core/validation;
 * warningsForPodSpecAndMeta, pkg/api/pod; GetWarningsForPersistentVolumeClaimSpec,
 * pkg/api/persistentvolumeclaim.
 */
import type { JsonValue } from '../../json/json.ts';
import {
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from '../../meta/quantity.ts';
import { isQualifiedName, qualifiedNameProblems } from '../../meta/names.ts';
import { type FieldErrors, invalidValue } from '../../field/field-errors.ts';
import { invalidFor } from './value-validation.ts';
import type { PersistentVolumeClaimSpec } from '../../generated/kinds/core-v1.ts';
import type { Quantity as QuantityText } from '../../json/go-values.ts';
import { goQuote } from '../../json/go-format.ts';
import { keyPath } from '../../field/field-path.ts';

const NANO_EXPONENT = -9;
/** Beyond this many digits an amount is only known to be larger than any other. */
const AMOUNT_DIGITS_MAX = 400;

/** Whole nanos; 0 when there is no amount, or none that can be read. */
export function nanosOf(amount: JsonValue | undefined): bigint {
  if (typeof amount !== 'string' && typeof amount !== 'number') return 0n;
  const parsed = parseQuantity(String(amount));
  if (!parsed.ok) return 0n;
  const { unscaled, exponent } = parsed.quantity;
  return unscaled * 10n ** BigInt(Math.min(exponent - NANO_EXPONENT, AMOUNT_DIGITS_MAX));
}

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** What is counted in whole numbers. */
const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const QUOTA_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...COUNTED,
]);
const STANDARD_RESOURCES = new Set([...QUOTA_RESOURCES, 'storage']);
const INTEGER_RESOURCES = new Set(COUNTED);
const HUGE_PAGES = 'hugepages-';

/** `hugepages-<size>`. */
export function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

function isHugePagesOfQuota(name: string): boolean {
  return isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`);
}

/** Kubernetes' own, which need no domain. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Not of Kubernetes: it has a domain, and could stand in a quota. */
export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`);
}

/**
 * True for resources whose limits may be above the requests: cpu and memory, not huge pages or
 * devices.
 */
export function allowsOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

/** ValidateResourceName: a standard resource, or a name with a domain. */
export function validateResourceName(field: string, name: string): FieldErrors {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return invalidFor(field, name, problems);
  const isStandard = STANDARD_RESOURCES.has(name) || isHugePagesOfQuota(name);
  if (name.includes('/') || isStandard) return [];
  return [invalidValue(field, name, 'must be a standard resource type or fully qualified')];
}

/** ValidateContainerResourceName: as before, and one that a container can have. */
export function validateContainerResourceName(field: string, name: string): FieldErrors {
  const errors = validateResourceName(field, name);
  if (!name.includes('/')) {
    return CONTAINER_RESOURCES.has(name) || isHugePages(name)
      ? errors
      : [...errors, invalidValue(field, name, 'must be a standard resource for containers')];
  }
  if (isNative(name) || isExtended(name)) return errors;
  return [...errors, invalidValue(field, name, "doesn't follow extended resource name standard")];
}

/** One of Kubernetes' own that a quota can bound. */
export function isQuotaResource(name: string): boolean {
  return QUOTA_RESOURCES.has(name) || isHugePagesOfQuota(name);
}

/** ValidateResourceQuotaResourceName: as before, and one that a quota can count. */
export function validateQuotaResourceName(field: string, name: string): FieldErrors {
  const errors = validateResourceName(field, name);
  const isKnown = name.includes('/') || isQuotaResource(name);
  return isKnown
    ? errors
    : [...errors, invalidValue(field, name, 'must be a standard resource for quota')];
}

/** Decoding has made sure that it can be read; what cannot reads as nothing. */
export function quantityAt(value: JsonValue | undefined): Quantity {
  const parsed = typeof value === 'string' ? parseQuantity(value) : undefined;
  return parsed?.ok === true ? parsed.quantity : NOTHING;
}

const NOTHING: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' };

/** Not negative, and whole where the resource cannot be divided. */
export function validateAmount(
  field: string,
  name: string,
  value: JsonValue | undefined,
): FieldErrors {
  const amount = quantityAt(value);
  const isCounted = INTEGER_RESOURCES.has(name) || isExtended(name);
  return [
    ...(amount.unscaled < 0n
      ? [invalidValue(field, amount.text, 'must be greater than or equal to 0')]
      : []),
    ...(isCounted && !isWholeInMillis(amount)
      ? [invalidValue(field, amount.text, 'must be an integer')]
      : []),
  ];
}

const MILLI = -3;
/** Beyond this many digits every amount is taken for whole. */
const DIGITS_MAX = 400;

/** Go looks at thousandths, rounded up. */
function isWholeInMillis({ unscaled, exponent }: Quantity): boolean {
  if (exponent >= 0) return true;
  const digits = BigInt(Math.min(-exponent, DIGITS_MAX));
  if (exponent >= MILLI) return unscaled % 10n ** digits === 0n;
  const unit = 10n ** (digits + BigInt(MILLI));
  return roundedUp(unscaled, unit) % 1000n === 0n;
}

/** Away from zero, as Go rounds an amount. */
function roundedUp(value: bigint, unit: bigint): bigint {
  const rest = value % unit;
  const whole = value / unit;
  if (rest === 0n) return whole;
  return value < 0n ? whole - 1n : whole + 1n;
}

/** The whole number that Go's Value gives. */
export function wholeOf({ unscaled, exponent }: Quantity): bigint {
  if (exponent >= 0) return unscaled * 10n ** BigInt(Math.min(exponent, DIGITS_MAX));
  return roundedUp(unscaled, 10n ** BigInt(Math.min(-exponent, DIGITS_MAX)));
}

/** IsHugePageResourceValueDivisible: whole pages only. */
export function validateHugePages(
  field: string,
  name: string,
  value: JsonValue | undefined,
): FieldErrors {
  if (!isHugePages(name)) return [];
  const amount = quantityAt(value);
  const size = parseQuantity(name.slice(HUGE_PAGES.length));
  const isPage = size.ok && size.quantity.unscaled > 0n && isWholeInMillis(size.quantity);
  if (isPage && wholeOf(amount) % wholeOf(size.quantity) === 0n) return [];
  const detail = `${amount.text} is not positive integer multiple of ${name}`;
  return [invalidValue(field, amount.text, detail)];
}

/** Less than 0 when `a` is the smaller amount. */
export function compareAmounts(a: JsonValue | undefined, b: JsonValue | undefined): number {
  return compareQuantities(quantityAt(a), quantityAt(b));
}

const NANOS_PER_MILLI = 1_000_000n;

/** @param resources the map of amounts at `field`. */
export function fractionWarnings(
  field: string,
  resources: Readonly<Record<string, QuantityText>> | undefined,
  names: readonly string[],
): readonly string[] {
  return names.flatMap((name) => {
    const amount = resources?.[name];
    if (amount === undefined) return [];
    if (!isFractional(nanosOf(amount))) return [];
    const shown = goQuote(canonicalQuantity(amount) ?? '');
    const path = keyPath(field, name);
    return [`${path}: fractional byte value ${shown} is invalid, must be an integer`];
  });
}

/** About the storage that a claim asks for; `field` is that of its spec. */
export function claimSpecWarnings(
  field: string,
  spec: PersistentVolumeClaimSpec | undefined,
): readonly string[] {
  const resources = spec?.resources;
  return (['requests', 'limits'] as const).flatMap((key) =>
    fractionWarnings(`${field}.resources.${key}`, resources?.[key], ['storage']),
  );
}

/** Upstream counts in thousandths, rounded up. */
function isFractional(nanos: bigint): boolean {
  const millis = (nanos + NANOS_PER_MILLI - 1n) / NANOS_PER_MILLI;
  return millis % 1000n !== 0n;
}
