/**
 * Reads a body that is JSON as Go's parser reads it, where JavaScript's is more patient: what is
 * nested too deep is refused, and half of a surrogate pair becomes the replacement character,
 * because no UTF-8 can say it. Numbers beyond all doubles are refused as well.
 *
 * In Kubernetes: the scanner of sigs.k8s.io/json.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { readEntries, type RepeatedKeys } from '../../api/json/json-reader.ts';
import {
  beyondFloat,
  hasRespelledFloat,
  infiniteNumber,
  isReadExactly,
  parseJson,
} from '../../api/json/json-text.ts';
import { type PartedJson, type Parts, readInParts } from '../../api/json/json-parts.ts';
import { hasRepeats } from '../../api/json/repeated-keys.ts';
import { setOwn } from '../../api/json/own-property.ts';
import { jsonProblem } from '../../api/json/json-problem.ts';

/** Go's own limit. */
const DEPTH_MAX = 10_000;
/** What is nested deep in fewer bytes is read in no time, so its depth is not counted. */
const COUNT_FROM_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

export interface JsonBody {
  readonly value: JsonValue;
  /** undefined where every key stands in its object once, or is not looked at, and no number is spelled as `1.0`. */
  readonly repeated: RepeatedKeys | undefined;
}

/**
 * @param strict whether to look for keys that stand in an object twice.
 * @throws Error that says in Go's words what is wrong.
 */
export function readJsonBody(bytes: Buffer, strict: boolean): JsonBody {
  const text = shallowText(bytes);
  const value = parsed(text, bytes);
  refuseInfinity(text);
  return checked(text, value, (strict && hasRepeats(text, value)) || hasRespelledFloat(text));
}

/** The same with others having their turn in between; strict. */
export function* readJsonInParts(bytes: Buffer): Parts<JsonBody> {
  const text = shallowText(bytes);
  const isExact = isReadExactly(text);
  yield;
  const { value, hasRepeats: repeats } = isExact
    ? yield* parsedInParts(text, bytes)
    : parsedAtOnce(text, bytes);
  yield;
  refuseInfinity(text);
  return checked(text, value, repeats || hasRespelledFloat(text));
}

function* parsedInParts(text: string, bytes: Buffer): Parts<PartedJson> {
  try {
    return yield* readInParts(text);
  } catch (cause) {
    const problem = jsonProblem(bytes);
    if (problem !== '') throw new Error(problem, { cause });
  }
  return parsedAtOnce(text, bytes);
}

function parsedAtOnce(text: string, bytes: Buffer): PartedJson {
  const value = parsed(text, bytes);
  return { value, hasRepeats: hasRepeats(text, value) };
}

function shallowText(bytes: Buffer): string {
  if (bytes.length > COUNT_FROM_BYTES && isTooDeep(bytes)) throw new Error('exceeded max depth');
  return bytes.toString();
}

function refuseInfinity(text: string): void {
  const infinite = infiniteNumber(text);
  if (infinite !== undefined) throw new Error(beyondFloat(infinite));
}

/** @param isAmbiguous whether the text says more than its value: keys twice, numbers as `1.0`. */
function checked(text: string, value: JsonValue, isAmbiguous: boolean): JsonBody {
  if (isAmbiguous) return readEntries(text);
  const isSuspect = text.includes('\\ud') || text.includes('\\uD');
  return { value: isSuspect ? wellFormed(value) : value, repeated: undefined };
}

function parsed(text: string, bytes: Buffer): JsonValue {
  try {
    return parseJson(text);
  } catch (cause) {
    // Depth is the one thing that the parser may refuse and Go's words do not know.
    throw new Error(jsonProblem(bytes) || String(cause), { cause });
  }
}

/** Counts brackets outside of strings, whether or not they fit each other. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** Where the string that begins at `start` has its closing quote; behind the end if nowhere. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; ;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    setOwn(result, key.replaceAll(/\p{Surrogate}/gu, '\ufffd'), wellFormed(item ?? null));
  }
  return result;
}
