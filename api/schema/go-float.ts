/**
 * Numbers with a fraction as Go's `%v` prints them: the fewest digits that tell the number, with
 * an exponent below 1e-4 and already from 1e+06 on.
 */

/** What of decoded JSON is an int64 in Go. */
export function isGoInteger(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Whether a float64 has no fraction and can be converted to an int64. */
export function fitsInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** A number of decoded JSON: int64 in full, float64 as above. */
export function formatGoNumber(value: number | bigint): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  return formatGoFloat(value);
}

export function formatGoFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponentText = ''] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
