/**
 * Kubernetes' own wire form: `k8s\0` and an envelope that names the kind, around a protobuf
 * message that does not. A watch sends such objects in frames without the magic around them.
 *
 * Objects are encoded once and reused: items go into a list, and objects into watch events, as
 * bytes. In Kubernetes: apimachinery/pkg/runtime/serializer/protobuf, runtime.Unknown.
 */
import { PART, type Parts } from '../../api/json/json-parts.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { objectAt, stringAt } from '../../api/json/json.ts';
import { ProtobufError, ProtobufReader, WIRE_BYTES } from '../../api/protobuf/protobuf-reader.ts';
import { ProtobufWriter } from '../../api/protobuf/protobuf-writer.ts';
import { typeFacts } from '../../api/scheme/type-facts.ts';
import { decodeMessage } from './protobuf-decoding.ts';
import { encodeMessage, encodeMessageInParts } from './protobuf-encoding.ts';

export { encodeMessage, encodeMessageInParts, hasProtobuf } from './protobuf-encoding.ts';

/** The id of a kind's type; undefined when there is none. */
export type TypeIdOf = (apiVersion: string, kind: string) => string | undefined;

const MAGIC = Buffer.from('k8s\0', 'latin1');

/** Tags of one byte: the field number and that a length follows. */
const FIRST = 8 + WIRE_BYTES;
const SECOND = 16 + WIRE_BYTES;
/** contentEncoding and contentType, both empty, at the end of every envelope. */
const ENVELOPE_END = Buffer.from([24 + WIRE_BYTES, 0, 32 + WIRE_BYTES, 0]);

/** In front of a frame of a watch. */
const LENGTH_BYTES = 4;
/** For what stands in front of objects. */
const heads = new ProtobufWriter();

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Reads an object with its envelope into canonical JSON, as the typed JSON codec gives it.
 * @throws ProtobufError when the bytes are no such object, or of a kind that is not built in.
 */
