/**
 * Texts between the quotes of `%q`. One of 3 MiB may be nothing but characters that are escaped, and a callback for
 * each of them takes a tenth of a second and more, so they are gone through by their codes.
 *
 * In Kubernetes: strconv.Quote of Go.
 */

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x0c, '\\f'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x0b, '\\v'],
]);

/** Of one character: what Go's unicode.IsPrint says. */
export function isPrintable(character: string): boolean {
  return PRINTABLE.test(character);
}

/** What of a code unit is known; a pair of them is one character. */
const UNKNOWN = 0;
const PLAIN = 1;
const ESCAPED = 2;
const PAIRED = 3;
const sorts = new Uint8Array(0x10000);

function sortOf(code: number): number {
  const known = sorts[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  let sort = isPrintable(String.fromCharCode(code)) ? PLAIN : ESCAPED;
  if (SHORT_ESCAPES.has(code)) sort = ESCAPED;
  if (code >= 0xd800 && code <= 0xdbff) sort = PAIRED;
  sorts[code] = sort;
  return sort;
}

/** So many code units are made into a text at once. */
const PIECE = 8_192;
/** The longest escape. */
const ROOM = 16;
const piece = new Uint16Array(PIECE + ROOM);

/** Each character stands for itself, or for its escape. */
export function escapedText(text: string): string {
  const written: string[] = [];
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (length >= PIECE) {
      written.push(textOf(length));
      length = 0;
    }
    const code = text.charCodeAt(at);
    const sort = sortOf(code);
    if (sort === PLAIN) {
      piece[length] = code;
      length += 1;
      continue;
    }
    const point = sort === PAIRED ? (text.codePointAt(at) ?? code) : code;
    if (point > 0xffff) at += 1;
    length = withEscape(length, point);
  }
  written.push(textOf(length));
  return written.join('');
}

function textOf(length: number): string {
  return String.fromCharCode.apply(undefined, piece.subarray(0, length) as unknown as number[]); // It takes any list of them.
}

/** @returns the length behind it. */
function withEscape(length: number, point: number): number {
  const isPlainPair = point > 0xffff && isPrintable(String.fromCodePoint(point));
  const escape = isPlainPair ? String.fromCodePoint(point) : (known.get(point) ?? escapeOf(point));
  for (let at = 0; at < escape.length; at += 1) piece[length + at] = escape.charCodeAt(at);
  return length + escape.length;
}

/** Of characters up to U+FFFF: a text may be full of them. */
const known = new Map<number, string>();
const ONE_BYTE = 0x80;

function escapeOf(point: number): string {
  const escape = SHORT_ESCAPES.get(point) ?? numbered(point);
  if (point <= 0xffff) known.set(point, escape);
  return escape;
}

function numbered(point: number): string {
  if (point < ONE_BYTE) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

/** With zeros before it. */
export function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
