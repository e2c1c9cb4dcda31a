/**
 * Amounts as `500m`, `0.5Gi` or `2e3`: exact, compared and added as numbers, written back in one
 * canonical way. The surprise is that some texts that are not canonical stay as they were sent
 * (`+1`, `1.500`), because Go keeps a text that looks canonical to its fast path; clients see it.
 *
 * In Kubernetes: Quantity, apimachinery/pkg/api/resource.
 */
import { BoundedMap } from './bounded-map.ts';
import { isInt64, parseInt64, wholeNumber } from '../json/go-numbers.ts';
import { trimEnd } from './trim-end.ts';

/** In which family of suffixes an amount is written: k, M … or Ki, Mi … or e3, e6 …. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The amount is `unscaled` × 10^`exponent`; never finer than a nano (10^-9). */
export interface Quantity {
  /** The digits, as a whole number. */
  readonly unscaled: bigint;
  /** Of ten; negative behind the point. */
  readonly exponent: number;
  /** Which suffixes it is written with. */
  readonly format: QuantityFormat;
  /** Canonical. */
  readonly text: string;
  /** Whether Go keeps it as a decimal of any size; else in 64 bits. */
  readonly isBig?: true;
}

export type ParsedQuantity =
  | { readonly ok: true; readonly quantity: Quantity }
  | { readonly ok: false; readonly why: string };

interface Suffix {
  readonly format: QuantityFormat;
  /** 10 or 2 to the power of this. */
  readonly power: number;
}

interface QuantityParts {
  readonly text: string;
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: Suffix;
}

