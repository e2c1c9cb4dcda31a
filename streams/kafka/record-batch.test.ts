import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventOf, recordOf } from '../event-codec.ts';
import { proposedEvent, proposedMarker } from '../proposed-event.fixture.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import { resourceVersion } from '../resource-version.ts';
import { crc32c } from './crc32c.ts';
import {
  batchSizeMax,
  decodeBatches,
  encodeBatch,
  endOfBatches,
  UNPACKED_AT_ONCE,
  UNPACKED_BYTES_MAX,
} from './record-batch.ts';

const load = createRequire(import.meta.url);
// What kafkajs says of its own is all there is to compare with, and it has no types.
const kafkajsCrc = load('kafkajs/src/protocol/recordBatch/crc32C/crc32C.js') as (
  b: Buffer,
) => number;
const KafkajsDecoder = load('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => object;
const kafkajsDecode = load('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (
  decoder: object,
) => Promise<{ records: { key: Buffer; value: Buffer; headers: Record<string, Buffer> }[] }>;

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const anyEvent: fc.Arbitrary<ProposedEvent> = fc
  .record({
    writer: fc.uuid(),
    sequence: fc.maxSafeNat(),
    type: fc.constantFrom('added', 'modified', 'deleted', 'marker'),
    path: fc.tuple(anyText, anyText).map(([namespace, name]) => `${namespace}/${name}`),
    json: fc.uint8Array({ maxLength: 300 }),
    time: fc.nat({ max: 4_000_000_000_000 }),
    uid: anyText,
    user: fc.string({ unit: 'binary', maxLength: 9_000 }),
    auditID: anyText,
    fieldManager: anyText,
  })
  .map(({ type, ...parts }) =>
    type === 'marker'
      ? proposedMarker(parts.sequence % 1_000_000)
      : proposedEvent(1, { ...parts, type }),
  );

function plain(event: LoggedEvent | ProposedEvent | undefined): unknown {
  return event && { ...event, json: Buffer.from(event.json).toString('latin1') };
}

/** As the broker places it. */
function placed(batch: Buffer, offset: number): Buffer {
  const copy = Buffer.from(batch);
  copy.writeBigInt64BE(BigInt(offset), 0);
  return copy;
}

function batchOf(offset: number, ...sequences: number[]): Buffer {
  return placed(
    encodeBatch(
      sequences.map((n) => recordOf(proposedEvent(n))),
      1,
    ),
    offset,
  );
}

describe('a record batch', () => {
  it('gives back every event as it was, at its offset', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        (events, offset) => {
          const records = events.map(recordOf);
          const bytes = placed(encodeBatch(records, 1_700_000_000_000), offset);

          const { records: found, next } = decodeBatches(bytes, 0);

          expect(bytes.length).toBeLessThanOrEqual(batchSizeMax(records));
          expect(found.map((record) => record.offset)).toEqual(events.map((_, n) => offset + n));
          expect(
            found.map((record) => plain(eventOf(record, resourceVersion(record.offset + 1)))),
          ).toEqual(
            events.map((event, n) =>
              plain({ ...event, resourceVersion: resourceVersion(offset + n + 1) }),
            ),
          );
          expect(endOfBatches(bytes)).toBe(offset + events.length);
          expect(next).toBe(offset + events.length);
        },
      ),
    );
  });

  it('is what kafkajs reads in it, all headers included', async () => {
    const event = proposedEvent(7, { user: 'Ärger 🚀', json: Buffer.from('{"a":1}') });
    const record = recordOf(event);
    const batch = await kafkajsDecode(new KafkajsDecoder(encodeBatch([record, record], 5)));

    expect(batch.records).toHaveLength(2);
    for (const { key, value, headers } of batch.records) {
      expect(key.toString()).toBe(record.key);
      expect(value.toString()).toBe('{"a":1}');
      const texts = Object.entries(headers).map(([name, bytes]) => [name, bytes.toString()]);
      expect(Object.fromEntries(texts)).toEqual(record.headers);
    }
  });

  it('has the checksum that kafkajs computes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(crc32c(bytes)).toBe(kafkajsCrc(Buffer.from(bytes)));
      }),
    );
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('is read from the offset asked for, which may lie in its middle', () => {
    const bytes = Buffer.concat([batchOf(10, 1, 2, 3), batchOf(13, 4, 5)]);

    for (const from of [10, 11, 12, 13, 14, 15]) {
      const offsets = decodeBatches(bytes, from).records.map(({ offset }) => offset);
      expect(offsets).toEqual([10, 11, 12, 13, 14].filter((offset) => offset >= from));
    }
  });

  it('is read whatever the times of its records are', () => {
    // Attributes, and the time in ten bytes.
    const late = batchWith([0, ...Array<number>(9).fill(0xff), 1, 0, 2, 0x6b, 2, 0x76, 0]);

    expect(decodeBatches(late, 0)).toMatchObject({ records: [{ offset: 0, key: 'k' }], next: 1 });
  });

  it('is refused where a number in it is longer than any', () => {
    // The place of the record, in six bytes.
    const long = batchWith([0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 2, 0x6b, 2, 0x76, 0]);

    expect(() => decodeBatches(long, 0)).toThrow(RangeError);
  });

  it('is left out when it is cut off, whatever the place', () => {
    const [first, second] = [batchOf(0, 1, 2), batchOf(2, 3)];
    const bytes = Buffer.concat([first, second]);

    for (let size = 0; size < bytes.length; size += 1) {
      const { records, next } = decodeBatches(bytes.subarray(0, size), 0);
      expect(records, `${String(size)} bytes`).toHaveLength(size < first.length ? 0 : 2);
      expect(next).toBe(size < first.length ? undefined : 2);
      expect(endOfBatches(bytes.subarray(0, size))).toBe(next);
    }
  });

  it('never gives other records than were in it, whichever byte is wrong', () => {
    const bytes = batchOf(0, 1, 2);
    const honest = decodeBatches(bytes, 0).records.map(({ key }) => key);
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x80;
      let found: readonly { offset: number }[];
      try {
        found = decodeBatches(damaged, 0).records;
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        continue;
      }
      expect(found.length).toBeLessThanOrEqual(honest.length);
    }
  });

  it('is refused when its length leads nowhere but back', () => {
    for (const length of [-12, -61, -1, 0, 48]) {
      const bytes = batchOf(0, 1, 2);
      bytes.writeInt32BE(length, 8);
      expect(() => decodeBatches(bytes, 0)).toThrow(RangeError);
      expect(() => endOfBatches(bytes)).toThrow(RangeError);
    }
  });

  it('is refused when a record leads back to where it was read', () => {
    const bytes = batchOf(0, 1);
    bytes.writeInt32BE(0x7fff_ffff, 57);
    // A length of -1, and behind it attributes, time, place, and no key.
    bytes.set([1, 0, 0, 0, 1], 61);

    expect(() => decodeBatches(bytes, 0)).toThrow(RangeError);
  });

  it('is refused when the headers of a record lead back to themselves', () => {
    const bytes = batchOf(0, 1);
    // 57 bytes behind their count: a name of -1 byte, and a value without any, again and again.
    const record = [58 * 2, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f, 3, 1];
    bytes.set(record, 61);

    expect(() => decodeBatches(bytes, 0)).toThrow(RangeError);
  });
});

