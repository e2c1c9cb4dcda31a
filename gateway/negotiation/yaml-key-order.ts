/**
 * The order of keys in YAML that Go writes: letters behind everything else, numbers by value.
 *
 * In Kubernetes: sorter.go of go.yaml.in/yaml/v2.
 */

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;
const ZERO = 0x30;
const TWO_TO_32 = 2 ** 32;

export function compareYamlKeys(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  let index = 0;
  while (index < shared && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  if (index === shared) return left.length - right.length;
  // Both halves of a character are looked at together.
  const isInside = isSecondHalf(left.charCodeAt(index)) || isSecondHalf(right.charCodeAt(index));
  const isSplit = isInside && index > 0 && isFirstHalf(left.charCodeAt(index - 1));
  return compareFrom(left, right, isSplit ? index - 1 : index);
}

/** `index` is that of the first difference. */
function compareFrom(a: string, b: string, index: number): number {
  const one = characterAt(a, index);
  const other = characterAt(b, index);
  const byCode = codeOf(one) - codeOf(other);
  const isLetter = LETTER.test(one);
  const otherIsLetter = LETTER.test(other);
  if (isLetter && otherIsLetter) return byCode;
  if (isLetter || otherIsLetter) return otherIsLetter ? -1 : 1;
  const start = (one === '0' || other === '0') && followsNonZeroDigit(a, index) ? 1 : 0;
  const number = numberAt(a, index, start);
  const otherNumber = numberAt(b, index, start);
  if (number.high !== otherNumber.high) return number.high - otherNumber.high;
  if (number.low !== otherNumber.low) return number.low - otherNumber.low;
  const byDigits = number.digits - otherNumber.digits;
  return byDigits === 0 ? byCode : byDigits;
}

/** Whether the digits in front hold more than zeros, so that a zero here counts. */
function followsNonZeroDigit(text: string, index: number): boolean {
  for (let end = index; end > 0;) {
    const isPair = end > 1 && isSecondHalf(text.charCodeAt(end - 1));
    const character = text.slice(isPair ? end - 2 : end - 1, end);
    if (!DIGIT.test(character)) return false;
    if (character !== '0') return true;
    end -= character.length;
  }
  return false;
}

/** The lower and the upper 32 bits of a number, the upper ones with its sign, and its digits. */
interface DigitsNumber {
  readonly low: number;
  readonly high: number;
  readonly digits: number;
}

/**
 * The number whose digits begin at `index`, cut to 64 bits. A key may be nothing but digits and as
 * long as a body, so no number here grows with it.
 */
function numberAt(text: string, index: number, start: number): DigitsNumber {
  let low = start;
  let high = 0;
  let digits = 0;
  for (let at = index; at < text.length; digits += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (!isDigit(code)) break;
    // Digits of other scripts are as far from '0' as they stand, which may be a million.
    const sum = low * 10 + code - ZERO;
    low = sum >>> 0;
    high = (high * 10 + Math.floor(sum / TWO_TO_32)) | 0;
    at += code > 0xffff ? 2 : 1;
  }
  return { low, high, digits };
}

function isDigit(code: number): boolean {
  return code < 0x80 ? code >= ZERO && code < ZERO + 10 : DIGIT.test(String.fromCodePoint(code));
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
