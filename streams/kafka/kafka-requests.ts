/**
 * The three requests that the log is made of, in the versions that every broker since Kafka 2.3
 * speaks: Produce 7, Fetch 11, ListOffsets 3. kafkajs carries them; their bytes are made and read
 * here, because the records in them are (record-batch.ts).
 */
import { BrokerError } from './kafka-errors.ts';
import type { RawExchange } from './kafkajs-internals.ts';

/** A log is one partition. */
const PARTITION = 0;
const ALL_IN_SYNC_REPLICAS = -1;
const NO_REPLICA = -1;
const NO_LEADER_EPOCH = -1;
const NO_SESSION = -1;
/** All records, for there are no transactions. */
const READ_UNCOMMITTED = 0;

export const EARLIEST = -2;
export const LATEST = -1;

export interface ProduceAnswer {
  /** The offset of the first record. */
  readonly baseOffset: number;
}

export interface FetchAnswer {
  /** The offset behind the last record that may be read. */
  readonly end: number;
  /** The offset of the first record that is still there. */
  readonly start: number;
  /** Record batches, the last of them perhaps cut off. */
  readonly records: Buffer;
}

export interface OffsetAnswer {
  readonly offset: number;
}

/** @param isSent is called when the bytes are about to go out. */
export function produceExchange(
  topic: string,
  batch: Buffer,
  options: { readonly timeoutMs: number; readonly isSent: () => void },
): RawExchange<ProduceAnswer> {
  return exchange<ProduceAnswer>(
    { apiKey: 0, apiVersion: 7, apiName: 'Produce' },
    () => {
      options.isSent();
      const body = new Body(64 + Buffer.byteLength(topic) + batch.length);
      // No transaction.
      body.int16(-1).int16(ALL_IN_SYNC_REPLICAS).int32(options.timeoutMs);
      return body.onlyPartition(topic).int32(batch.length).bytes(batch);
    },
    (answer) => {
      answer.skipToPartition();
      answer.check('Produce');
      const baseOffset = answer.int64();
      answer.skip(8 + 8);
      return { answer: { baseOffset }, throttleMs: answer.int32() };
    },
  );
}

export function fetchExchange(
  topic: string,
  offset: number,
  options: { readonly maxWaitMs: number; readonly maxBytes: number },
): RawExchange<FetchAnswer> {
  return exchange<FetchAnswer>(
    { apiKey: 1, apiVersion: 11, apiName: 'Fetch' },
    () => {
      const body = new Body(128 + Buffer.byteLength(topic));
      const minBytes = 1;
      body.int32(NO_REPLICA).int32(options.maxWaitMs).int32(minBytes).int32(options.maxBytes);
      body.int8(READ_UNCOMMITTED).int32(0).int32(NO_SESSION).onlyPartition(topic);
      const logStart = -1;
      body.int32(NO_LEADER_EPOCH).int64(offset).int64(logStart).int32(options.maxBytes);
      const forgotten = 0;
      return body.int32(forgotten).string('');
    },
    (answer) => {
      const throttleMs = answer.int32();
      answer.check('Fetch');
      answer.skip(4);
      answer.skipToPartition();
      answer.check('Fetch');
      const end = answer.int64();
      answer.skip(8);
      const start = answer.int64();
      const aborted = answer.int32();
      answer.skip(Math.max(0, aborted) * 16 + 4);
      return { answer: { end, start, records: answer.bytes() }, throttleMs };
    },
  );
}

/** @param time {@link EARLIEST} or {@link LATEST}. */
export function listOffsetsExchange(topic: string, time: number): RawExchange<OffsetAnswer> {
  return exchange<OffsetAnswer>(
    { apiKey: 2, apiVersion: 3, apiName: 'ListOffsets' },
    () => {
      const body = new Body(64 + Buffer.byteLength(topic));
      return body.int32(NO_REPLICA).int8(READ_UNCOMMITTED).onlyPartition(topic).int64(time);
    },
    (answer) => {
      const throttleMs = answer.int32();
      answer.skipToPartition();
      answer.check('ListOffsets');
      answer.skip(8);
      return { answer: { offset: answer.int64() }, throttleMs };
    },
  );
}

interface Decoded<T> {
  readonly answer: T;
  readonly throttleMs: number;
}

function exchange<T extends object>(
  name: { readonly apiKey: number; readonly apiVersion: number; readonly apiName: string },
  encode: () => Body,
  decode: (answer: Answer) => Decoded<T>,
): RawExchange<T> {
  return {
    request: { ...name, encode: () => Promise.resolve(encode()) },
    response: {
      decode: (payload) =>
        new Promise((resolve) => {
          const { answer, throttleMs } = decode(new Answer(payload));
          resolve({ ...answer, clientSideThrottleTime: throttleMs });
        }),
      parse: (decoded) => Promise.resolve(decoded),
    },
    logResponseError: false,
  };
}

/** The bytes of a request behind its header, in the shape that kafkajs sends. */
class Body {
  readonly buf: Buffer;
  #at = 0;

  constructor(sizeMax: number) {
    this.buf = Buffer.allocUnsafe(sizeMax);
  }

  get buffer(): Buffer {
    return this.buf.subarray(0, this.#at);
  }

  int8(value: number): this {
    this.#at = this.buf.writeInt8(value, this.#at);
    return this;
  }

  int16(value: number): this {
    this.#at = this.buf.writeInt16BE(value, this.#at);
    return this;
  }

  int32(value: number): this {
    this.#at = this.buf.writeInt32BE(value, this.#at);
    return this;
  }

  int64(value: number): this {
    this.#at = this.buf.writeBigInt64BE(BigInt(value), this.#at);
    return this;
  }

  string(text: string): this {
    this.int16(Buffer.byteLength(text));
    this.#at += this.buf.write(text, this.#at, 'utf8');
    return this;
  }

  bytes(bytes: Buffer): this {
    this.buf.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  /** A list of one topic, with a list of one partition, whose fields follow. */
  onlyPartition(topic: string): this {
    return this.int32(1).string(topic).int32(1).int32(PARTITION);
  }
}

/** An answer behind its header, read from front to back. */
class Answer {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
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

  /** Nothing, when there are none. */
  bytes(): Buffer {
    const size = this.int32();
    const start = this.#at;
    this.#at += Math.max(0, size);
    return this.#bytes.subarray(start, this.#at);
  }

  skip(size: number): void {
    this.#at += size;
  }

  /** Up to the fields behind the number of the partition. */
  skipToPartition(): void {
    this.skip(4);
    this.skip(this.int16());
    this.skip(4 + 4);
  }

  /** @throws {BrokerError} the answer is an error. */
  check(request: string): void {
    const code = this.int16();
    if (code !== 0) throw new BrokerError(request, code);
  }
}
