/** The whole numbers that Go keeps in 64 bits, and how JSON values have them. */

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
