/**
 * Text as a number of 64 bits, as Go reads it: besides the usual forms `1_000`, hexadecimal
 * mantissas (`0x1.8p3`), `inf` and `nan`.
 *
 * In Go: ParseFloat, strconv.
 */

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
