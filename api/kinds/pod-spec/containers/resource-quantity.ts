/**
 * Amounts as defaulting and validation need them: rounded up to milli, and as whole nanos that can
 * be compared.
 *
 * In Kubernetes: RoundUp of Quantity, apimachinery/pkg/api/resource.
 */
import { parseQuantity as parseExact, quantityOf } from '../../../meta/quantity.ts';

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
