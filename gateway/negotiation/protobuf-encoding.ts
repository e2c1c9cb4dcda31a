/**
 * Writes canonical JSON objects of built-in types as protobuf messages, byte for byte as Go does.
 * The surprise is that a field without a pointer is always written, also when it is zero, and that
 * all is written backwards (see protobuf-writer.ts).
 *
 * In Kubernetes: the generated.pb.go files.
 */
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { slicesOf, type Parts } from '../../api/json/json-parts.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { knownText } from '../../api/json/known-texts.ts';
import { isJsonObject, isNumber, listAt } from '../../api/json/json.ts';
import { forEachItem, mayPause, remembered } from '../../api/json/work-in-slices.ts';
import { WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from '../../api/protobuf/protobuf-reader.ts';
import { ProtobufWriter } from '../../api/protobuf/protobuf-writer.ts';
import {
  isSpecialType,
  type FieldType,
  type ScalarName,
  type SpecialKind,
} from '../../api/scheme/field-type.ts';
import { type FieldFacts, typeFacts } from '../../api/scheme/type-facts.ts';
import { sortedKeys } from '../../api/json/typed-json-keys.ts';
import { parseTime, type TimePrecision } from '../../api/scheme/typed-json-scalars.ts';

/** Writes one value without its tag, undefined and null as zero. */
type WriteValue = (writer: ProtobufWriter, value: JsonValue | undefined) => void;

/** Writes what one field of the object needs, tags included. */
type WriteField = (writer: ProtobufWriter, object: JsonObject) => void;

const JSON_SCHEMA_PROPS =
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const EMPTY: JsonObject = {};

const compiled = new Map<string, readonly WriteField[]>();
const sharedWriter = new ProtobufWriter();

/** What stands around a message. */
export interface Wrapping {
  /** Behind it. */
  readonly end: Uint8Array;
  /** Writes what stands in front of a message of so many bytes. */
  readonly begin: (writer: ProtobufWriter, messageBytes: number) => void;
}

/**
 * Bytes of the message, without the envelope. Empty values may be left out of `object`.
 *
 * @param wrapping what is written around it at once, so that nothing is copied twice.
 */
export function encodeMessage(object: JsonObject, typeId: string, wrapping?: Wrapping): Buffer {
  const writer = sharedWriter;
  writer.reset();
  if (wrapping !== undefined) writer.bytes(wrapping.end);
  const before = writer.written;
  writeFields(writer, object, fieldWriters(typeId));
  wrapping?.begin(writer, writer.written - before);
  return writer.finish();
}

/**
 * The same of a large object, in parts. What was written before a pause stays written, so between two places for
 * a pause all of an item is written or nothing: since a message is written from its end, its length and its tag
 * come behind all that is within it.
 *
 * @param steps between two pauses; undefined: as in all work in slices.
 */
export function* encodeMessageInParts(
  object: JsonObject,
  typeId: string,
  steps?: number,
): Parts<Buffer> {
  const writer = new ProtobufWriter();
  const fields = fieldWriters(typeId);
  yield* slicesOf(() => {
    writeFields(writer, object, fields);
  }, steps);
  return writer.finish();
}

/** Whether the type is a protobuf message at all; Table, for one, is not. */
export function hasProtobuf(typeId: string): boolean {
  const { fields } = typeFacts(typeId);
  return fields.length === 0 || fields.some(({ protobuf }) => protobuf > 0);
}

function writeFields(
  target: ProtobufWriter,
  object: JsonObject,
  fields: readonly WriteField[],
): void {
  if (mayPause())
    forEachItem(fields, (field) => {
      field(target, object);
    });
  else for (const field of fields) field(target, object);
}

/** Calls back for each item, the last one first. */
function backwards<Item>(items: readonly Item[], write: (item: Item) => void): void {
  if (mayPause()) {
    const last = items.length - 1;
    // There is one at each place below the length.
    forEachItem(items, (_, index) => {
      write(items[last - index] as Item);
    });
    return;
  }
  for (let index = items.length - 1; index >= 0; index -= 1) write(items[index] as Item);
}

/** How much was written when this value was begun with. */
function writtenBefore(target: ProtobufWriter): number {
  return mayPause() ? remembered(() => target.written) : target.written;
}

/** The writers of a type's fields, the highest field number first. */
function fieldWriters(typeId: string): readonly WriteField[] {
  const known = compiled.get(typeId);
  if (known !== undefined) return known;
  const fields = typeFacts(typeId).fields.filter(({ protobuf }) => protobuf > 0);
  fields.sort((a, b) => b.protobuf - a.protobuf);
  const writers = fields.map(fieldWriter);
  compiled.set(typeId, writers);
  return writers;
}

function fieldWriter({ name, type, protobuf, inline, omitEmpty }: FieldFacts): WriteField {
  if (inline) {
    const write = valueWriter(type);
    return (target, object) =>
      writeTagged(target, protobuf, { wireType: WIRE_BYTES, write }, object);
  }
  if (type.kind === 'list' && type.wrapped === undefined) {
    const item = taggedOf(type.of);
    return (target, object) => {
      backwards(listAt(object, name), (one) => {
        writeTagged(target, protobuf, item, one);
      });
    };
  }
  if (type.kind === 'map') return mapWriter(name, protobuf, type.of);
  const tagged = taggedOf(type);
  const isOptional = type.pointer === true || type.kind === 'bytes' || type.kind === 'list';
  // Where null would have been left out, it stands for a pointer to a zero value.
  const writesNull = type.pointer === true && omitEmpty && isSpecialType(type);
  return (target, object) => {
    const value = object[name];
    if (isOptional && (value === undefined || (value === null && !writesNull))) return;
    writeTagged(target, protobuf, tagged, value);
  };
}

interface TaggedValue {
  readonly wireType: number;
  readonly write: WriteValue;
}

function taggedOf(type: FieldType): TaggedValue {
  return { wireType: wireTypeOf(type), write: valueWriter(type) };
}

function writeTagged(
  target: ProtobufWriter,
  field: number,
  { wireType, write }: TaggedValue,
  value: JsonValue | undefined,
): void {
  write(target, value);
  target.tag(field, wireType);
}

export function wireTypeOf(type: FieldType): number {
  if (type.kind !== 'scalar' || type.scalar === 'string') return WIRE_BYTES;
  return type.scalar === 'float64' ? WIRE_FIXED64 : WIRE_VARINT;
}

function mapWriter(name: string, field: number, valueType: FieldType): WriteField {
  const tagged = taggedOf(valueType);
  return (target, object) => {
    const map = object[name];
    if (!isJsonObject(map)) return;
    backwards(
      remembered(() => sortedKeys(map)),
      (key) => {
        const before = writtenBefore(target);
        const value = map[key];
        if (valueType.kind !== 'bytes' || value !== null) writeTagged(target, 2, tagged, value);
        target.string(key);
        target.tag(1, WIRE_BYTES);
        target.unsigned(target.written - before);
        target.tag(field, WIRE_BYTES);
      },
    );
  };
}

function valueWriter(type: FieldType): WriteValue {
  if (isSpecialType(type)) return lengthDelimited(specialWriter(type.kind));
  switch (type.kind) {
    case 'scalar':
      return scalarWriter(type.scalar);
    case 'bytes':
      return (target, value) =>
        writeBytes(target, Buffer.from(typeof value === 'string' ? value : '', 'base64'));
    case 'message':
      return messageWriter(type.id);
    case 'list': {
      const item = taggedOf(type.of);
      return lengthDelimited((target, value) => {
        backwards(Array.isArray(value) ? value : [], (one) => {
          writeTagged(target, 1, item, one);
        });
      });
    }
    case 'map':
      throw new Error('protobuf has no map inside a list or a map');
  }
}

function lengthDelimited(write: WriteValue): WriteValue {
  return (target, value) => {
    const before = writtenBefore(target);
    write(target, value);
    target.unsigned(target.written - before);
  };
}

function messageWriter(id: string): WriteValue {
  let fields: readonly WriteField[] | undefined;
  return lengthDelimited((target, value) => {
    fields ??= fieldWriters(id);
    writeFields(target, isJsonObject(value) ? value : EMPTY, fields);
  });
}

function writeBytes(target: ProtobufWriter, bytes: Uint8Array): void {
  target.bytes(bytes);
  target.unsigned(bytes.length);
}

function scalarWriter(scalar: ScalarName): WriteValue {
  switch (scalar) {
    case 'string':
      return (target, value) => target.string(typeof value === 'string' ? value : '');
    case 'bool':
      return (target, value) => target.unsigned(value === true ? 1 : 0);
    case 'float64':
      return (target, value) => target.double(Number(numberOf(value)));
    case 'float32':
      throw new Error('no built-in type has a float32 in protobuf');
    case 'int32':
    case 'int64':
    case 'uint8':
    case 'uint32':
    case 'uint64':
      return (target, value) => target.signed(numberOf(value));
  }
}

function numberOf(value: JsonValue | undefined): number | bigint {
  return isNumber(value) ? value : 0;
}

function specialWriter(kind: SpecialKind): WriteValue {
  switch (kind) {
    case 'time':
      return timeWriter('seconds');
    case 'microtime':
      return timeWriter('microseconds');
    case 'quantity':
      return (target, value) => {
        target.string(typeof value === 'string' ? value : '0');
        target.tag(1, WIRE_BYTES);
      };
    case 'intOrString':
      return writeIntOrString;
    case 'rawJson':
    case 'rawExtension':
    case 'fieldsV1':
      return (target, value) => {
        if (value === undefined || value === null) return;
        const isFields = kind === 'fieldsV1' && isJsonObject(value);
        target.string(isFields ? knownText(value) : formatJson(value));
        target.tag(1, WIRE_BYTES);
      };
    case 'jsonSchemaPropsOrBool':
      return schemaOrBoolWriter();
    case 'jsonSchemaPropsOrArray':
      return schemaOrListWriter({ kind: 'message', id: JSON_SCHEMA_PROPS });
    case 'jsonSchemaPropsOrStringArray':
      return schemaOrListWriter({ kind: 'scalar', scalar: 'string' });
  }
}

function timeWriter(precision: TimePrecision): WriteValue {
  return (target, value) => {
    if (typeof value !== 'string') return;
    const time = parseTime(value, precision);
    if (!time.ok) throw new Error(`not a canonical object: ${time.why}`);
    target.signed(precision === 'seconds' ? 0 : time.nanoseconds);
    target.tag(2, WIRE_VARINT);
    target.signed(time.unixSeconds);
    target.tag(1, WIRE_VARINT);
  };
}

function writeIntOrString(target: ProtobufWriter, value: JsonValue | undefined): void {
  const isString = typeof value === 'string';
  target.string(isString ? value : '');
  target.tag(3, WIRE_BYTES);
  target.signed(numberOf(value));
  target.tag(2, WIRE_VARINT);
  target.unsigned(isString ? 1 : 0);
  target.tag(1, WIRE_VARINT);
}

function schemaOrBoolWriter(): WriteValue {
  const schema: TaggedValue = { wireType: WIRE_BYTES, write: messageWriter(JSON_SCHEMA_PROPS) };
  return (target, value) => {
    const isSchema = isJsonObject(value);
    if (isSchema) writeTagged(target, 2, schema, value);
    target.unsigned(isSchema || value === true ? 1 : 0);
    target.tag(1, WIRE_VARINT);
  };
}

function schemaOrListWriter(itemType: FieldType): WriteValue {
  const schema: TaggedValue = { wireType: WIRE_BYTES, write: messageWriter(JSON_SCHEMA_PROPS) };
  const item = taggedOf(itemType);
  return (target, value) => {
    backwards(Array.isArray(value) ? value : [], (one) => {
      writeTagged(target, 2, item, one);
    });
    if (isJsonObject(value)) writeTagged(target, 1, schema, value);
  };
}
