/**
 * Reads a JSON text entry by entry, which costs several times what JSON.parse does and is asked only
 * for what JSON.parse loses: keys that stand in one object twice, and the last digits of whole
 * numbers beyond 2^53. It does not recurse, as a text may be nested deeper than the stack.
 *
 * In Kubernetes: UnmarshalCaseSensitivePreserveInts of sigs.k8s.io/json.
 */
import { setOwn } from './own-property.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { parseInt64, wholeNumber } from './go-numbers.ts';
import { spelledNumber } from './spelled-number.ts';

/** What stands in one object of a text, in its order: the key at an index has the value there. */
export interface Entries {
  /** One for each entry, and so one that is repeated as often as it is. */
  readonly keys: readonly string[];
  /** At the same indexes. */
  readonly values: readonly JsonValue[];
}

/** All entries of those objects in which a key stands more than once. */
export type RepeatedKeys = ReadonlyMap<JsonObject, Entries>;

/** A value with what its text said beyond it. */
export interface ValueWithRepeats {
  /** Of a repeated key it has the last value. */
  readonly value: JsonValue;
  readonly repeated: RepeatedKeys;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** Behind so many characters of a string the engine's own search is the faster one. */
const SEARCH_FROM = 48;
/** Shorter numbers are kept by a double. */
const GREAT_LENGTH_MIN = 16;
const WHOLE = /^-?\d+$/;
/** A whole number with more is beyond all doubles. */
const DOUBLE_DIGITS_MAX = 309;

/** By what they stand in: the key of an object, or the place in a list. */
const literals = new WeakMap<object, Map<string, string>>();

/**
 * How a number was spelled that its value does not say any more: a whole one beyond all int64, `-0`, and `1.0`
 * or `1e0`. Go shows it in messages; undefined for all other values.
 */
export function literalAt(container: object, key: string): string | undefined {
  return literals.get(container)?.get(key);
}

/** Whether a number is not written again as it is spelled, or only if it is kept as an int64. */
export function needsReading(number: string): boolean {
  return (
    number.length >= GREAT_LENGTH_MIN && WHOLE.test(number) && String(Number(number)) !== number
  );
}

/** Whether a number is spelled as a float64 though its value is whole: `1.0`, `1e0`. Go refuses it for an int. */
export function isSpelledAsFloat(number: string): boolean {
  return !WHOLE.test(number);
}

function isSpelledOtherwise(number: string): boolean {
  return needsReading(number) || isRespelledFloat(number);
}

/** Whether a number with a fraction or an exponent, or -0, is written in another way than it is spelled. */
export function isRespelledFloat(number: string): boolean {
  return number === '-0' || (!WHOLE.test(number) && String(Number(number)) !== number);
}

/** Reads a text that JSON.parse has read before, and so is known to be JSON. */
export function readEntries(text: string): ValueWithRepeats {
  return new RepeatsReader(text).read();
}

const WORDS = new Set(['true', 'false', 'null']);

type Container =
  | { readonly list: JsonValue[] }
  | { readonly object: JsonObject; readonly keys: string[]; readonly values: JsonValue[] };

class RepeatsReader {
  readonly #text: string;
  readonly #open: Container[] = [];
  readonly #repeated = new Map<JsonObject, Entries>();
  /** The key whose value comes next. */
  #key: string | undefined;
  #root: JsonValue = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ValueWithRepeats {
    for (let at = 0; at < this.#text.length; at = this.#step(at));
    return { value: this.#root, repeated: this.#repeated };
  }

  /** @returns where the next token may begin. */
  #step(at: number): number {
    const code = this.#text.charCodeAt(at);
    if (code === OPEN_OBJECT) this.#begin({ object: {}, keys: [], values: [] });
    else if (code === OPEN_LIST) this.#begin({ list: [] });
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#end();
    else if (code === QUOTE) return this.#string(at);
    else if (code !== COLON && code !== COMMA && code > SPACE) return this.#literal(at);
    return at + 1;
  }

  #begin(container: Container): void {
    this.#put('list' in container ? container.list : container.object);
    this.#open.push(container);
  }

