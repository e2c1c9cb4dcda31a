/**
 * JSON texts to values and back with every whole number of 64 bits kept, as Go keeps them: what
 * JSON.parse and JSON.stringify do for API objects, and must not do for them directly.
 *
 * The surprise is how little it costs. Sixteen digits in a row cover one place that is a multiple
 * of sixteen, so one character in sixteen is looked at; and values without such numbers are written
 * by JSON.stringify, which refuses a bigint.
 *
 * Since Node 23 JSON.parse misreads keys. V8 guesses the next key of an object from objects that it
 * has read before, and compares the guess with the raw text: where one had the key `\`, the text
 * `"\n"` is taken for it. A key that was misread always has a backslash in it, since it is a part
 * of the text that has an escape. So a value without such keys was read as it is.
 *
 * In Kubernetes: k8s.io/apimachinery/pkg/util/json.
 */
import type { JsonObject, JsonValue } from './json.ts';
import {
  asSpelled,
  endOfString,
  isRespelledFloat,
  needsReading,
  numberOfText,
  readEntries,
} from './json-reader.ts';
import { withNumbersWritten } from './spelled-number.ts';

/** Fewer digits are always kept. */
const DIGITS_MIN = 16;
/** Fewer digits and an exponent of two are no number beyond all doubles, which end before 1e309. */
const INFINITE_DIGITS_MIN = 309 - 99;
const QUOTE = 0x22;
const MINUS = 0x2d;
/** What may stand in a number, from its first character on. */
const NUMBER = /[-+.\deE]+/y;
/** A number with an exponent of three digits; without one, only many digits go beyond all doubles. */
const GREAT_EXPONENT = /(?:^|[:,[\s])-?\d[\d.]*[eE]\+?\d{3}/;

/**
 * The value of a text, as Go's JSON makes it.
 * @throws {SyntaxError} as JSON.parse does.
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue; // JSON.parse gives nothing else.
  const isInexact = hasDigits(text, DIGITS_MIN) && hasGreatNumber(text);
  return isInexact || isMisread(text, value) ? readEntries(text).value : value;
}

/**
 * The value of a text that Go keeps as it was sent, with its numbers as they are spelled.
 * @throws {SyntaxError} as JSON.parse does.
 */
export function parseAsSpelled(text: string): JsonValue {
  return asSpelled(hasRespelledFloat(text) ? readEntries(text).value : parseJson(text));
}

/**
 * What JSON.parse gives, but for keys that it misreads. Of a text that {@link isReadExactly} it is what {@link parseJson} gives.
 * @throws {SyntaxError} as JSON.parse does.
 */
export function parsePart(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue; // JSON.parse gives nothing else.
  return isMisread(text, value) ? readEntries(text).value : value;
}

/** Whether {@link parsePart} gives what {@link parseJson} does, whatever way the text is cut before. */
export function isReadExactly(text: string): boolean {
  return !hasDigits(text, DIGITS_MIN) || !hasGreatNumber(text);
}

/**
 * The text of a value, as JSON.stringify writes it, with numbers as they are spelled where that counts.
 * @param indent spaces of each level; 0: all in one line.
 */
export function formatJson(value: JsonValue | object, indent = 0): string {
  return withNumbersWritten(textOf(value, indent));
}

function textOf(value: JsonValue | object, indent: number): string {
  try {
    return indent === 0 ? JSON.stringify(value) : JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!isOfBigInt(error)) throw error;
    return new ExactText(indent).of(value as JsonValue); // Only JSON and its interfaces come here.
  }
}

/**
 * The first number of a JSON text that is beyond all doubles, as `1e400`, of which JSON.parse makes
 * Infinity; undefined where there is none.
 */
export function infiniteNumber(text: string): string | undefined {
  if (!hasDigits(text, INFINITE_DIGITS_MIN) && !GREAT_EXPONENT.test(text)) return undefined;
  return findNumber(text, (number) => !Number.isFinite(Number(number)));
}

