/**
 * Reads protobuf messages of built-in types straight into canonical JSON objects: keys in Go's
 * order, zero values left out or written as Go's JSON does.
 *
 * In Kubernetes: the Unmarshal methods of generated.pb.go, then encoding/json.
 */
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import {
  beyondFloat,
  infiniteNumber,
  parseAsSpelled,
  parseJson,
} from '../../api/json/json-text.ts';
import { isJsonObject } from '../../api/json/json.ts';
import { parseQuantity } from '../../api/meta/quantity.ts';
import { ProtobufError, ProtobufReader, WIRE_BYTES } from '../../api/protobuf/protobuf-reader.ts';
import {
  isSpecialType,
  type FieldType,
  type ScalarName,
  type SpecialKind,
} from '../../api/scheme/field-type.ts';
import { type FieldFacts, typeFacts } from '../../api/scheme/type-facts.ts';
import { setOwn } from '../../api/json/own-property.ts';
import { formatUnixTime, type TimePrecision } from '../../api/scheme/typed-json-scalars.ts';
import { isLeftOut, zeroValueOf } from '../../api/scheme/typed-json.ts';
import { wireTypeOf } from './protobuf-encoding.ts';

/** Reads one value whose tag was read. */
type ReadValue = (reader: ProtobufReader) => JsonValue;

interface FieldReader {
  /** Where the field stands in Go's order. */
  readonly index: number;
  readonly name: string;
  readonly inline: boolean;
  readonly wireType: number;
  /** Numbers in a list may come packed into one field. */
  readonly packable: boolean;
  /** Joins one more occurrence to what was read before. */
  read(reader: ProtobufReader, before: JsonValue | undefined): JsonValue;
  /** undefined: Go leaves the field out when it was never set. */
  readonly zero: (() => JsonValue) | undefined;
  readonly dropsZero: boolean;
}

interface MessageReader {
  /** In Go's order. */
  readonly fields: readonly FieldReader[];
  readonly byNumber: ReadonlyMap<number, FieldReader>;
}

const JSON_SCHEMA_PROPS =
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

const compiled = new Map<string, MessageReader>();

/**
 * Reads a message without envelope.
 * @throws ProtobufError when the bytes are no such message.
 */
export function decodeMessage(bytes: Uint8Array, typeId: string): JsonObject {
  return readFields(new ProtobufReader(bytes), messageReader(typeId));
}

function messageReader(typeId: string): MessageReader {
  const known = compiled.get(typeId);
  if (known !== undefined) return known;
  // A field that is not in protobuf is never set, so it is there to be written as zero.
  const facts = typeFacts(typeId).fields.filter((one) => !one.inline || one.protobuf > 0);
  const fields = facts.map(fieldReader);
  const byNumber = new Map<number, FieldReader>();
  for (const [index, { protobuf }] of facts.entries()) {
    const field = fields[index];
    if (field !== undefined && protobuf > 0) byNumber.set(protobuf, field);
  }
  const reader = { fields, byNumber };
  compiled.set(typeId, reader);
  return reader;
}

function fieldReader(facts: FieldFacts, index: number): FieldReader {
  const { name, type, inline, omitEmpty, omitZero } = facts;
  const isList = type.kind === 'list' && type.wrapped === undefined;
  const wireType = wireTypeOf(isList ? type.of : type);
  const isValue = type.kind === 'scalar' || type.kind === 'bytes';
  return {
    index,
    name,
    inline,
    wireType,
    packable: isList && wireType !== WIRE_BYTES,
    read: isList ? listReader(type.of) : type.kind === 'map' ? mapReader(type.of) : single(type),
    zero: isLeftOut(facts) ? undefined : zeroValueOf(type),
    dropsZero: (omitEmpty && isValue && type.pointer !== true) || omitZero,
  };
}

function single(type: FieldType): FieldReader['read'] {
  const read = valueReader(type);
  return (reader) => read(reader);
}

function readFields(reader: ProtobufReader, message: MessageReader): JsonObject {
  reader.countMessage();
  const values = new Array<JsonValue | undefined>(message.fields.length).fill(undefined);
  while (reader.hasMore) {
    const tag = reader.tag();
    const field = message.byNumber.get(Math.floor(tag / 8));
    const wireType = tag % 8;
    if (field === undefined) reader.skip(wireType);
    else if (wireType === field.wireType) {
      values[field.index] = field.read(reader, values[field.index]);
    } else if (wireType === WIRE_BYTES && field.packable) {
      values[field.index] = readPacked(reader, field, values[field.index]);
    } else {
      const goName = field.name.charAt(0).toUpperCase() + field.name.slice(1);
      throw new ProtobufError(`proto: wrong wireType = ${String(wireType)} for field ${goName}`);
    }
  }
  return assemble(message.fields, values);
}

