/**
 * Keys that stand in one object of a text more than once. A parsed value cannot say so: the last
 * one is all that is left. Whether there are any is found by counting, which costs a body next to
 * nothing; only then is the text read a second time, and with all its entries.
 *
 * In Kubernetes: DisallowDuplicateFields of sigs.k8s.io/json.
 */
import { goQuote } from '../patch/go-format.ts';
import { setOwn } from '../patch/own-property.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** What stands in one object of a text, in its order: the key at an index has the value there. */
export interface Entries {
  readonly keys: readonly string[];
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

/** As many as upstream tells of. */
export const STRICT_ERRORS_MAX = 100;

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

/** Whether some key stands in one object twice. `value` is what JSON.parse made of the text. */
export function hasRepeats(text: string, value: JsonValue): boolean {
  const members = membersOf(value);
  return keysAtMostIn(text) !== members && membersIn(text) !== members;
}

/**
 * A quick look: a quote and a colon, found by the engine's own search. There may be more of them in
 * strings, never fewer than keys, unless some key has a space behind it.
 */
function keysAtMostIn(text: string): number {
  if (SPACED_COLONS.some((colon) => text.includes(colon))) return -1;
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count += 1;
  return count;
}

const SPACED_COLONS = [' :', '\t:', '\n:', '\r:'];

/** Every member of an object has one colon outside of strings, and nothing else has. */
function membersIn(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members += 1;
  }
  return members;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
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

/** Without recursion, as a body may be nested deeper than the stack. */
function membersOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  const open: (JsonObject | JsonValue[])[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) openAll(next, open);
    else members += openMembers(next, open);
  }
  return members;
}

function openAll(items: readonly JsonValue[], open: (JsonObject | JsonValue[])[]): void {
  for (const item of items) if (typeof item === 'object' && item !== null) open.push(item);
}

/** @returns how many there are. */
function openMembers(object: JsonObject, open: (JsonObject | JsonValue[])[]): number {
  let members = 0;
  for (const key in object) {
    members += 1;
    const child = object[key];
    if (typeof child === 'object' && child !== null) open.push(child);
  }
  return members;
}

/** Reads a text that JSON.parse has read before, and so is known to be JSON. */
export function readWithRepeats(text: string): ValueWithRepeats {
  return new RepeatsReader(text).read();
}

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
    this.#put(JSON.parse(this.#text.slice(start, end)) as JsonValue);
    return end;
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

function isEndOfLiteral(code: number): boolean {
  return code <= SPACE || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST;
}

/**
 * As `duplicate field "spec.foo"`, for what is read as a plain value and by no type.
 *
 * @param path of the value itself.
 */
export function repeatedFields(
  value: JsonValue,
  repeated: RepeatedKeys,
  path = '',
): readonly string[] {
  const told = new Set<string>();
  if (repeated.size > 0) collect(value, repeated, { path, depth: 0, told });
  return [...told];
}

/** Sentences about duplicates that another reader finds, in the same words. */
export function duplicateField(path: string): string {
  return `duplicate field ${goQuote(path)}`;
}

interface Collection {
  readonly path: string;
  readonly depth: number;
  readonly told: Set<string>;
}

/** No object that is taken is deeper, so nobody misses what is not told of. */
const DEPTH_MAX = 1_000;

function collect(value: JsonValue, repeated: RepeatedKeys, found: Collection): void {
  const { path, told } = found;
  const depth = found.depth + 1;
  if (depth > DEPTH_MAX) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (typeof item !== 'object') continue;
      collect(item, repeated, { path: `${path}[${String(index)}]`, depth, told });
    }
    return;
  }
  if (!isJsonObject(value)) return;
  const seen = new Set<string>();
  for (const [key, item] of entriesOf(value, repeated)) {
    const here = path === '' ? key : `${path}.${key}`;
    if (seen.has(key) && told.size < STRICT_ERRORS_MAX) told.add(duplicateField(here));
    seen.add(key);
    if (typeof item === 'object') collect(item, repeated, { path: here, depth, told });
  }
}

/** What stands in the object, repeated keys and all, in the order of the text. */
export function entriesOf(
  object: JsonObject,
  repeated: RepeatedKeys | undefined,
): readonly (readonly [string, JsonValue])[] {
  const entries = repeated?.get(object);
  if (entries === undefined) {
    return Object.entries(object).map(([key, value]) => [key, value ?? null] as const);
  }
  return entries.keys.map((key, index) => [key, entries.values[index] ?? null] as const);
}