export function decodeProtobuf(bytes: Uint8Array, typeIdOf: TypeIdOf): JsonObject {
  if (bytes.length === 0) throw new ProtobufError('empty data');
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) {
    const magic = [...MAGIC].join(' ');
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic}]`,
    );
  }
  if (bytes.length === MAGIC.length) throw new ProtobufError('empty body');
  const { kind, apiVersion, raw } = readEnvelope(bytes.subarray(MAGIC.length));
  const typeId = typeIdOf(apiVersion, kind);
  if (typeId === undefined) {
    throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  }
  return { kind, apiVersion, ...decodeMessage(raw, typeId) };
}

/**
 * The object with its envelope.
 * @param object Canonical, as the typed JSON codec gives it.
 */
export function encodeProtobuf(object: JsonObject, typeId: string): Buffer {
  const kind = { apiVersion: stringAt(object, 'apiVersion'), kind: stringAt(object, 'kind') };
  const begin = (writer: ProtobufWriter, size: number): void => {
    writeHead(writer, kind, size);
  };
  return encodeMessage(object, typeId, { end: ENVELOPE_END, begin });
}

/** The same of a large object, in parts. */
export function* encodeProtobufInParts(object: JsonObject, typeId: string): Parts<Buffer> {
  const kind = { apiVersion: stringAt(object, 'apiVersion'), kind: stringAt(object, 'kind') };
  return encodeEnvelope(kind, [yield* encodeMessageInParts(object, typeId)]);
}

/** Puts the envelope around a message that {@link encodeMessage} made. */
export function encodeEnvelope(
  { apiVersion, kind }: Kind,
  messageParts: readonly Uint8Array[],
): Buffer {
  const size = messageParts.reduce((sum, part) => sum + part.length, 0);
  heads.reset();
  writeHead(heads, { apiVersion, kind }, size);
  return Buffer.concat([heads.finish(), ...messageParts, ENVELOPE_END]);
}

/** What stands in front of a message of so many bytes. */
function writeHead(writer: ProtobufWriter, { apiVersion, kind }: Kind, size: number): void {
  writer.unsigned(size);
  writer.tag(2, WIRE_BYTES);
  const before = writer.written;
  writer.string(kind);
  writer.tag(2, WIRE_BYTES);
  writer.string(apiVersion);
  writer.tag(1, WIRE_BYTES);
  writer.unsigned(writer.written - before);
  writer.tag(1, WIRE_BYTES);
  writer.bytes(MAGIC);
}

/**
 * A list with its envelope, put together from items that {@link encodeMessage} made.
 * @param listMeta `{ resourceVersion, continue, remainingItemCount }`.
 */
export function encodeListProtobuf(
  listTypeId: string,
  listMeta: JsonObject,
  items: readonly Uint8Array[],
): Buffer {
  const { apiVersion, goName: kind } = typeFacts(listTypeId);
  const parts: Uint8Array[] = [encodeMessage({ metadata: listMeta }, listTypeId)];
  for (const item of items) parts.push(delimited(SECOND, item.length), item);
  return encodeEnvelope({ apiVersion, kind }, parts);
}

const META_TYPES = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/**
 * PartialObjectMetadataList as v1beta1 has it: the same as v1, but for the numbers of its fields,
 * which stand the other way round.
 * @param list Of that version, with its items.
 */
export function* encodePartialListV1beta1(list: JsonObject): Parts<Buffer> {
  const kind = { apiVersion: stringAt(list, 'apiVersion'), kind: stringAt(list, 'kind') };
  const parts: Uint8Array[] = [];
  const add = (tag: number, part: JsonObject, type: string): void => {
    const message = encodeMessage(part, `${META_TYPES}.${type}`);
    parts.push(delimited(tag, message.length), message);
  };
  const items = (list['items'] ?? []) as readonly JsonObject[]; // Made by the writer of lists.
  for (const item of items) {
    add(FIRST, item, 'PartialObjectMetadata');
    if (parts.length % PART === 0) yield;
  }
  add(SECOND, objectAt(list, 'metadata') ?? {}, 'ListMeta');
  return encodeEnvelope(kind, parts);
}

/**
 * One frame of a watch: four bytes of length, big endian, and a WatchEvent without envelope.
 * @param objectBytes The object with its envelope, of {@link encodeProtobuf}.
 */
export function encodeWatchEventProtobuf(type: string, objectBytes: Uint8Array): Buffer {
  const { length } = objectBytes;
  heads.reset();
  heads.unsigned(length);
  heads.tag(1, WIRE_BYTES);
  heads.unsigned(heads.written + length);
  heads.tag(2, WIRE_BYTES);
  heads.string(type);
  heads.tag(1, WIRE_BYTES);
  const headBytes = heads.written;
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + headBytes + length);
  frame.writeUInt32BE(headBytes + length, 0);
  heads.copyTo(frame, LENGTH_BYTES);
  frame.set(objectBytes, LENGTH_BYTES + headBytes);
  return frame;
}

/** A tag of one byte and a length. */
function delimited(tag: number, size: number): Uint8Array {
  const bytes = [tag];
  let rest = size;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

function readEnvelope(bytes: Uint8Array): Kind & { readonly raw: Uint8Array } {
  const reader = new ProtobufReader(bytes);
  let kind: Kind = { apiVersion: '', kind: '' };
  let raw: Uint8Array = bytes.subarray(0, 0);
  while (reader.hasMore) {
    const tag = reader.tag();
    if (tag === FIRST) kind = readKind(reader);
    else if (tag === SECOND) raw = reader.bytes();
    else reader.skip(tag % 8);
  }
  return { ...kind, raw };
}

function readKind(reader: ProtobufReader): Kind {
  let apiVersion = '';
  let kind = '';
  const outer = reader.enter();
  while (reader.hasMore) {
    const tag = reader.tag();
    if (tag === FIRST) apiVersion = reader.string();
    else if (tag === SECOND) kind = reader.string();
    else reader.skip(tag % 8);
  }
  reader.leave(outer);
  return { apiVersion, kind };
}
