/**
 * Protocol buffers as they lie on the wire, as far as the few small messages of a KMS need them:
 * strings, bytes, small numbers, and maps from strings to bytes. What a message does not say is empty.
 */

export type WireValue = string | Uint8Array | number | ReadonlyMap<string, Uint8Array>;

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
/** A varint of 64 bits. */
const VARINT_BYTES_MAX = 10;
const NOTHING = Buffer.alloc(0);

/** It ends too early, or is something else. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/** @param fields by their numbers, which are less than 16; numbers that are values are whole and not negative. */
export function encodeMessage(fields: Readonly<Record<number, WireValue>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).map(([field, value]) => encodeField(Number(field), value)),
  );
}

function encodeField(field: number, value: WireValue): Buffer {
  if (typeof value === 'number') {
    return value === 0 ? NOTHING : Buffer.of((field << 3) | VARINT, ...varint(value));
  }
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    const entries = Array.from(value, ([key, one]) => encodeMessage({ 1: key, 2: one }));
    return Buffer.concat(entries.map((entry) => delimited(field, entry)));
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return bytes.length === 0 ? NOTHING : delimited(field, bytes);
}

function delimited(field: number, bytes: Uint8Array): Buffer {
  const head = Buffer.of((field << 3) | LENGTH_DELIMITED, ...varint(bytes.length));
  return Buffer.concat([head, bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}

/** A message that was read; fields that nobody asks for are passed over. */
export class WireMessage {
  readonly #fields = new Map<number, (Buffer | number)[]>();

  /** @throws {MalformedMessageError} */
  constructor(bytes: Uint8Array) {
    const reader = new WireReader(bytes);
    while (!reader.isAtEnd) {
      const { field, value } = reader.field();
      if (value === undefined) continue;
      const before = this.#fields.get(field);
      if (before === undefined) this.#fields.set(field, [value]);
      else before.push(value);
    }
  }

  /** @throws {MalformedMessageError} it is a number. */
  bytes(field: number): Buffer {
    const value = this.#fields.get(field)?.at(-1) ?? NOTHING;
    if (typeof value === 'number') throw new MalformedMessageError('a number instead of bytes');
    return value;
  }

  /** @throws {MalformedMessageError} it is a number, or no UTF-8. */
  text(field: number): string {
    return textOf(this.bytes(field));
  }

  number(field: number): number {
    const value = this.#fields.get(field)?.at(-1) ?? 0;
    if (typeof value !== 'number') throw new MalformedMessageError('bytes instead of a number');
    return value;
  }

  map(field: number): Map<string, Buffer> {
    const map = new Map<string, Buffer>();
    for (const value of this.#fields.get(field) ?? []) {
      if (typeof value === 'number') throw new MalformedMessageError('a number instead of a map');
      const entry = new WireMessage(value);
      map.set(entry.text(1), entry.bytes(2));
    }
    return map;
  }
}

class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  field(): { readonly field: number; readonly value: Buffer | number | undefined } {
    const tag = this.#varint();
    const field = Math.floor(tag / 8);
    if (field === 0) throw new MalformedMessageError('a field without a number');
    const kind = tag % 8;
    if (kind === VARINT) return { field, value: this.#varint() };
    if (kind === LENGTH_DELIMITED) return { field, value: this.#take(this.#varint()) };
    if (kind !== FIXED_32 && kind !== FIXED_64) {
      throw new MalformedMessageError('a field of a kind that there is not');
    }
    this.#take(kind === FIXED_32 ? 4 : 8);
    return { field, value: undefined };
  }

  #varint(): number {
    let value = 0;
    let size = 1;
    for (let count = 0; count < VARINT_BYTES_MAX; count += 1) {
      const byte = this.#take(1)[0] ?? 0;
      value += (byte & 0x7f) * size;
      if (byte < 0x80) return value;
      size *= 0x80;
    }
    throw new MalformedMessageError('a number that does not end');
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new MalformedMessageError('the message was cut off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new MalformedMessageError('a text that is no UTF-8', { cause });
  }
}