function readPacked(
  reader: ProtobufReader,
  field: FieldReader,
  before: JsonValue | undefined,
): JsonValue | undefined {
  let values = before;
  const outer = reader.enter();
  while (reader.hasMore) values = field.read(reader, values);
  reader.leave(outer);
  return values;
}

function assemble(
  fields: readonly FieldReader[],
  values: readonly (JsonValue | undefined)[],
): JsonObject {
  const result: JsonObject = {};
  for (const { index, name, inline, zero, dropsZero } of fields) {
    // A time that was set to zero is null, which is not the same as never set.
    const given = values[index];
    const value = given === undefined ? zero?.() : given;
    if (value === undefined) continue;
    if (inline) Object.assign(result, value);
    else if (!dropsZero || !isZero(value)) result[name] = value;
  }
  return result;
}

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false || value === null;
}

function listReader(itemType: FieldType): FieldReader['read'] {
  const read = valueReader(itemType);
  return (reader, before) => {
    const items = Array.isArray(before) ? before : [];
    items.push(read(reader));
    return items;
  };
}

function mapReader(valueType: FieldType): FieldReader['read'] {
  const read = valueReader(valueType);
  const wireType = wireTypeOf(valueType);
  const zero = valueType.kind === 'bytes' ? () => '' : zeroValueOf(valueType);
  return (reader, before) => {
    const map = isJsonObject(before) ? before : {};
    let key = '';
    let value: JsonValue | undefined;
    const outer = reader.enter();
    while (reader.hasMore) {
      const tag = reader.tag();
      if (tag === 8 + WIRE_BYTES) key = reader.string();
      else if (tag === 16 + wireType) value = read(reader);
      else reader.skip(tag % 8);
    }
    reader.leave(outer);
    setOwn(map, key, value ?? zero());
    return map;
  };
}

function valueReader(type: FieldType): ReadValue {
  if (isSpecialType(type)) return specialReader(type.kind);
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type.scalar);
    case 'bytes':
      return (reader) => reader.bytes().toString('base64');
    case 'message':
      return nestedReader(type.id);
    case 'list':
      return wrappedListReader(type.of);
    case 'map':
      throw new Error('protobuf has no map inside a list or a map');
  }
}

function scalarReader(scalar: ScalarName): ReadValue {
  switch (scalar) {
    case 'string':
      return (reader) => reader.string();
    case 'bool':
      return (reader) => reader.bool();
    case 'int32':
      return (reader) => reader.int32();
    case 'int64':
      return (reader) => reader.int64();
    case 'float64':
      return (reader) => reader.double();
    case 'float32':
      throw new Error('no built-in type has a float32 in protobuf');
    case 'uint8':
    case 'uint32':
    case 'uint64':
      return (reader) => reader.unsigned();
  }
}

function nestedReader(id: string): ReadValue {
  let message: MessageReader | undefined;
  return (reader) => {
    message ??= messageReader(id);
    const outer = reader.enter();
    const value = readFields(reader, message);
    reader.leave(outer);
    return value;
  };
}

function wrappedListReader(itemType: FieldType): ReadValue {
  const read = valueReader(itemType);
  const itemTag = 8 + wireTypeOf(itemType);
  return (reader) => {
    const items: JsonValue[] = [];
    readTags(reader, (tag) => {
      if (tag !== itemTag) return false;
      items.push(read(reader));
      return true;
    });
    return items;
  };
}

/** Reads a nested message tag by tag; what `take` does not take is passed over. */
function readTags(reader: ProtobufReader, take: (tag: number) => boolean): void {
  const outer = reader.enter();
  while (reader.hasMore) {
    const tag = reader.tag();
    if (!take(tag)) reader.skip(tag % 8);
  }
  reader.leave(outer);
}

/** Tags of the small messages that are read by hand: field number and wire type. */
const FIRST_VARINT = 8;
const SECOND_VARINT = 16;
const FIRST_BYTES = 8 + WIRE_BYTES;
const SECOND_BYTES = 16 + WIRE_BYTES;
const THIRD_BYTES = 24 + WIRE_BYTES;

