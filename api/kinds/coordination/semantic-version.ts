/**
 * Versions of three numbers and what comes before a release: `1.36.0-beta.1`.
 *
 * In Go: Parse and Compare of github.com/blang/semver/v4.
 */
import { parseUint64 } from '../../json/go-numbers.ts';

/** The numbers, and the parts behind the hyphen. What stands behind a plus sign does not count. */
interface SemanticVersion {
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
}

const ZERO: SemanticVersion = { numbers: [0n, 0n, 0n], before: [] };

const NUMBER = /^(?:0|[1-9]\d*)$/;
const DIGITS = /^\d+$/;
const PART = /^[0-9A-Za-z-]+$/;

/** Whether the text is one, as strictly as Parse reads it. */
export function isSemanticVersion(text: string): boolean {
  return semanticVersion(text) !== undefined;
}

/** Below 0 where `a` came before `b`; a text that is no version counts as 0.0.0. */
export function compareVersions(a: string, b: string): number {
  return compare(semanticVersion(a) ?? ZERO, semanticVersion(b) ?? ZERO);
}

/** undefined: it is none. */
function semanticVersion(text: string): SemanticVersion | undefined {
  const [rest = '', ...builds] = splitOnce(text, '+');
  const [core = '', ...befores] = splitOnce(rest, '-');
  const numbers = core.split('.').map(numberOf);
  const before = befores.flatMap((part) => part.split('.'));
  const build = builds.flatMap((part) => part.split('.'));
  const known = numbers.filter((number) => number !== undefined);
  if (numbers.length !== 3 || known.length !== 3) return undefined;
  if (![...before, ...build].every((part) => PART.test(part))) return undefined;
  if (before.some((part) => DIGITS.test(part) && numberOf(part) === undefined)) return undefined;
  return { numbers: known, before };
}

function splitOnce(text: string, sign: string): string[] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function numberOf(text: string): bigint | undefined {
  const number = NUMBER.test(text) ? parseUint64(text) : undefined;
  return typeof number === 'bigint' ? number : undefined;
}

function compare(a: SemanticVersion, b: SemanticVersion): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (const [index, part] of a.before.entries()) {
    const other = b.before[index];
    if (other === undefined) return 1;
    const difference = comparePart(part, other);
    if (difference !== 0) return difference;
  }
  return a.before.length - b.before.length;
}

/** Numbers come before words. */
function comparePart(a: string, b: string): number {
  const [isNumberA, isNumberB] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
