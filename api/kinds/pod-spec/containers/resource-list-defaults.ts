/**
 * Defaults of the maps from a resource's name to an amount. Amounts finer than a milli are rounded
 * up in every list of every kind, also in a status.
 *
 * In Kubernetes: SetDefaults_ResourceList, pkg/apis/core/v1; RoundUp of Quantity,
 * apimachinery/pkg/api/resource.
 */
import type { ResourceRequirements } from '../../../generated/kinds/core-v1.ts';
import type { Quantity } from '../../../json/go-values.ts';
import { forEachKey } from '../../../json/work-in-slices.ts';
import { setOwn } from '../../../json/own-property.ts';
import { parseQuantity as parseExact, quantityOf } from '../../../meta/quantity.ts';

/** Amounts by the name of what there is that much of. */
interface ResourceList {
  [name: string]: Quantity;
}

/** Rounds the amounts of the list; does nothing where there is none. */
export function setResourceListDefaults(list: ResourceList | null | undefined): void {
  if (list === undefined || list === null) return;
  forEachKey(list, (name) => {
    const amount = list[name];
    if (amount === undefined) return;
    const rounded = roundedUpToMilli(amount);
    if (rounded !== amount) setOwn(list, name, rounded);
  });
}

/** Rounds limits and requests; does nothing where there are none. */
export function setResourceRequirementsDefaults(
  requirements: Pick<ResourceRequirements, 'limits' | 'requests'> | undefined,
): void {
  setResourceListDefaults(requirements?.limits);
  setResourceListDefaults(requirements?.requests);
}

/** Copies into `target` what `source` has and `target` has not. */
export function fillMissingAmounts(target: ResourceList, source: ResourceList | undefined): void {
  if (source === undefined) return;
  forEachKey(source, (name) => {
    const amount = source[name];
    if (amount !== undefined && !Object.hasOwn(target, name)) setOwn(target, name, amount);
  });
}

const NANO = -9;
const MILLI = -3;

/** Beyond this many digits an amount is only known to be larger than any other. */
const DIGITS_MAX = 400;

/** Whole numbers and milli values: what nearly every pod says, and what needs no rounding. */
const neverRounded = /^\d+(?:[mkMGTPE]|[KMGTPE]i)?$/;

/** undefined when `text` is no quantity. */
export function parseQuantity(text: string): { readonly nanos: bigint } | undefined {
  const parsed = parseExact(text);
  if (!parsed.ok) return undefined;
  const { unscaled, exponent } = parsed.quantity;
  return { nanos: unscaled * 10n ** BigInt(Math.min(exponent - NANO, DIGITS_MAX)) };
}

/** The text itself when it is exact in milli; the next larger milli value when it is finer. */
export function roundedUpToMilli(text: string): string {
  if (neverRounded.test(text)) return text;
  const parsed = parseExact(text);
  if (!parsed.ok || parsed.quantity.exponent >= MILLI) return text;
  const { unscaled, exponent, format } = parsed.quantity;
  const divisor = 10n ** BigInt(MILLI - exponent);
  if (unscaled % divisor === 0n) return text;
  const awayFromZero = unscaled < 0n ? -1n : 1n;
  return quantityOf(unscaled / divisor + awayFromZero, MILLI, format).text;
}
