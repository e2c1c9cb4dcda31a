/**
 * Values as Go prints them, for messages that clients compare: `strconv.Quote`, `%v` and `%s` of
 * decoded JSON, and `json.Marshal`. The surprise is `%v` of an object: `map[a:1 b:<nil>]`, sorted.
 */
import { formatJson } from './json-text.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { GO_ESCAPES, hex } from './go-escapes.ts';
import { onceOfLong } from './long-text.ts';
import { formatGoNumber } from './go-numbers.ts';

const PLAIN = /^[ !#-[\]-~]*$/;
/** Each character of which Go's unicode.IsPrint says that it is not. */
export const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** `"a\tb"`: a string as `%q` shows it. */
export const goQuote = onceOfLong(quoted);

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${GO_ESCAPES.write(text)}"`;
}

/** The order of Go's strings, which is that of their UTF-8 bytes, and so of their code points. */
export function compareGoStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

/** Halves of characters beyond U+FFFF come after every other UTF-16 unit. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** JSON as Go writes it: `<`, `>` and `&` are escaped, for the sake of HTML. */
export function goJson(value: JsonValue): string {
  const text = formatJson(value);
  return IN_HTML.test(text) ? ESCAPED_FOR_HTML.reduce(withEscaped, text) : text;
}

const IN_HTML = /[<>&\u2028\u2029]/;
const ESCAPED_FOR_HTML = ['<', '>', '&', '\u2028', '\u2029'];

/** One call for each: a callback for each place would take a tenth of a second for a text full of them. */
function withEscaped(text: string, character: string): string {
  return text.replaceAll(character, `\\u${hex(character.charCodeAt(0), 4)}`);
}

/** `%v` of decoded JSON: `map[a:[1 b] c:<nil>]`. */
export function formatGoValue(value: JsonValue | undefined): string {
  return formatWith(value, (scalar) => formatGoScalar(scalar));
}

/** `%s` of decoded JSON, where all but strings shows as a mistake: `%!s(int64=1)`. */
export function formatGoText(value: JsonValue | undefined): string {
  return formatWith(value, (scalar) =>
    typeof scalar === 'string'
      ? scalar
      : scalar === null
        ? '%!s(<nil>)'
        : `%!s(${goTypeOf(scalar)}=${formatGoScalar(scalar)})`,
  );
}

/** `%s` of the type of decoded JSON: `map[string]interface {}`, `int64`; `%!s(<nil>)` for null. */
export function goTypeOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

type Scalar = string | number | bigint | boolean | null;

function formatWith(value: JsonValue | undefined, scalar: (value: Scalar) => string): string {
  if (value === undefined || value === null) return scalar(null);
  if (typeof value !== 'object') return scalar(value);
  if (Array.isArray(value)) return `[${value.map((one) => formatWith(one, scalar)).join(' ')}]`;
  return formatMap(value, scalar);
}

function formatMap(value: JsonObject, scalar: (value: Scalar) => string): string {
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => compareGoStrings(a, b))
    .map(([key, one]) => `${key}:${formatWith(one, scalar)}`);
  return `map[${entries.join(' ')}]`;
}

function formatGoScalar(value: Scalar): string {
  if (value === null) return '<nil>';
  return typeof value === 'number' ? formatGoNumber(value) : String(value);
}
