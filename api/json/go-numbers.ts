/**
 * Numbers as Go has them: what an int64 holds, texts that clients send as whole numbers or floats
 * (besides the usual forms `1_000`, hexadecimal mantissas, `inf` and `nan`), and floats as `%v`
 * prints them.
 *
 * The digits of a whole number are counted before they are read, because `BigInt(text)` takes more
 * than linear time: a million digits hold the event loop for tens of milliseconds. No other file
 * gives a text to `BigInt`; a lint rule sees to it.
 *
 * In Go: ParseInt, ParseUint, ParseFloat and FormatFloat, strconv.
 */

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** True for -2^63 … 2^63-1. */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** The int64 as JSON values have it: a number where a double keeps it. */
export function int64Of(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** What of decoded JSON is an int64 in Go. */
export function isGoInteger(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Whether a float64 has no fraction and can be converted to an int64. */
export function fitsInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/**
 * What Go makes of a float64 as an int64: its whole part, as JSON values have it. One that no int64
 * holds becomes the smallest, on the processors that servers have.
 */
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

const DIGITS = String.raw`\d+(?:_\d+)*`;
const HEX_DIGITS = String.raw`[\da-fA-F]+(?:_[\da-fA-F]+)*`;
const DECIMAL = new RegExp(
  String.raw`^[+-]?(?:${DIGITS}(?:\.(?:${DIGITS})?)?|\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`,
);
const HEXADECIMAL = new RegExp(
  String.raw`^([+-]?)0[xX](?:_?(${HEX_DIGITS})(?:\.(${HEX_DIGITS})?)?|\.(${HEX_DIGITS}))[pP]([+-]?${DIGITS})$`,
);
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** @returns undefined for what is no number, and for one beyond the range. */
export function parseGoFloat(text: string): number | undefined {
  const number = DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : hexadecimal(text);
  if (number !== undefined) return Number.isFinite(number) ? number : undefined;
  if (/^nan$/i.test(text)) return NaN;
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === '-' ? -Infinity : Infinity;
}

/** More digits than a mantissa of 53 bits can tell apart; of the others only whether there is one. */
const HEX_DIGITS_MAX = 16;

function hexadecimal(text: string): number | undefined {
  const match = HEXADECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', behindWhole = '', alone = '', power = ''] = match.map(
    (group: string | undefined) => (group ?? '').replaceAll('_', ''),
  );
  const fraction = behindWhole + alone;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return sign === '-' ? -0 : 0;
  const first = digits.slice(0, HEX_DIGITS_MAX);
  const isExact = !/[^0]/.test(digits.slice(HEX_DIGITS_MAX));
  // One bit more stands for all that were left out.
  const mantissa = BigInt(`0x${first}`) * 2n + (isExact ? 0n : 1n);
  const left = 4 * (digits.length - first.length - fraction.length) - 1;
  const value = scaled(mantissa, left + Number(power));
  return sign === '-' ? -value : value;
}

const SMALLEST_POWER = -1074;
const BEYOND = 2_200;

/** `mantissa` × 2^`power`, rounded once, to the even one of two that are as near. */
function scaled(mantissa: bigint, power: number): number {
  if (power > BEYOND) return Infinity;
  if (power < -BEYOND) return 0;
  const [value, exponent] =
    power >= SMALLEST_POWER
      ? [mantissa, power]
      : [roundedShift(mantissa, BigInt(SMALLEST_POWER - power)), SMALLEST_POWER];
  // In two steps, since 2^1024 is no number, and neither is 2^-1100.
  const half = Math.trunc(exponent / 2);
  return Number(value) * 2 ** half * 2 ** (exponent - half);
}

function roundedShift(value: bigint, bits: bigint): bigint {
  const shifted = value >> bits;
  const twice = (value - (shifted << bits)) * 2n;
  const unit = 1n << bits;
  const isUp = twice > unit || (twice === unit && (shifted & 1n) === 1n);
  return isUp ? shifted + 1n : shifted;
}

const SIGNED = /^[+-]?\d+$/;
const UNSIGNED = /^\d+$/;
/** A sign or the letter of a base, and zeros, none of which make a number greater. */
const FRONT = /^(?:[+-]|0[xXoObB])?0*/;
/** Of the largest uint64. */
const DIGITS_MAX = 20;

const UINT64_MAX = 2n ** 64n - 1n;

/** What Go says of a text that is no such number, behind `strconv.ParseInt: parsing "text": `. */
type NumberMisfit = 'invalid syntax' | 'value out of range';

/** As `strconv.ParseInt(text, 10, 64)`. */
export function parseInt64(text: string): bigint | NumberMisfit {
  if (!SIGNED.test(text)) return 'invalid syntax';
  const value = wholeNumber(text);
  return value !== undefined && isInt64(value) ? value : 'value out of range';
}

/** As `strconv.ParseUint(text, 10, 64)`. */
export function parseUint64(text: string): bigint | NumberMisfit {
  if (!UNSIGNED.test(text)) return 'invalid syntax';
  const value = wholeNumber(text);
  return value !== undefined && value <= UINT64_MAX ? value : 'value out of range';
}

/**
 * The number of a literal that `BigInt` takes; undefined where it has more digits behind its leading
 * zeros than that.
 */
export function wholeNumber(literal: string, digitsMax = DIGITS_MAX): bigint | undefined {
  if (literal.length > digitsMax) {
    const front = FRONT.exec(literal)?.[0].length ?? 0;
    if (literal.length - front > digitsMax) return undefined;
  }
  return BigInt(literal);
}
