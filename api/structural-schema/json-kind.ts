/**
 * What a value of decoded JSON is in Go, where numbers are whole or not, and which values of an
 * enum it is equal to after Go has converted it.
 */
import { formatJson } from '../json/json-text.ts';
import { isJsonObject, isNumber, type JsonValue } from '../json/json.ts';
import { compareKeys } from '../json/typed-json-keys.ts';
import { isEqualJson } from '../json/json-tree.ts';
import { sortedItems } from '../json/long-values.ts';
import { ownKeys } from '../json/own-property.ts';
import { mapItems } from '../json/work-in-slices.ts';
import { isGoInteger, wholePart } from '../json/go-numbers.ts';

export type JsonKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export function kindOfJson(value: JsonValue): JsonKind {
  if (value === null) return 'null';
  if (isNumber(value)) return isGoInteger(value) ? 'integer' : 'number';
  if (typeof value !== 'object') return typeof value === 'string' ? 'string' : 'boolean';
  return Array.isArray(value) ? 'array' : 'object';
}

/**
 * The surprises are Go's: null equals nothing, a number with a fraction equals its whole part, and
 * a whole number equals the character of that code.
 */
export function equalsAllowed(value: JsonValue, allowed: JsonValue): boolean {
  if (value === null || allowed === null) return false;
  if (isNumber(value) && isNumber(allowed)) return equalsNumber(value, allowed);
  if (isNumber(value) && typeof allowed === 'string') return isCodeOf(value, allowed);
  return isEqualJson(value, allowed);
}

/** Go brings the value to the type of the allowed one. */
function equalsNumber(value: number | bigint, allowed: number | bigint): boolean {
  if (value === allowed) return true;
  if (!isGoInteger(allowed)) return Number(value) === allowed;
  return typeof value === 'number' && wholePart(value) === allowed;
}

function isCodeOf(code: number | bigint, character: string): boolean {
  if (!isGoInteger(code)) return false;
  const isCode = code >= 0 && code <= 0x10ffff;
  return character === (isCode ? String.fromCodePoint(Number(code)) : '\ufffd');
}

/** Equal values have equal texts, whatever the order of their keys. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${mapItems(value, canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return formatJson(value);
  const keys = sortedItems(ownKeys(value), compareKeys);
  const entries = mapItems(
    keys,
    (key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`,
  );
  return `{${entries.join(',')}}`;
}

/** How many characters, which are not the units of a JavaScript string. */
export function lengthInCharacters(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit < 0xdc00 && isLowHalf(text.charCodeAt(at + 1));
    if (isPair) at++;
    length++;
  }
  return length;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