/** One record, of which these are the bytes behind its length. */
function batchWith(record: readonly number[]): Buffer {
  const head = batchOf(0, 1).subarray(0, 61);
  const batch = Buffer.concat([head, Buffer.from([...varint(record.length), ...record])]);
  batch.writeInt32BE(batch.length - 12, 8);
  return batch;
}

/** As a broker keeps it where `compression.type` is `gzip`. @param packed records, compressed. */
function packedBatch(offset: number, packed: Buffer, count: number): Buffer {
  const batch = Buffer.concat([batchOf(offset, 1).subarray(0, 61), packed]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt16BE(1, 21);
  batch.writeInt32BE(count - 1, 23);
  batch.writeInt32BE(count, 57);
  return batch;
}

describe('a compressed batch', () => {
  const MEMBER_BYTES = 8 * 1024 * 1024;
  const zeros = gzipSync(Buffer.alloc(MEMBER_BYTES));
  const zeroBytes = (sizeBytes: number): Buffer =>
    Buffer.concat(Array.from({ length: sizeBytes / MEMBER_BYTES }, () => zeros));

  it('is read as it was written', () => {
    const plain = batchOf(7, 1, 2, 3);
    const found = decodeBatches(packedBatch(7, gzipSync(plain.subarray(61)), 3), 0);

    expect(found).toEqual(decodeBatches(plain, 0));
    expect(found.records).toHaveLength(3);
  });

  it('is refused where some bytes of it unpack to gigabytes, and is not unpacked further', () => {
    const bomb = packedBatch(0, zeroBytes(4 * 1024 * 1024 * 1024), 1);
    const before = process.memoryUsage().rss;

    expect(bomb.length).toBeLessThan(5 * 1024 * 1024);
    expect(() => decodeBatches(bomb, 0)).toThrow(
      new RangeError(`a record batch unpacks to more than ${String(UNPACKED_BYTES_MAX)} bytes`),
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(1024 * 1024 * 1024);
  });

  it('is refused where it is none', () => {
    const damaged = packedBatch(0, gzipSync(batchOf(0, 1).subarray(61)).subarray(0, -9), 1);

    expect(() => decodeBatches(damaged, 0)).toThrow(RangeError);
    expect(() => decodeBatches(damaged, 0)).toThrow('a record batch cannot be unpacked');
  });

  it('is refused where it has more records, or more headers, than a reader could keep', () => {
    // A length, and attributes, time, place, no key: a record of which nothing is left.
    const record = Buffer.of(10, 0, 0, 0, 1, 0);
    const records = gzipSync(Buffer.alloc(2 * 1024 * 1024, record));
    expect(() => decodeBatches(packedBatch(0, records, 0x7fff_ffff), 0)).toThrow('parts');

    // An empty key and value, and headers without names and values.
    const size = 1024 * 1024;
    const head = Buffer.from([...varint(size), 0, 0, 0, 0, 0, ...varint(size)]);
    const headers = gzipSync(Buffer.concat([head, Buffer.alloc(size)]));
    expect(() => decodeBatches(packedBatch(0, headers, 1), 0)).toThrow('parts');
  });

  it.each([
    ['forward', varint(100)],
    ['back', [1]],
  ])('is refused where a record leads out of it: %s', (_, length) => {
    // Attributes, time, place, no key, an empty value and no headers.
    const record = Buffer.from([...length, 0, 0, 0, 1, 0, 0]);
    const batch = packedBatch(0, gzipSync(record), 1);
    expect(() => decodeBatches(batch, 0)).toThrow('a record is longer than its batch');
  });

  it('leaves those behind it for later, where many would be unpacked at once', () => {
    const size = 2 * MEMBER_BYTES;
    const head = Buffer.from([0, 0, 0, 2, 0x61, ...varint(size)]);
    const length = Buffer.from(varint(head.length + size + 1));
    const around = [Buffer.concat([length, head]), Buffer.of(0)].map((one) => gzipSync(one));
    const packed = Buffer.concat([around[0] ?? zeros, zeroBytes(size), around[1] ?? zeros]);
    const answer = Buffer.concat([0, 1, 2, 3, 4].map((at) => packedBatch(at, packed, 1)));

    const found: number[][] = [];
    for (let from = 0; from < 5;) {
      const { records, next } = decodeBatches(answer, from);
      found.push(records.map(({ offset, value }) => offset + value.length - size));
      from = next ?? 5;
    }
    expect(2 * size).toBe(UNPACKED_AT_ONCE);
    expect(found).toEqual([[0, 1], [2, 3], [4]]);
  });
});

/** Zigzag. */
function varint(value: number): number[] {
  const rest = value * 2;
  const bytes: number[] = [];
  for (let left = rest; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) | 128);
  }
}
