/**
 * The order of keys in YAML that Go writes: letters behind everything else, numbers by value.
 *
 * In Kubernetes: sorter.go of go.yaml.in/yaml/v2.
 */

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;
/** So many digits, even of other scripts, are exact in a double. */
const PART_SCALE = 1e9;

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
  const start = (one === '0' || other === '0') && followsNonZeroDigit(a, index) ? 1n : 0n;
  const [number, digits] = numberAt(a, index, start);
  const [otherNumber, otherDigits] = numberAt(b, index, start);
  if (number !== otherNumber) return number < otherNumber ? -1 : 1;
  return digits === otherDigits ? byCode : digits - otherDigits;
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

/**
 * The number whose digits begin at `index`, cut to 64 bits, and how many they are. A key may be
 * nothing but digits and as long as a body, so no number here grows with it.
 */
function numberAt(text: string, index: number, start: bigint): [number: bigint, digits: number] {
  let number = start;
  let digits = 0;
  let part = 0;
  let scale = 1;
  for (let at = index; at < text.length;) {
    const character = characterAt(text, at);
    if (!isDigit(character)) break;
    part = part * 10 + codeOf(character) - codeOf('0');
    scale *= 10;
    digits += 1;
    at += character.length;
    if (scale < PART_SCALE) continue;
    number = joined(number, scale, part);
    part = 0;
    scale = 1;
  }
  return [joined(number, scale, part), digits];
}

function joined(number: bigint, scale: number, part: number): bigint {
  return BigInt.asIntN(64, number * BigInt(scale) + BigInt(part));
}

function isDigit(character: string): boolean {
  const code = codeOf(character);
  return code < 0x80 ? code >= 0x30 && code <= 0x39 : DIGIT.test(character);
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
