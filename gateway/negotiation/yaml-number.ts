/** Numbers as Go writes them in YAML, where a whole one is an int64 or a uint64, and every other a float64. */
import { formatGoFloat } from './go-float.ts';

/** What is no text, as Go's YAML writes it: bools, null and numbers. */
export function formatPlain(value: number | bigint | boolean | null): string {
  if (typeof value === 'bigint')
    return isYamlInteger(value) ? String(value) : formatGoFloat(Number(value));
  if (typeof value !== 'number') return String(value);
  // A double at the lower end has been written with other digits, which are beyond it.
  const isWhole = Number.isInteger(value) && isYamlInteger(value) && value !== -(2 ** 63);
  // The digits that JSON has, which came in and can be read again; a double has more of them.
  return isWhole ? String(value === 0 ? 0 : value) : formatGoFloat(value);
}

/** Whole numbers beyond these bounds are float64 to Go's YAML. */
function isYamlInteger(value: number | bigint): boolean {
  return value < 2n ** 64n && value >= -(2n ** 63n);
}

/** Go reads a number as YAML that JSON spells with a fraction or an exponent, which makes it a float64. */
export function formatSpelled(literal: string): string {
  const value = Number(literal);
  if (value !== 0) return formatGoFloat(value);
  return literal.startsWith('-') && literal !== '-0' ? '-0' : '0';
}
