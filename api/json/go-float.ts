/**
 * Numbers with a fraction as Go's `%v` prints them: the fewest digits that tell the number, with
 * an exponent below 1e-4 and already from 1e+06 on.
 */
import { int64Of } from './int64.ts';

/** What of decoded JSON is an int64 in Go. */
export function isGoInteger(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Whether a float64 has no fraction and can be converted to an int64. */
export function fitsInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** What a float64 that no int64 holds becomes on the processors that servers have. */
const INT64_MIN = -(2n ** 63n);

/** What Go makes of a float64 as an int64: its whole part, as JSON values have it. */
export function wholePart(value: number): number | bigint {
  const whole = Math.trunc(value);
  return fitsInt64(whole) ? int64Of(BigInt(whole)) : INT64_MIN;
}

/** A number of decoded JSON: int64 in full, float64 as above. */
export function formatGoNumber(value: number | bigint): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  return formatGoFloat(value);
}

/** As Go's `strconv.FormatFloat(value, 'g', -1, 64)` writes it: `1e+06`, `0.0001`. */
export function formatGoFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponentText = ''] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
