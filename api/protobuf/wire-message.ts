/**
 * Messages whose type was not compiled, by the numbers of their fields: the few small ones of a
 * KMS. Strings, bytes, small numbers, and maps from strings to bytes; what a message does not say
 * is empty, as in proto3.
 */
import { ProtobufError, ProtobufReader, WIRE_BYTES, WIRE_VARINT } from './protobuf-reader.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

type WireValue = string | Uint8Array | number | ReadonlyMap<string, Uint8Array>;

const NOTHING = Buffer.alloc(0);
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param fields by their numbers; numbers that are values are whole and not negative. */
export function encodeWireMessage(fields: Readonly<Record<number, WireValue>>): Buffer {
  const writer = new ProtobufWriter();
  writeFields(writer, fields);
  return writer.finish();
}

/** The last one first, as everything is written backwards. */
function writeFields(writer: ProtobufWriter, fields: Readonly<Record<number, WireValue>>): void {
  for (const [field, value] of Object.entries(fields).reverse()) {
    writeField(writer, Number(field), value);
  }
}

function writeField(writer: ProtobufWriter, field: number, value: WireValue): void {
  if (typeof value === 'number') {
    if (value === 0) return;
    writer.unsigned(value);
    writer.tag(field, WIRE_VARINT);
  } else if (typeof value === 'string') {
    if (value !== '') writeDelimited(writer, field, () => writer.bytes(Buffer.from(value)));
  } else if (value instanceof Uint8Array) {
    if (value.length > 0) writeDelimited(writer, field, () => writer.bytes(value));
  } else {
    for (const [key, one] of [...value].reverse()) {
      writeDelimited(writer, field, () => writeFields(writer, { 1: key, 2: one }));
    }
  }
}

function writeDelimited(writer: ProtobufWriter, field: number, write: () => void): void {
  const before = writer.written;
  write();
  writer.unsigned(writer.written - before);
  writer.tag(field, WIRE_BYTES);
}

/** A message that was read; fields that are not asked for are passed over. */
export class WireMessage {
  readonly #fields = new Map<number, (Buffer | number)[]>();

  /**
   * @param bytes What is asked for are views of them, not copies.
   * @throws {ProtobufError} as do all questions whose field is something else.
   */
  constructor(bytes: Uint8Array) {
    const reader = new ProtobufReader(bytes);
    while (reader.hasMore) {
      const tag = reader.tag();
      const wireType = tag % 8;
      if (wireType === WIRE_VARINT) this.#add(tag, reader.unsigned());
      else if (wireType === WIRE_BYTES) this.#add(tag, reader.bytes());
      else reader.skip(wireType);
    }
  }

  bytes(field: number): Buffer {
    return bytesOf(this.#fields.get(field)?.at(-1) ?? NOTHING);
  }

  /** @throws {ProtobufError} if it is no UTF-8 as well. */
  text(field: number): string {
    try {
      return UTF_8.decode(this.bytes(field));
    } catch (cause) {
      if (cause instanceof ProtobufError) throw cause;
      throw new ProtobufError('proto: a string is no UTF-8', { cause });
    }
  }

  number(field: number): number {
    const value = this.#fields.get(field)?.at(-1) ?? 0;
    if (typeof value !== 'number') throw new ProtobufError('proto: bytes instead of a number');
    return value;
  }

  /** All of a field that is repeated, in their order; none where there is none. */
  messages(field: number): WireMessage[] {
    return (this.#fields.get(field) ?? []).map((value) => new WireMessage(bytesOf(value)));
  }

  map(field: number): Map<string, Buffer> {
    const map = new Map<string, Buffer>();
    for (const value of this.#fields.get(field) ?? []) {
      const entry = new WireMessage(bytesOf(value));
      map.set(entry.text(1), entry.bytes(2));
    }
    return map;
  }

  #add(tag: number, value: Buffer | number): void {
    const field = Math.floor(tag / 8);
    const before = this.#fields.get(field);
    if (before === undefined) this.#fields.set(field, [value]);
    else before.push(value);
  }
}

function bytesOf(value: Buffer | number): Buffer {
  if (typeof value === 'number') throw new ProtobufError('proto: a number instead of bytes');
  return value;
}

/** One call: how what is asked is written, and what is answered is read. */
export interface GrpcMethod<Question, Answer> {
  /** `/package.Service/Method` */
  readonly path: string;
  /** The bytes of a question, without gRPC's frame. */
  readonly encode: (question: Question) => Buffer;
  /** @throws {ProtobufError} */
  readonly decode: (answer: Uint8Array) => Answer;
}
