/** Bytes of Kafka's protocol, as a broker reads requests and writes answers. */

/** A request, read from front to back. */
export class RequestBytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int8(): number {
    this.#at += 1;
    return this.#bytes.readInt8(this.#at - 1);
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  int64(): number {
    this.#at += 8;
    return Number(this.#bytes.readBigInt64BE(this.#at - 8));
  }

  /** Empty for null too. */
  string(): string {
    return this.#taken(this.int16()).toString();
  }

  bytes(): Buffer {
    return this.#taken(this.int32());
  }

  /** Empty for null too. */
  list<Item>(read: () => Item): Item[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }

  /** A broker closes the connection of a client that sends more than it says. */
  end(): void {
    if (this.#at !== this.#bytes.length) {
      throw new Error(`${String(this.#bytes.length - this.#at)} bytes of a request are left`);
    }
  }

  #taken(size: number): Buffer {
    const start = this.#at;
    this.#at += Math.max(0, size);
    if (this.#at > this.#bytes.length) throw new RangeError('the request ends too early');
    return this.#bytes.subarray(start, this.#at);
  }
}

export function int8(value: number): Buffer {
  return Buffer.from([value & 0xff]);
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

export function string(text: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(text)), Buffer.from(text)]);
}

export function bytes(value: Buffer): Buffer {
  return Buffer.concat([int32(value.length), value]);
}

export function list(items: readonly Buffer[]): Buffer {
  return Buffer.concat([int32(items.length), ...items]);
}

export function nothing(): Buffer {
  return int16(-1);
}
