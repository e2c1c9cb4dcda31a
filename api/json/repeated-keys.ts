/**
 * Keys that stand in one object of a text more than once. A parsed value cannot say so: the last
 * one is all that is left. Whether there are any is found by counting, which costs a body next to
 * nothing; only then is the text read a second time, and with all its entries.
 *
 * In Kubernetes: DisallowDuplicateFields of sigs.k8s.io/json.
 */
import { goQuote } from './go-format.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { endOfString, type RepeatedKeys } from './json-reader.ts';

/** As many as upstream tells of. */
export const STRICT_ERRORS_MAX = 100;

const QUOTE = 0x22;
const COLON = 0x3a;

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

/** No object that is taken is deeper, so what is not told of is not missed. */
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