function specialReader(kind: SpecialKind): ReadValue {
  switch (kind) {
    case 'time':
      return timeReader('seconds');
    case 'microtime':
      return timeReader('microseconds');
    case 'quantity':
      return readQuantity;
    case 'intOrString':
      return readIntOrString;
    case 'rawJson':
    case 'fieldsV1':
      return (reader) => readRawJson(reader, parseJson);
    case 'rawExtension':
      return (reader) => readRawJson(reader, parseAsSpelled);
    case 'jsonSchemaPropsOrBool':
      return schemaOrBoolReader();
    case 'jsonSchemaPropsOrArray':
      return schemaOrListReader({ kind: 'message', id: JSON_SCHEMA_PROPS });
    case 'jsonSchemaPropsOrStringArray':
      return schemaOrListReader({ kind: 'scalar', scalar: 'string' });
  }
}

function timeReader(precision: TimePrecision): ReadValue {
  return (reader) => {
    let seconds: number | undefined;
    let nanoseconds = 0;
    const start = reader.position;
    readTags(reader, (tag) => {
      if (tag === FIRST_VARINT) seconds = Number(reader.int64());
      else if (tag === SECOND_VARINT) nanoseconds = reader.int32();
      return tag === FIRST_VARINT || tag === SECOND_VARINT;
    });
    // Nothing but the length itself was read: Go's zero time.
    if (reader.position === start + 1) return null;
    const unixSeconds = seconds ?? 0;
    if (Math.abs(unixSeconds) > 8.64e12 || nanoseconds < 0 || nanoseconds >= 1e9) {
      throw new ProtobufError('proto: time out of range');
    }
    return formatUnixTime(unixSeconds, precision === 'seconds' ? 0 : nanoseconds, precision);
  };
}

function readQuantity(reader: ProtobufReader): JsonValue {
  let text = '0';
  readTags(reader, (tag) => {
    if (tag === FIRST_BYTES) text = reader.string();
    return tag === FIRST_BYTES;
  });
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new ProtobufError(parsed.why);
  return parsed.quantity.text;
}

function readIntOrString(reader: ProtobufReader): JsonValue {
  let form = 0;
  let number = 0;
  let text = '';
  readTags(reader, (tag) => {
    if (tag === FIRST_VARINT) form = reader.unsigned();
    else if (tag === SECOND_VARINT) number = reader.int32();
    else if (tag === THIRD_BYTES) text = reader.string();
    return tag === FIRST_VARINT || tag === SECOND_VARINT || tag === THIRD_BYTES;
  });
  return form === 1 ? text : number;
}

function readRawJson(reader: ProtobufReader, parse: (text: string) => JsonValue): JsonValue {
  let raw = '';
  readTags(reader, (tag) => {
    if (tag === FIRST_BYTES) raw = reader.string();
    return tag === FIRST_BYTES;
  });
  if (raw === '') return null;
  const infinite = infiniteNumber(raw);
  if (infinite !== undefined) throw new ProtobufError(beyondFloat(infinite));
  try {
    return parse(raw);
  } catch (error) {
    throw new ProtobufError('proto: embedded raw data is not JSON', { cause: error });
  }
}

function schemaOrBoolReader(): ReadValue {
  const readSchema = nestedReader(JSON_SCHEMA_PROPS);
  return (reader) => {
    let allows = false;
    let schema: JsonValue | undefined;
    readTags(reader, (tag) => {
      if (tag === FIRST_VARINT) allows = reader.bool();
      else if (tag === SECOND_BYTES) schema = readSchema(reader);
      return tag === FIRST_VARINT || tag === SECOND_BYTES;
    });
    return schema ?? allows;
  };
}

function schemaOrListReader(itemType: FieldType): ReadValue {
  const readSchema = nestedReader(JSON_SCHEMA_PROPS);
  const readItem = valueReader(itemType);
  return (reader) => {
    const items: JsonValue[] = [];
    let schema: JsonValue | undefined;
    readTags(reader, (tag) => {
      if (tag === FIRST_BYTES) schema = readSchema(reader);
      else if (tag === SECOND_BYTES) items.push(readItem(reader));
      return tag === FIRST_BYTES || tag === SECOND_BYTES;
    });
    return items.length > 0 ? items : (schema ?? null);
  };
}
