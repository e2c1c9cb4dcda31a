/**
 * How far a limit may be above the request, which cannot be further than the limits themselves
 * are apart. Small amounts are compared in thousandths, as Go does it.
 *
 * In Kubernetes: ValidateLimitRange, pkg/apis/core/validation.
 */
import type { Quantity } from '../../../meta/quantity.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { wholeOf } from '../../rules/resource-names.ts';

/** Beyond this many an amount has no thousandths that fit Go's int64. */
const MILLI_MAX = (2n ** 63n - 1n) / 1000n;
const DIGITS = 6;

export interface Range {
  readonly min: Quantity | undefined;
  readonly max: Quantity | undefined;
  readonly ratio: Quantity | undefined;
}

export function ratioErrors(field: string, { min, max, ratio }: Range): FieldErrors {
  if (ratio === undefined) return [];
  const isBelowOne = isLessThanOne(ratio)
    ? [invalidValue(field, ratio.text, `ratio ${ratio.text} is less than 1`)]
    : [];
  if (min === undefined || max === undefined) return isBelowOne;
  const isSmall = [ratio, min, max].every((one) => wholeOf(one) < MILLI_MAX);
  const value = isSmall ? Number(millisOf(ratio)) / 1000 : Number(wholeOf(ratio));
  const most = isSmall
    ? Number(millisOf(max)) / Number(millisOf(min))
    : Number(wholeOf(max)) / Number(wholeOf(min));
  if (!(value > most)) return isBelowOne;
  const detail = `ratio ${ratio.text} is greater than max/min = ${formatFloat(most)}`;
  return [...isBelowOne, invalidValue(field, ratio.text, detail)];
}

function isLessThanOne({ unscaled, exponent }: Quantity): boolean {
  if (unscaled <= 0n) return true;
  return exponent < 0 && unscaled < 10n ** BigInt(Math.min(-exponent, 400));
}

function millisOf({ unscaled, exponent, format, text }: Quantity): bigint {
  return wholeOf({ unscaled, exponent: exponent + 3, format, text });
}

/** As `%f` prints it. */
function formatFloat(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(DIGITS);
  return value === Infinity ? '+Inf' : '-Inf';
}
