/**
 * Decoders of single values, one closure per field, made once. Each gives back the value as Go
 * would write it, `undefined` when Go would leave the field out, and marks the run as failed when
 * Go would refuse the value. What needs no change is given back as it is, not copied.
 */
import { asSpelled } from '../json/json-reader.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonObject, isNumber } from '../json/json.ts';
import { canonicalQuantity } from '../meta/quantity.ts';
import { sortedItems } from '../json/long-values.ts';
import { keysOf, remembered, rememberedOf, someItem, someKey } from '../json/work-in-slices.ts';
import { isDeeperThan } from '../json/json-tree.ts';
import { isKnownValue } from '../json/known-texts.ts';
import { isSpecialType, type FieldType, type ScalarName, type SpecialKind } from './field-type.ts';
import { decodedLong, isLong } from './long-lists.ts';
import { canonicalBase64, canonicalTime } from './typed-json-scalars.ts';
import { setOwn } from '../json/own-property.ts';
import { areSorted, compareKeys } from '../json/typed-json-keys.ts';

/** What one decode has met so far. */
export interface Run {
  failed: boolean;
  /** Whether unknown fields matter here. */
  counting: boolean;
  /** Whether maps and lists are copied that need no change. */
  unshared: boolean;
  /** Whether a list without an item is none, and bytes in a map are there where none were given. */
  stored: boolean;
  hasUnknown: boolean;
  depth: number;
  /** How many messages were met. */
  messages: number;
}

/** The value is never null or absent. */
export type Decode = (value: JsonValue, run: Run) => JsonValue | undefined;

/** What Go writes for a value that was never set; a new one each time. */
export type Zero = () => JsonValue;

/** Finds the decoder and the zero of a message, which may not be compiled yet. */
export interface Messages {
  decode(id: string): Decode;
  zero(id: string): Zero;
}

/** Schemas lie in schemas, hundreds of them in one definition. */
export const JSON_SCHEMA_PROPS =
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

/** Marks the run as failed; what is given back is not looked at. */
export function fail(run: Run): JsonValue | undefined {
  run.failed = true;
  return undefined;
}

/** @param omitEmpty Empty values are left out; a pointer to one is not empty. */
export function decoderOf(type: FieldType, omitEmpty: boolean, messages: Messages): Decode {
  if (isSpecialType(type)) return specialDecoder(type.kind, messages);
  const drops = omitEmpty && type.pointer !== true;
  switch (type.kind) {
    case 'scalar':
      return drops ? droppingZero(scalarDecoder(type.scalar)) : scalarDecoder(type.scalar);
    case 'bytes':
      return drops ? droppingZero(decodeBytes) : decodeBytes;
    case 'list':
      return listDecoder(type.of, drops, messages);
    case 'map':
      return mapDecoder(type.of, drops, messages);
    case 'message':
      return messages.decode(type.id);
  }
}

/** The zero of a value that stands in a list or a map, or of a field that is always written. */
export function zeroOf(type: FieldType, messages: Messages): Zero {
  if (type.pointer === true) return nullZero;
  if (type.kind === 'scalar') return scalarZero(type.scalar);
  if (type.kind === 'message') return messages.zero(type.id);
  if (type.kind === 'quantity') return () => '0';
  return type.kind === 'intOrString' ? () => 0 : nullZero;
}

function nullZero(): null {
  return null;
}

function scalarZero(scalar: ScalarName): Zero {
  if (scalar === 'string') return () => '';
  if (scalar === 'bool') return () => false;
  return () => 0;
}

function droppingZero(decode: Decode): Decode {
  return (value, run) => {
    const decoded = decode(value, run);
    return decoded === '' || decoded === 0 || decoded === false ? undefined : decoded;
  };
}

/** Least and greatest value of Go's whole numbers. No built-in type has a uint64 in JSON. */
const INTEGER_RANGES: ReadonlyMap<ScalarName, readonly [number | bigint, number | bigint]> =
  new Map<ScalarName, readonly [number | bigint, number | bigint]>([
    ['int32', [-(2 ** 31), 2 ** 31 - 1]],
    ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
    ['uint8', [0, 2 ** 8 - 1]],
    ['uint32', [0, 2 ** 32 - 1]],
    ['uint64', [0, 2n ** 63n - 1n]],
  ]);

/** A number beyond 2^53 is what Go reads as float64, which is no whole number to it. */
export function fitsInteger(value: number | bigint, scalar: ScalarName): boolean {
  const [min, max] = INTEGER_RANGES.get(scalar) ?? [0, 0];
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  return isWhole && value >= min && value <= max;
}

