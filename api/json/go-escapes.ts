/**
 * Texts between quotes, in which some characters are escaped. One of 3 MiB may be nothing but such characters, and a
 * callback for each of them takes a tenth of a second and more, so they are gone through by their codes.
 *
 * In Kubernetes: strconv.Quote of Go.
 */

/** What of a code unit is known; a pair of them is one character. */
const UNKNOWN = 0;
const PLAIN = 1;
const ESCAPED = 2;
const PAIRED = 3;
const UNITS = 0x10000;
/** The first half of a pair. */
const PAIRS = { from: 0xd800, to: 0xdbff };
/** Code units that are a byte each in the engine's texts, as nearly all are that clients send. */
const BYTES = 0x100;
const BACKSLASH = 0x5c;

/** So many code units are escaped and made into a text at once. */
const PIECE = 8_192;
/** The longest escape: four bytes, each as `\xNN`. */
const LONGEST = 16;
const bytes = Buffer.alloc(PIECE * LONGEST);
const units = new Uint16Array(PIECE * LONGEST);

/** Which characters are escaped, and how. */
export class Escapes {
  readonly #escapeOf: (point: number) => string | undefined;
  readonly #sorts = new Uint8Array(UNITS);
  /** Of characters up to U+FFFF: a text may be full of them. */
  readonly #known = new Map<number, string>();
  /** Of characters below U+0100: 0, themselves; what stands behind a backslash; or else {@link LONGER}. */
  #short: Uint8Array | undefined;

  /** @param escapeOf of a code point; undefined: it stands for itself. */
  constructor(escapeOf: (point: number) => string | undefined) {
    this.#escapeOf = escapeOf;
  }

  /** Each character stands for itself, or for its escape. */
  write(text: string): string {
    if (text.length <= PIECE) return this.#piece(text, 0, text.length);
    const written: string[] = [];
    for (let from = 0; from < text.length;) {
      let to = Math.min(from + PIECE, text.length);
      if (isFirstHalf(text.charCodeAt(to - 1))) to += 1;
      written.push(this.#piece(text, from, to));
      from = to;
    }
    return written.join('');
  }

  #piece(text: string, from: number, to: number): string {
    return this.#pieceOfBytes(text, from, to) ?? this.#pieceOfUnits(text, from, to);
  }

  /** @returns undefined where a character is not below U+0100. */
  #pieceOfBytes(text: string, from: number, to: number): string | undefined {
    const short = (this.#short ??= this.#shortEscapes());
    let length = 0;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= BYTES) return undefined;
      const behind = short[code] ?? LONGER;
      if (behind === 0) {
        bytes[length] = code;
        length += 1;
      } else if (behind === LONGER) {
        length += bytes.write(this.#shownOf(code), length, 'latin1');
      } else {
        bytes[length] = BACKSLASH;
        bytes[length + 1] = behind;
        length += 2;
      }
    }
    return bytes.toString('latin1', 0, length);
  }

  #pieceOfUnits(text: string, from: number, to: number): string {
    let length = 0;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      const sort = this.#sortOf(code);
      if (sort === PLAIN) {
        units[length] = code;
        length += 1;
        continue;
      }
      const point = sort === PAIRED ? (text.codePointAt(at) ?? code) : code;
      if (point >= UNITS) at += 1;
      length = put(this.#shownOf(point), length);
    }
    return String(Reflect.apply(String.fromCharCode, undefined, units.subarray(0, length)));
  }

  #shortEscapes(): Uint8Array {
    return Uint8Array.from({ length: BYTES }, (_, code) => {
      const escape = this.#escapeOf(code);
      if (escape === undefined) return 0;
      return escape.length === 2 && escape.startsWith('\\') ? escape.charCodeAt(1) : LONGER;
    });
  }

  #sortOf(code: number): number {
    const known = this.#sorts[code] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    let sort = this.#escapeOf(code) === undefined ? PLAIN : ESCAPED;
    if (isFirstHalf(code)) sort = PAIRED;
    this.#sorts[code] = sort;
    return sort;
  }

  #shownOf(point: number): string {
    const known = this.#known.get(point);
    if (known !== undefined) return known;
    const shown = this.#escapeOf(point) ?? String.fromCodePoint(point);
    if (point < UNITS) this.#known.set(point, shown);
    return shown;
  }
}

/** An escape that is more than a character behind a backslash. */
const LONGER = 1;

function isFirstHalf(code: number): boolean {
  return code >= PAIRS.from && code <= PAIRS.to;
}

/** @returns the length behind it. */
function put(text: string, length: number): number {
  for (let at = 0; at < text.length; at += 1) units[length + at] = text.charCodeAt(at);
  return length + text.length;
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Of one character: what Go's unicode.IsPrint says. */
export function isPrintable(character: string): boolean {
  return PRINTABLE.test(character);
}

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

/** As `%q` shows them. */
export const GO_ESCAPES = new Escapes((point) => {
  const short = SHORT_ESCAPES.get(point);
  if (short !== undefined) return short;
  if (isPrintable(String.fromCodePoint(point))) return undefined;
  if (point < 0x80) return `\\x${hex(point, 2)}`;
  return point < UNITS ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
});

/** With zeros before it. */
export function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
