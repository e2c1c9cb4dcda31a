/**
 * What a plain YAML scalar means to Go's YAML library: more than YAML 1.2 says (`yes`, `on` and
 * `0777` are no strings), less than YAML 1.1 (`12:30:45` is one). It decides how plain scalars
 * are read, and which strings must be quoted so that they are read back as strings.
 *
 * In Kubernetes: resolve.go of go.yaml.in/yaml/v2, below sigs.k8s.io/yaml.
 */
import { wholeNumber } from '../../api/json/go-numbers.ts';

export type YamlScalar =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** An int64 or a uint64. */
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  /** Stays the text it is. */
  | { readonly kind: 'string' | 'timestamp' };

const NULL: YamlScalar = { kind: 'null' };
const STRING: YamlScalar = { kind: 'string' };

const WORDS = new Map<string, YamlScalar>([
  ['', NULL],
  ['~', NULL],
  ...spellings('null').map((word) => [word, NULL] as const),
  ...['y', 'yes', 'true', 'on'].flatMap(spellings).map((word) => [word, bool(true)] as const),
  ...['n', 'no', 'false', 'off'].flatMap(spellings).map((word) => [word, bool(false)] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, float(Number.NaN)] as const),
  ...infinities('').map((word) => [word, float(Infinity)] as const),
  ...infinities('+').map((word) => [word, float(Infinity)] as const),
  ...infinities('-').map((word) => [word, float(-Infinity)] as const),
]);

/** What the text means when it stands plain, without quotes and without a tag. */
export function resolveYamlScalar(text: string): YamlScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (/^[-+\d]/.test(text)) return resolveNumber(text);
  if (/^\.\d+([eE][-+]?\d+)?$/.test(text)) return float(Number(text));
  return STRING;
}

/** `12:30:45`: a number to YAML 1.1, never to Go, but quoted for the sake of others. */
export function isSexagesimal(text: string): boolean {
  return /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/.test(text);
}

function resolveNumber(text: string): YamlScalar {
  if (isTimestamp(text)) return { kind: 'timestamp' };
  const plain = text.replaceAll('_', '');
  const integer = parseInteger(plain);
  if (integer !== undefined) return { kind: 'int', value: integer };
  if (/^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/.test(plain)) {
    const value = Number(plain);
    return Number.isFinite(value) ? float(value) : STRING;
  }
  return STRING;
}

/** A number of 64 bits has no more digits, whatever its base. */
const BITS = 64;

/** Whole numbers as Go reads them with base 0, of 64 bits; a leading 0 means octal. */
function parseInteger(text: string): bigint | undefined {
  const match = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', digits = ''] = match;
  const isOldOctal = /^0\d/.test(digits);
  const literal = isOldOctal ? `0o${digits.slice(1)}` : digits;
  const magnitude = wholeNumber(literal, BITS);
  const max = sign === '-' ? 2n ** 63n : sign === '+' ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  if (magnitude === undefined || magnitude > max) return undefined;
  return sign === '-' ? -magnitude : magnitude;
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]| +)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(Z|[-+]\d\d:\d\d)?)?$/;

/** A date, or a date and a time: with a zone behind `T`, without one behind a space. */
function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour, minute = '0', second = '0', zone] = match;
  const hasZone = zone !== undefined;
  if (hour !== undefined && hasZone !== /[Tt]/.test(text)) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return false;
  if (Number(hour ?? 0) > 23 || Number(minute) > 59 || Number(second) > 59) return false;
  const [zoneHour = '0', zoneMinute = '0'] =
    hasZone && zone !== 'Z' ? zone.slice(1).split(':') : [];
  return Number(zoneHour) <= 24 && Number(zoneMinute) <= 60;
}

function bool(value: boolean): YamlScalar {
  return { kind: 'bool', value };
}

function float(value: number): YamlScalar {
  return { kind: 'float', value };
}

/** `yes`, `Yes` and `YES`, but not `yEs`. */
function spellings(word: string): string[] {
  return [...new Set([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])];
}

function infinities(sign: string): string[] {
  return ['.inf', '.Inf', '.INF'].map((word) => sign + word);
}