function scalarDecoder(scalar: ScalarName): Decode {
  switch (scalar) {
    case 'string':
      return (value, run) => (typeof value === 'string' ? value : fail(run));
    case 'bool':
      return (value, run) => (typeof value === 'boolean' ? value : fail(run));
    case 'float32':
    case 'float64':
      return (value, run) =>
        typeof value === 'bigint' ? Number(value) : isFiniteNumber(value) ? value : fail(run);
    case 'int64':
      return (value, run) =>
        typeof value === 'bigint' || Number.isSafeInteger(value) ? value : fail(run);
    case 'int32':
      // Spelled out because it is the most frequent: a number is whole when `| 0` keeps it.
      return (value, run) =>
        typeof value === 'number' && (value | 0) === value ? value : fail(run);
    case 'uint8':
    case 'uint32':
    case 'uint64':
      return (value, run) => (isNumber(value) && fitsInteger(value, scalar) ? value : fail(run));
  }
}

function decodeBytes(value: JsonValue, run: Run): JsonValue | undefined {
  if (typeof value === 'string') return canonicalBase64(value) ?? fail(run);
  const isByte = (one: JsonValue): boolean =>
    one === null || (typeof one === 'number' && fitsInteger(one, 'uint8'));
  if (!Array.isArray(value) || !value.every(isByte)) return fail(run);
  return Buffer.from(value.map(Number)).toString('base64');
}

function listDecoder(itemType: FieldType, drops: boolean, messages: Messages): Decode {
  const decodeItem = decoderOf(itemType, false, messages);
  const itemZero = zeroOf(itemType, messages);
  const decodeLong = (list: JsonValue[], run: Run): JsonValue[] => {
    const begun = (): { list: JsonValue[] } => ({ list: run.unshared ? list.slice() : list });
    return decodedLong(list, run, begun, (made, given: JsonValue | undefined, index) => {
      const item = given ?? null;
      const decoded = item === null ? itemZero() : decodeItem(item, run);
      if (decoded === item) return;
      if (made.list === list) made.list = list.slice();
      made.list[index] = decoded ?? null;
    }).list;
  };
  return (value, run) => {
    if (!Array.isArray(value)) return fail(run);
    if (value.length === 0 && (drops || run.stored)) return drops ? undefined : null;
    if (isLong(value.length)) return decodeLong(value, run);
    let result = run.unshared ? value.slice() : value;
    for (let index = 0; index < value.length; index++) {
      const item = value[index] ?? null;
      const decoded = item === null ? itemZero() : decodeItem(item, run);
      if (decoded === item) continue;
      if (result === value) result = value.slice();
      result[index] = decoded ?? null;
    }
    return result;
  };
}

function mapDecoder(itemType: FieldType, drops: boolean, messages: Messages): Decode {
  const decodeItem = decoderOf(itemType, false, messages);
  const itemZero = zeroOf(itemType, messages);
  const storedZero = itemType.kind === 'bytes' ? (): JsonValue => '' : itemZero;
  const itemOf = (item: JsonValue | undefined, run: Run): JsonValue => {
    if (item !== null && item !== undefined) return decodeItem(item, run) ?? null;
    return run.stored ? storedZero() : itemZero();
  };
  const decodeLong = (map: JsonObject, keys: readonly string[], run: Run): JsonObject => {
    const isSorted = rememberedOf([keys], () => areSorted(keys));
    const inOrder = isSorted ? keys : sortedItems(keys, compareKeys);
    const made = remembered((): LongMap => ({
      map: isSorted && !run.unshared ? map : {},
      keys: inOrder,
    }));
    const begun = (): LongMap => made;
    return decodedLong(made.keys, run, begun, (_, key, index) => {
      const item = map[key];
      const decoded = itemOf(item, run);
      if (made.map === map && decoded !== item) made.map = fieldsOf(map, keys.slice(0, index));
      if (made.map !== map) setOwn(made.map, key, decoded);
    }).map;
  };
  return (value, run) => {
    if (!isJsonObject(value)) return fail(run);
    const said = keysOf(value);
    if (drops && said.length === 0) return undefined;
    if (isLong(said.length)) return decodeLong(value, said, run);
    // Each item is decoded once: what lies in items that lie in items would be decoded for ever.
    let result: JsonObject | undefined = run.unshared ? {} : undefined;
    let keys: readonly string[] = said;
    if (!areSorted(said)) {
      keys = [...said].sort(compareKeys);
      result = {};
    }
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? '';
      const item = value[key];
      const decoded = itemOf(item, run);
      if (result === undefined && decoded !== item) result = fieldsOf(value, keys.slice(0, index));
      if (result !== undefined) setOwn(result, key, decoded);
    }
    return result ?? value;
  };
}