/** A number with a fraction or an exponent, or -0, or what looks like one in a string. */
const FLOAT = /(?:"\s*:|[[,])\s*(?:-0|-?\d+[.eE])/;

/** Whether a number of the text is spelled as its value would not be: `1.0`, `1e0`, `1.50`, `-0`. */
export function hasRespelledFloat(text: string): boolean {
  return FLOAT.test(text) && findNumber(text, isRespelledFloat) !== undefined;
}

/** What a client is told of such a number, in Go's words. */
export function beyondFloat(number: string): string {
  return `json: cannot unmarshal number ${number} into Go value of type float64`;
}

/** Whether it may be: a value that truly has such keys is read a second time for nothing. */
function isMisread(text: string, value: JsonValue): boolean {
  return MISREADS_KEYS && text.includes('\\') && hasBackslashInKey(value);
}

function isOfBigInt(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('BigInt');
}

/**
 * Whether there are so many digits in a row that may be a number. Those that a quote stands in
 * front of are none, as the times in nanoseconds and the ids that clients write into strings.
 */
function hasDigits(text: string, count: number): boolean {
  for (let at = count - 1; at < text.length; at += count) {
    if (isDigit(text.charCodeAt(at)) && isRun(text, at, count)) return true;
  }
  return false;
}

function isRun(text: string, middle: number, count: number): boolean {
  let from = middle;
  while (from > 0 && middle - from < 2 * count && isDigit(text.charCodeAt(from - 1))) from -= 1;
  if (text.charCodeAt(from - 1) === QUOTE) return false;
  let to = middle + 1;
  while (to - from < count && isDigit(text.charCodeAt(to))) to += 1;
  return to - from >= count;
}

/** Not of NaN, which is what is behind the end. */
function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function hasGreatNumber(text: string): boolean {
  return findNumber(text, (number) => isGreat(number)) !== undefined;
}

function isGreat(number: string): boolean {
  return typeof numberOfText(number) === 'bigint' || needsReading(number);
}

/** The first number outside of strings that is looked for. */
function findNumber(json: string, isWanted: (number: string) => boolean): string | undefined {
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === MINUS || isDigit(code)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(json)?.[0] ?? '';
      if (isWanted(number)) return number;
      at += number.length - 1;
    }
  }
  return undefined;
}

/** Writes what JSON.stringify would, if it knew of bigints. */
class ExactText {
  readonly #indent: string;
  readonly #colon: string;

  constructor(indent: number) {
    this.#indent = ' '.repeat(indent);
    this.#colon = indent === 0 ? ':' : ': ';
  }

  of(value: JsonValue, margin = '\n'): string {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const inner = margin + this.#indent;
    if (Array.isArray(value)) {
      const items = value.map((item: JsonValue | undefined) => this.of(item ?? null, inner));
      return this.#enclosed('[', items, { close: ']', margin });
    }
    return this.#enclosed('{', this.#members(value, inner), { close: '}', margin });
  }

  #members(object: JsonObject, margin: string): string[] {
    const members: string[] = [];
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      members.push(JSON.stringify(key) + this.#colon + this.of(value, margin));
    }
    return members;
  }

  #enclosed(
    open: string,
    parts: readonly string[],
    { close, margin }: { readonly close: string; readonly margin: string },
  ): string {
    if (parts.length === 0) return open + close;
    if (this.#indent === '') return open + parts.join(',') + close;
    const inner = margin + this.#indent;
    return open + inner + parts.join(`,${inner}`) + margin + close;
  }
}

/** Whether the engine that runs this does so. */
export const MISREADS_KEYS: boolean = misreadsKeys();

function misreadsKeys(): boolean {
  // The second object is read with the first one as its pattern.
  JSON.parse('{"everwatch probes":1,"\\\\":1}');
  const read = JSON.parse('{"everwatch probes":1,"\\n":1}') as object;
  return !Object.hasOwn(read, '\n');
}

/** Whether any object in the value has a key with a backslash. Values may be nested deeply. */
export function hasBackslashInKey(value: JsonValue): boolean {
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && Object.keys(next).some(hasBackslash)) return true;
    for (const inner of Object.values(next)) if (inner !== undefined) open.push(inner);
  }
  return false;
}

function hasBackslash(key: string): boolean {
  return key.includes('\\');
}
