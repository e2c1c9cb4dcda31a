/**
 * The order of keys in YAML that Go writes: letters behind everything else, numbers by value.
 *
 * In Kubernetes: sorter.go of go.yaml.in/yaml/v2.
 */

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

export function compareYamlKeys(left: string, right: string): number {
  const a = Array.from(left);
  const b = Array.from(right);
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    if (a[index] !== b[index]) return compareFrom(a, b, index);
  }
  return a.length - b.length;
}

/** `index` is that of the first difference. */
function compareFrom(a: readonly string[], b: readonly string[], index: number): number {
  const one = a[index] ?? '';
  const other = b[index] ?? '';
  const byCode = codeOf(one) - codeOf(other);
  const isLetter = LETTER.test(one);
  const otherIsLetter = LETTER.test(other);
  if (isLetter && otherIsLetter) return byCode;
  if (isLetter || otherIsLetter) return otherIsLetter ? -1 : 1;
  const start = (one === '0' || other === '0') && followsNonZeroDigit(a, index) ? 1n : 0n;
  const [number, end] = numberAt(a, index, start);
  const [otherNumber, otherEnd] = numberAt(b, index, start);
  if (number !== otherNumber) return number < otherNumber ? -1 : 1;
  return end === otherEnd ? byCode : end - otherEnd;
}

/** Whether the digits in front hold more than zeros, so that a zero here counts. */
function followsNonZeroDigit(characters: readonly string[], index: number): boolean {
  for (let before = index - 1; before >= 0; before--) {
    const character = characters[before] ?? '';
    if (!DIGIT.test(character)) return false;
    if (character !== '0') return true;
  }
  return false;
}

/** The number whose digits begin at `index`, cut to 64 bits, and where it ends. */
function numberAt(characters: readonly string[], index: number, start: bigint): [bigint, number] {
  let number = start;
  let end = index;
  for (; end < characters.length && DIGIT.test(characters[end] ?? ''); end++) {
    number = number * 10n + BigInt(codeOf(characters[end] ?? '0') - codeOf('0'));
  }
  return [BigInt.asIntN(64, number), end];
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
