/**
 * Values of which the same text comes again and again, as the fields of a manager, which are alike in all pods of one
 * template: the second time it is read, such a text is not parsed any more, and what was read so is not written anew.
 *
 * The surprise: one value is given to all that ask, so it must never be changed. Field sets are not
 * (api/merge/field-set.ts), and only they come here.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { isDeeperThan } from './json-tree.ts';
import { endOfString } from './json-reader.ts';
import { formatJson, parseJson } from './json-text.ts';
import { mayPause, undivided } from './work-in-slices.ts';

/** A shorter one is parsed as soon as it is found. */
const CHARACTERS_MIN = 64;
const CHARACTERS_MAX = 16 * 1024;
/** So that a caller that meets one need not ask how deep it is. */
const DEPTH_MAX = 64;
/** Twice as many are kept at most. */
const GENERATION_CHARACTERS = 256 * 1024;
/** Texts are told apart by how they begin. */
const BEGINNING = 48;
/** Of those that begin alike the newest are kept. */
const ALIKE_MAX = 4;
/** Places in which it is noted that a text was there once; a power of two. */
const SEEN = 1024;
const QUOTE = 0x22;
const OPEN = 0x7b;
const CLOSE = 0x7d;

interface Known {
  readonly text: string;
  readonly value: JsonObject;
}

type Generation = Map<string, Known[]>;

let young: Generation = new Map();
let old: Generation = new Map();
let youngCharacters = 0;
/** What was there once, and most often never comes again: addresses of pods are in the fields of their kubelets. */
const seen = new Int32Array(SEEN);
const texts = new WeakMap<JsonObject, string>();

/** A value that stands in a text, and where it ends. */
export interface FoundValue {
  readonly value: JsonObject;
  /** Behind its last brace. */
  readonly end: number;
}

/**
 * The object that begins at this place; undefined where none does. It may be shared, and is never changed.
 *
 * @throws {SyntaxError} as JSON.parse does.
 */
export function knownValueAt(text: string, at: number): FoundValue | undefined {
  const beginning = text.slice(at, at + BEGINNING);
  const known = among(young.get(beginning), text, at) ?? among(old.get(beginning), text, at);
  if (known !== undefined) return { value: known.value, end: at + known.text.length };
  const end = endOfObject(text, at);
  if (end === undefined) return undefined;
  // Cut out and copied: a part of the text would keep all of it.
  const own = Buffer.from(text.slice(at, end)).toString();
  const value = parseJson(own);
  if (!isJsonObject(value)) return undefined;
  keep(own, value);
  return { value, end };
}

/** The text of the value, as {@link formatJson} writes it. The value is never changed from here on. */
export function knownText(value: JsonObject): string {
  // Work that begins again after a pause must not find known what it has met as new.
  if (mayPause()) return formatJson(value);
  let text = texts.get(value);
  if (text === undefined) {
    text = formatJson(value);
    keep(text, value);
  }
  return text;
}

/** Whether the text of the value is known, which is not deep then; not asked in work that may pause. */
export function isKnownValue(value: JsonValue): boolean {
  return !mayPause() && isJsonObject(value) && texts.has(value);
}

function among(alike: Known[] | undefined, text: string, at: number): Known | undefined {
  if (alike === undefined) return undefined;
  for (const known of alike) {
    const { length } = known.text;
    if (text.slice(at, at + length) === known.text) return known;
  }
  return undefined;
}

/** undefined: there is no end. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN) depth += 1;
    else if (code === CLOSE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function keep(text: string, value: JsonObject): void {
  const { length } = text;
  if (length < CHARACTERS_MIN || length > CHARACTERS_MAX || !wasSeen(text)) return;
  if (undivided(() => isDeeperThan(value, DEPTH_MAX))) return;
  const beginning = text.slice(0, BEGINNING);
  const alike = [
    { text, value },
    ...(young.get(beginning) ?? []).filter((known) => known.text !== text),
  ];
  if (alike.length > ALIKE_MAX) alike.length = ALIKE_MAX;
  texts.set(value, text);
  youngCharacters += length;
  if (youngCharacters > GENERATION_CHARACTERS) {
    old = young;
    young = new Map();
    youngCharacters = length;
  }
  young.set(Buffer.from(beginning).toString(), alike);
}

/** Notes that the text was there. @returns whether it was before, or one that looks like it. */
function wasSeen(text: string): boolean {
  let hash = text.length;
  for (let at = text.length - 1; at >= 0; at -= SAMPLE) {
    hash = (Math.imul(hash, PRIME) + text.charCodeAt(at)) | 0;
  }
  const place = hash & (SEEN - 1);
  const was = seen[place] === hash;
  seen[place] = hash;
  return was;
}

const SAMPLE = 5;
const PRIME = 31;
