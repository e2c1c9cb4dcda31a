/** Where lists and objects end in JSON that the server has written, and texts in it, found without parsing it. */

import { asBuffer } from './served-bytes.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const NOT_ASCII = 0x80;

/** What begins and what ends a list. */
export const LIST = { open: 0x5b, close: 0x5d };
/** What begins and what ends an object. */
export const OBJECT = { open: 0x7b, close: 0x7d };

/** Behind the bracket that closes it; -1: there is none. @param start behind the one that opens it. */
export function endOf(json: Uint8Array, start: number, { open, close }: typeof LIST): number {
  let depth = 1;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === open) depth += 1;
    else if (byte === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** At its closing quote. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** A key with its quotes and its colon, as it stands in the bytes. */
export function keyBytes(name: string): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:`);
}

/** Where a text stands, without its quotes. Filled again and again, so that nothing is made for a text that is found. */
export interface TextPlace {
  /** Of its first byte. */
  start: number;
  /** Behind its last one. */
  end: number;
  /** Whether its bytes are those of its characters, in JSON too: nothing is escaped, and all is ASCII. */
  isPlain: boolean;
}

/**
 * Finds the text that lies under these keys, from the object down. What is found is what a parser finds.
 *
 * @returns false: none, an empty one, one with an escape, or one that cannot be told from the bytes, as where a key of them
 * comes again.
 */
export function findText(json: Uint8Array, keys: readonly Buffer[], place: TextPlace): boolean {
  const at = startUnder(json, keys);
  if (json[at] !== QUOTE) return false;
  const { length } = json;
  let end = at + 1;
  let bits = 0;
  for (; end < length; end += 1) {
    const byte = json[end] ?? 0;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) return false;
    bits |= byte;
  }
  if (end === at + 1 || end >= length || !isOnly(json, keys, end)) return false;
  place.start = at + 1;
  place.end = end;
  place.isPlain = bits < NOT_ASCII;
  return true;
}

/** The text that {@link findText} finds; undefined where it finds none. */
export function textUnder(json: Buffer, keys: readonly Buffer[]): string | undefined {
  return findText(json, keys, found) ? json.toString('utf8', found.start, found.end) : undefined;
}

const found: TextPlace = { start: 0, end: 0, isPlain: false };

/** The bytes of whatever lies under these keys; undefined: nothing, or what cannot be told, as for {@link textUnder}. */
export function valueUnder(json: Buffer, keys: readonly Buffer[]): Buffer | undefined {
  const at = startUnder(json, keys);
  if (at < 0) return undefined;
  const end = endOfValue(json, at);
  const isWhole = end > at && end < json.length;
  return isWhole && isOnly(json, keys, end) ? json.subarray(at, end) : undefined;
}

/** Where the value under these keys begins; -1: there is none. */
function startUnder(json: Uint8Array, keys: readonly Buffer[]): number {
  let at = 0;
  for (const key of keys) {
    if (json[at] !== OBJECT.open) return -1;
    at = valueOf(json, at + 1, key);
    if (at < 0) return -1;
  }
  return at;
}

/** Of a key that comes twice the last one counts. */
function isOnly(json: Uint8Array, keys: readonly Buffer[], end: number): boolean {
  const room = json.length - end;
  for (const key of keys) {
    if (key.length <= room && asBuffer(json).includes(key, end)) return false;
  }
  return true;
}

/** Where the value of a key begins; -1: there is none. @param start behind the bracket of its object. */
function valueOf(json: Uint8Array, start: number, key: Buffer): number {
  let at = start;
  while (json[at] === QUOTE) {
    const value = endOfString(json, at + 1) + 2;
    if (json[value - 1] !== COLON) return -1;
    if (value - at === key.length && standsAt(json, at, key)) return value;
    at = endOfValue(json, value);
    if (json[at] !== COMMA) return -1;
    at += 1;
  }
  return -1;
}

function standsAt(json: Uint8Array, start: number, key: Buffer): boolean {
  for (let at = 0; at < key.length; at += 1) if (json[start + at] !== key[at]) return false;
  return true;
}

/** -1: it has none. */
function endOfValue(json: Uint8Array, start: number): number {
  const byte = json[start];
  if (byte === QUOTE) return endOfString(json, start + 1) + 1;
  if (byte === OBJECT.open) return endOf(json, start + 1, OBJECT);
  if (byte === LIST.open) return endOf(json, start + 1, LIST);
  let at = start;
  while (at < json.length && json[at] !== COMMA && json[at] !== OBJECT.close) at += 1;
  return at;
}