/** Each character can belong to one part only: else all ways to share the digits out are tried. */
const SHAPE = /^([+-]?)0*([1-9]\d*)?(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;
const WRONG_SHAPE =
  'quantities must match the regular expression ' +
  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

const DECIMAL_SUFFIXES = new Map(Object.entries({ n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9 }));
for (const [index, suffix] of ['T', 'P', 'E'].entries()) {
  DECIMAL_SUFFIXES.set(suffix, 12 + 3 * index);
}
const DECIMAL_SUFFIX_OF = new Map([...DECIMAL_SUFFIXES].map(([suffix, power]) => [power, suffix]));
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const NANO = -9;
/** Digits that always fit Go's int64. */
const FAST_DIGITS_MAX = 18;
/** No count goes so far, and reading longer numbers takes time that grows with its square. */
const TEXT_MAX = 1_000;
/** Amounts further apart than this are not brought to one exponent, which would take all memory. */
const DIGITS_MAX = 10_000;
const INT64_MAX = 2n ** 63n - 1n;
const ZERO: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' };

/** Reads an amount; `why` is upstream's message. White space around it is not accepted here. */
export function parseQuantity(text: string): ParsedQuantity {
  if (text === '0') return { ok: true, quantity: ZERO };
  const match = text === '' ? null : SHAPE.exec(text);
  if (match === null) return { ok: false, why: WRONG_SHAPE };
  if (text.length > TEXT_MAX) return { ok: false, why: WRONG_NUMBER };
  const [, sign = '', whole = '', fraction = '', suffixText = ''] = match;
  const suffix = suffixOf(suffixText);
  if (suffix === undefined) return { ok: false, why: WRONG_SUFFIX };
  const negative = sign === '-';
  const parts = { text, negative, whole: whole === '' ? '0' : whole, fraction, suffix };
  const fast = fastQuantity(parts);
  if (fast !== undefined) return { ok: true, quantity: fast };
  // Only the fast path takes a text without any digit for zero.
  if (!/^[+-]?\.?\d/.test(text)) return { ok: false, why: WRONG_NUMBER };
  return { ok: true, quantity: slowQuantity(parts) };
}

/** Less than 0 when a is the smaller, 0 when they are the same amount. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const signs = Number(a.unscaled > 0n) - Number(a.unscaled < 0n);
  const others = Number(b.unscaled > 0n) - Number(b.unscaled < 0n);
  if (signs !== others || signs === 0) return signs - others;
  // The magnitudes first: aligning 1e2000000000 with 1 would take all memory.
  const magnitudes = magnitudeOf(a) - magnitudeOf(b);
  if (magnitudes !== 0) return magnitudes * signs;
  const [left, right] = aligned(a, b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The sum, in the format of `a`; in that of `b` when a is zero, as upstream has it. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  if (a.unscaled === 0n) return withSize(quantityOf(b.unscaled, b.exponent, b.format), a, b);
  if (b.unscaled === 0n) return withSize(quantityOf(a.unscaled, a.exponent, a.format), a, b);
  const difference = magnitudeOf(a) - magnitudeOf(b);
  if (Math.abs(difference) > DIGITS_MAX) return difference > 0 ? a : b;
  const [left, right] = aligned(a, b);
  return withSize(quantityOf(left + right, Math.min(a.exponent, b.exponent), a.format), a, b);
}

/** A sum in 64 bits is of amounts in 64 bits, and fits there. */
function withSize(sum: Quantity, a: Quantity, b: Quantity): Quantity {
  const isBig = a.isBig ?? b.isBig ?? !isInt64(sum.unscaled);
  return isBig ? { ...sum, isBig } : sum;
}

/** An amount from its parts, with the canonical text worked out. */
export function quantityOf(unscaled: bigint, exponent: number, format: QuantityFormat): Quantity {
  return { unscaled, exponent, format, text: canonicalText(unscaled, exponent, format) };
}

const REMEMBERED_MAX = 4096;
const canonicalTexts = new BoundedMap<string, string>(REMEMBERED_MAX);

/** The canonical text of an amount, remembered for the usual ones; undefined when it is none. */
export function canonicalQuantity(text: string): string | undefined {
  const known = canonicalTexts.peek(text);
  if (known !== undefined) return known;
  const parsed = parseQuantity(text.trim());
  if (!parsed.ok) return undefined;
  if (text.length <= 32) {
    canonicalTexts.set(text, parsed.quantity.text);
  }
  return parsed.quantity.text;
}

function suffixOf(text: string): Suffix | undefined {
  const decimal = DECIMAL_SUFFIXES.get(text);
  if (decimal !== undefined) return { format: 'DecimalSI', power: decimal };
  const binary = BINARY_SUFFIXES.indexOf(text);
  if (binary > 0) return { format: 'BinarySI', power: binary * 10 };
  if (!/^[eE][-+]?\d+$/.test(text)) return undefined;
  const power = parseInt64(text.slice(1));
  if (typeof power === 'string') return undefined;
  return { format: 'DecimalExponent', power: Number(BigInt.asIntN(32, power)) };
}

/** What Go does in 64 bits; undefined when the number does not fit there. */
function fastQuantity(parts: QuantityParts): Quantity | undefined {
  const { text, negative, whole, fraction, suffix } = parts;
  const digits = whole + fraction;
  const isBinary = suffix.format === 'BinarySI';
  const exponent = isBinary ? 0 : suffix.power - fraction.length;
  if (isBinary) {
    const digitsMax = 15 - Math.trunc(Math.fround(suffix.power) * 0.3) - 1;
    if (fraction !== '' || whole.length > digitsMax) return undefined;
  } else if (digits.length > FAST_DIGITS_MAX || exponent < NANO) {
    return undefined;
  }
  const number = numberOf(digits);
  const value = number << (isBinary ? BigInt(suffix.power) : 0n);
  const unscaled = negative ? -value : value;
  const keepsText = isBinary
    ? (number & 7n) !== 0n
    : exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  if (keepsText) return { unscaled, exponent, format: suffix.format, text };
  return quantityOf(unscaled, exponent, suffix.format);
}

function slowQuantity({ negative, whole, fraction, suffix }: QuantityParts): Quantity {
  let { format } = suffix;
  const isBinary = format === 'BinarySI';
  let unscaled = numberOf(whole + fraction) << (isBinary ? BigInt(suffix.power) : 0n);
  let exponent = (isBinary ? 0 : suffix.power) - fraction.length;
  if (exponent < NANO) {
    unscaled = dividedUp(unscaled, NANO - exponent);
    exponent = NANO;
  }
  if (isBinary) {
    const one = powerOfTen(-exponent);
    if (unscaled > INT64_MAX * one) [unscaled, exponent] = [INT64_MAX, 0];
    else if (unscaled > 0n && unscaled < one) format = 'DecimalSI';
  }
  return { ...quantityOf(negative ? -unscaled : unscaled, exponent, format), isBig: true };
}

/** Divides by a power of ten, up: a request for a little gets the least there is, not nothing. */
function dividedUp(value: bigint, power: number): bigint {
  if (value === 0n) return 0n;
  if (power > value.toString().length) return 1n;
  const divisor = powerOfTen(power);
  return (value + divisor - 1n) / divisor;
}

function canonicalText(unscaled: bigint, exponent: number, format: QuantityFormat): string {
  if (unscaled === 0n) return '0';
  if (format === 'BinarySI') {
    const text = binaryText(unscaled, exponent);
    if (text !== undefined) return text;
  }
  let [mantissa, power] = withoutZeros(unscaled);
  power += exponent;
  while (power % 3 !== 0) {
    mantissa *= 10n;
    power--;
  }
  const number = mantissa.toString();
  if (format === 'DecimalExponent') return power === 0 ? number : `${number}e${String(power)}`;
  // Beyond the suffixes Go writes none, and so loses the magnitude; we say the same.
  return number + (DECIMAL_SUFFIX_OF.get(power) ?? '');
}

/** undefined for what is written better without a binary suffix: below 1024, or not whole. */
function binaryText(unscaled: bigint, exponent: number): string | undefined {
  const scale = powerOfTen(Math.abs(exponent));
  const whole = exponent >= 0 ? unscaled * scale : unscaled / scale;
  if (exponent < 0 && whole * scale !== unscaled) return undefined;
  if (whole > -1024n && whole < 1024n) return undefined;
  const [mantissa, times] = withoutKibis(whole);
  return mantissa.toString() + (BINARY_SUFFIXES[times] ?? '');
}

/** Without the zeros at the end of its decimal digits, and how many those were. */
function withoutZeros(value: bigint): [bigint, number] {
  if (value % 10n !== 0n) return [value, 0];
  const digits = value.toString();
  const kept = trimEnd(digits, '0');
  return [numberOf(kept), digits.length - kept.length];
}

function withoutKibis(value: bigint): [bigint, number] {
  let rest = value;
  let times = 0;
  while (rest !== 0n && (rest & 1023n) === 0n) {
    rest >>= 10n;
    times++;
  }
  return [rest, times];
}

function aligned(a: Quantity, b: Quantity): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [
    a.unscaled * powerOfTen(a.exponent - exponent),
    b.unscaled * powerOfTen(b.exponent - exponent),
  ];
}

/** How many digits stand before the decimal point. */
function magnitudeOf({ unscaled, exponent }: Quantity): number {
  return (unscaled < 0n ? -unscaled : unscaled).toString().length + exponent;
}

/** Of an amount whose text is not too long, or of a sum of such. */
function numberOf(digits: string): bigint {
  return wholeNumber(digits, Number.POSITIVE_INFINITY) ?? 0n;
}

function powerOfTen(power: number): bigint {
  return 10n ** BigInt(power);
}
