/**
 * Whole numbers in texts that clients send, as Go's strconv reads them. The digits are counted
 * before they are read, because `BigInt(text)` takes more than linear time: a million digits hold
 * the event loop for tens of milliseconds. No other file gives a text to `BigInt`; a lint rule sees
 * to it.
 */
import { isInt64 } from './int64.ts';

const DECIMAL = /^[+-]?\d+$/;
const UNSIGNED = /^\d+$/;
/** A sign or the letter of a base, and zeros, none of which make a number greater. */
const FRONT = /^(?:[+-]|0[xXoObB])?0*/;
/** Of the largest uint64. */
const DIGITS_MAX = 20;

const UINT64_MAX = 2n ** 64n - 1n;

/** What Go says of a text that is no such number, behind `strconv.ParseInt: parsing "text": `. */
export type NumberMisfit = 'invalid syntax' | 'value out of range';

/** As `strconv.ParseInt(text, 10, 64)`. */
export function parseInt64(text: string): bigint | NumberMisfit {
  if (!DECIMAL.test(text)) return 'invalid syntax';
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