  #end(): void {
    const closed = this.#open.pop();
    if (closed === undefined || 'list' in closed) return;
    const { object, keys, values } = closed;
    if (Object.keys(object).length !== keys.length) this.#repeated.set(object, { keys, values });
  }

  #string(start: number): number {
    const end = endOfString(this.#text, start) + 1;
    const raw = this.#text.slice(start, end);
    // Half of a surrogate pair becomes the replacement character, as Go has it.
    const text = raw.includes('\\')
      ? (JSON.parse(raw) as string).replaceAll(LONE_SURROGATE, '\ufffd')
      : raw.slice(1, -1);
    const container = this.#open.at(-1);
    const isKey = container !== undefined && 'object' in container && this.#key === undefined;
    if (isKey) this.#key = text;
    else this.#put(text);
    return end;
  }

  /** A number, or one of three words. */
  #literal(start: number): number {
    let end = start + 1;
    while (end < this.#text.length && !isEndOfLiteral(this.#text.charCodeAt(end))) end += 1;
    const text = this.#text.slice(start, end);
    if (WORDS.has(text)) this.#put(JSON.parse(text) as JsonValue);
    else this.#number(text);
    return end;
  }

  #number(text: string): void {
    const value = numberOfText(text);
    const container = this.#open.at(-1);
    if (container !== undefined && typeof value === 'number' && isSpelledOtherwise(text)) {
      const isList = 'list' in container;
      const key = isList ? String(container.list.length) : (this.#key ?? '');
      keepLiteral(isList ? container.list : container.object, key, text);
    }
    this.#put(value);
  }

  #put(value: JsonValue): void {
    const container = this.#open.at(-1);
    if (container === undefined) {
      this.#root = value;
    } else if ('list' in container) {
      container.list.push(value);
    } else {
      const key = this.#key ?? '';
      this.#key = undefined;
      container.keys.push(key);
      container.values.push(value);
      setOwn(container.object, key, value);
    }
  }
}

/**
 * The value with its numbers as they were spelled: the JSON of a RawExtension, which Go keeps as it was
 * sent. Whole numbers beyond int64 are bigints in it, and others that their value does not spell are
 * {@link spelledNumber}s. A copy only where there is such a number.
 *
 * @param value not deeper than the stack, and as it was read: a copy has forgotten the spelling.
 */
export function asSpelled(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item, at) => spelledAt(value, String(at), item));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  let copy: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const child = value[key] ?? null;
    const exact = spelledAt(value, key, child);
    if (exact === child) continue;
    copy ??= { ...value };
    setOwn(copy, key, exact);
  }
  return copy ?? value;
}

function spelledAt(container: object, key: string, child: JsonValue): JsonValue {
  if (typeof child !== 'number') return asSpelled(child);
  const literal = literalAt(container, key);
  if (literal === undefined) return child;
  if (isRespelledFloat(literal)) return spelledNumber(literal);
  return wholeNumber(literal, DOUBLE_DIGITS_MAX) ?? child;
}

/** Remembers how the number at that place was spelled. */
export function keepLiteral(container: object, key: string, text: string): void {
  const known = literals.get(container);
  if (known === undefined) literals.set(container, new Map([[key, text]]));
  else known.set(key, text);
}

/** Another object with the same numbers is given what is remembered of theirs. */
export function keepLiteralsOf(from: object, to: object): void {
  const known = literals.get(from);
  if (known !== undefined) literals.set(to, known);
}

function isEndOfLiteral(code: number): boolean {
  return code <= SPACE || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST;
}

/**
 * What Go makes of a number in JSON: an int64 where the text is one, otherwise a float64.
 *
 * @param text as JSON has it.
 */
export function numberOfText(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  const isWhole = text.length >= GREAT_LENGTH_MIN && WHOLE.test(text);
  const exact = isWhole ? parseInt64(text) : undefined;
  return typeof exact === 'bigint' ? exact : value;
}

/** Where the string that begins at `start` has its closing quote. */
export function endOfString(text: string, start: number): number {
  const near = Math.min(start + SEARCH_FROM, text.length);
  let at = start + 1;
  for (; at < near; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (quote - 1 - escapes >= at && text.charCodeAt(quote - 1 - escapes) === BACKSLASH) {
      escapes += 1;
    }
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}