/** A map that is being decoded. */
interface LongMap {
  /** The one that was given, until an item is another. */
  map: JsonObject;
  readonly keys: readonly string[];
}

function fieldsOf(object: JsonObject, keys: readonly string[]): JsonObject {
  const result: JsonObject = {};
  for (const key of keys) setOwn(result, key, object[key] ?? null);
  return result;
}

function specialDecoder(kind: SpecialKind, messages: Messages): Decode {
  switch (kind) {
    case 'time':
      return timeDecoder('seconds');
    case 'microtime':
      return timeDecoder('microseconds');
    case 'quantity':
      return decodeQuantity;
    case 'intOrString':
      return (value, run) =>
        typeof value === 'string' || (typeof value === 'number' && fitsInteger(value, 'int32'))
          ? value
          : fail(run);
    case 'fieldsV1':
      return decodeFields;
    case 'rawJson':
      return decodeAnything;
    case 'rawExtension':
      return decodeRaw;
    case 'jsonSchemaPropsOrBool':
    case 'jsonSchemaPropsOrArray':
    case 'jsonSchemaPropsOrStringArray':
      return schemaDecoder(kind, messages);
  }
}

/** What YAML and patches can still go through, together with the object around it. */
const ANYTHING_DEPTH_MAX = 900;

/** What is in it is not known, so it is noticed nowhere else how deep it goes, or how high. */
function decodeAnything(value: JsonValue, run: Run): JsonValue | undefined {
  if (isDeeperThan(value, ANYTHING_DEPTH_MAX)) {
    run.depth = Number.POSITIVE_INFINITY;
    return fail(run);
  }
  return hasInfinity(value) ? fail(run) : value;
}

/** Of a text that is known, and so was seen through before. */
function decodeFields(value: JsonValue, run: Run): JsonValue | undefined {
  return isKnownValue(value) ? value : decodeAnything(value, run);
}

function decodeRaw(value: JsonValue, run: Run): JsonValue | undefined {
  const decoded = decodeAnything(value, run);
  return decoded === undefined ? undefined : asSpelled(decoded);
}

/** Whether a number in it is more than a double can hold: it would be written as null. */
export function hasInfinity(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (Array.isArray(value)) return someItem(value, hasInfinity);
  // Of many keys, one by one is faster than Object.values.
  return isJsonObject(value) && someKey(value, (key) => hasInfinity(value[key] ?? null));
}

function isFiniteNumber(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function timeDecoder(precision: 'seconds' | 'microseconds'): Decode {
  return (value, run) => {
    const time = typeof value === 'string' ? canonicalTime(value, precision) : undefined;
    return time === undefined ? fail(run) : time;
  };
}

function decodeQuantity(value: JsonValue, run: Run): JsonValue | undefined {
  if (typeof value !== 'string' && !isNumber(value)) return fail(run);
  return canonicalQuantity(String(value)) ?? fail(run);
}

/** A schema, or what may stand in its place. Unknown fields inside are not reported upstream. */
function schemaDecoder(
  kind: 'jsonSchemaPropsOrBool' | 'jsonSchemaPropsOrArray' | 'jsonSchemaPropsOrStringArray',
  messages: Messages,
): Decode {
  const decodeSchema = uncounted(messages.decode(JSON_SCHEMA_PROPS));
  const itemType: FieldType =
    kind === 'jsonSchemaPropsOrArray'
      ? { kind: 'message', id: JSON_SCHEMA_PROPS }
      : { kind: 'scalar', scalar: 'string' };
  const decodeList = uncounted(listDecoder(itemType, true, messages));
  return (value, run) => {
    if (isJsonObject(value)) return decodeSchema(value, run);
    if (kind === 'jsonSchemaPropsOrBool') return typeof value === 'boolean' ? value : fail(run);
    return Array.isArray(value) ? (decodeList(value, run) ?? null) : null;
  };
}

function uncounted(decode: Decode): Decode {
  return (value, run) => {
    const { counting } = run;
    run.counting = false;
    const decoded = decode(value, run);
    run.counting = counting;
    return decoded;
  };
}
