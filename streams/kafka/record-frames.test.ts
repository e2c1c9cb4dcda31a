import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeRecord, eventOf, recordOf, type EventRecord } from '../event-codec.ts';
import type { ProposedEvent } from '../event.ts';
import { proposedEvent, proposedMarker } from '../proposed-event.fixture.ts';
import { placesBack, resourceVersion } from '../resource-version.ts';
import { decodeBatches, encodeBatch } from './record-batch.ts';
import { framesOfBatches } from './record-frames.ts';

const GZIP = 1;
const ATTRIBUTES_AT = 21;
const RECORDS_AT = 61;

/** As it lies in a topic from this offset on. */
function batchAt(offset: number, events: readonly ProposedEvent[], change = same): Buffer {
  const batch = encodeBatch(
    events.map((event) => change(recordOf(event))),
    1_700_000_000_000,
  );
  batch.writeBigInt64BE(BigInt(offset), 0);
  return batch;
}

function same(record: EventRecord): EventRecord {
  return record;
}

/** What the frames have to be: those of the events that the records are read as. */
function framesByEvents(bytes: Buffer, from: number): string[] {
  return decodeBatches(bytes, from).records.map((record) =>
    encodeRecord(eventOf(record, resourceVersion(record.offset + 1))).toString('latin1'),
  );
}

function framesOf(bytes: Buffer, from: number): string[] | undefined {
  return framesOfBatches(bytes, from)?.map((frame) => frame.toString('latin1'));
}

const anyText = fc.oneof(
  fc.stringMatching(/^[a-z0-9:@./-]{0,12}$/),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('"', '\\', '\u007f', 'Ärger 🚀', 'x'.repeat(70), 'y'.repeat(9_000)),
);
const anyName = fc.stringMatching(/^[a-zÄ".-]{1,9}$/);
const anyNumber = fc.oneof(fc.nat(9), fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER));
const anyEvent: fc.Arbitrary<ProposedEvent> = fc.oneof(
  fc.nat(9).map((sequence) => proposedMarker(sequence)),
  fc.record({
    writer: anyText,
    sequence: anyNumber,
    type: fc.constantFrom('added' as const, 'modified' as const, 'deleted' as const),
    resource: fc.tuple(anyName, anyName).map((parts) => parts.join('/')),
    path: fc.tuple(anyName, anyName, fc.constantFrom('', '/more')).map((of) => of.join('/')),
    previousResourceVersion: anyNumber.map((version) => resourceVersion(version)),
    requires: fc.array(
      fc.record({
        resource: anyName,
        path: anyText,
        resourceVersion: fc
          .integer({ min: -3, max: 9 })
          .map((n) => (n < 0 ? placesBack(-n) : resourceVersion(n))),
      }),
      { maxLength: 2 },
    ),
    json: fc.uint8Array({ maxLength: 300 }),
    time: fc.oneof(fc.nat(90_000), fc.integer({ min: -9, max: 4_000_000_000_000 })),
    uid: anyText,
    user: anyText,
    verb: anyText,
    auditID: anyText,
    fieldManager: anyText,
  }),
);

describe('the frames of batches', () => {
  it('are those of the events, whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
        fc.nat(5),
        fc.nat(40),
        (batches, skipped, cut) => {
          let offset = 7;
          const parts = batches.map((events) => {
            offset += events.length;
            return batchAt(offset - events.length, events);
          });
          const all = Buffer.concat(parts);
          const bytes = all.subarray(0, all.length - cut);
          expect(framesOf(bytes, 7 + skipped)).toEqual(framesByEvents(bytes, 7 + skipped));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('are those of batches that are compressed', () => {
    const plain = batchAt(
      0,
      Array.from({ length: 9 }, (_, n) => proposedEvent(n + 1)),
    );
    const packed = gzipSync(plain.subarray(RECORDS_AT));
    const bytes = Buffer.concat([plain.subarray(0, RECORDS_AT), packed]);
    bytes.writeInt32BE(bytes.length - 12, 8);
    bytes.writeInt16BE(GZIP, ATTRIBUTES_AT);
    expect(framesOf(bytes, 3)).toEqual(framesByEvents(plain, 3));
    expect(framesOf(bytes, 3)).toHaveLength(6);
  });

  it.each<[string, (record: EventRecord) => EventRecord]>([
    ['spaces in what it requires', withHeader('requires', '[ ]')],
    ['another order in it', withHeader('requires', '[["core/namespaces","/a",1.0]]')],
    ['zeros in front of a number', withHeader('sequence', '007')],
    ['a time in seconds', withHeader('ce_time', '2026-11-21T20:05:53Z')],
    ['a time of another zone', withHeader('ce_time', '2026-11-21T20:05:53+01:00')],
    ['a day that there is not', withHeader('ce_time', '2026-02-31T20:05:53.114Z')],
    ['one header more', withHeader('x', 'y')],
  ])('are made by decoding a record that is written otherwise: %s', (_, change) => {
    const bytes = batchAt(0, [proposedEvent(1), proposedEvent(2)], change);
    expect(framesOf(bytes, 0)).toEqual(framesByEvents(bytes, 0));
  });

  it.each<[string, (record: EventRecord) => EventRecord]>([
    ['no number', withHeader('sequence', '1e3')],
    ['no version', withHeader('previousResourceVersion', '')],
    ['an unknown type', withHeader('ce_type', 'dev.everwatch.object.gone')],
    ['another type', withHeader('ce_type', 'dev.everwatch.thing.added')],
    ['no time', withHeader('ce_time', '2026-13-21T20:05:53.114Z')],
    ['no second', withHeader('ce_time', '2026-11-21T20:05:99.114Z')],
    ['no list', withHeader('requires', '{}')],
    ['no requirement', withHeader('requires', '[[1,2,3]]')],
    ['a key of three parts', (record) => ({ ...record, key: 'core/configmaps/a' })],
  ])('are none where a record is none of ours: %s', (_, change) => {
    const bytes = batchAt(0, [proposedEvent(1)], change);
    expect(() => framesByEvents(bytes, 0)).toThrow();
    expect(framesOf(bytes, 0)).toBeUndefined();
  });

  it('are none where a record is missing, or a batch is no batch', () => {
    const [one, two] = [batchAt(0, [proposedEvent(1)]), batchAt(2, [proposedEvent(3)])];
    expect(framesOf(Buffer.concat([one, two]), 0)).toBeUndefined();
    expect(framesOf(two, 0)).toBeUndefined();
    two[16] = 1;
    expect(framesOf(two, 2)).toBeUndefined();
  });

  it('throw at no damage, and are the same as by decoding where that finds none', () => {
    const bytes = batchAt(0, [proposedEvent(1), proposedEvent(2, { json: Buffer.alloc(200) })]);
    for (let at = RECORDS_AT; at < bytes.length; at += 1) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        const frames = framesOf(damaged, 0);
        if (frames !== undefined) expect(frames, String(at)).toEqual(framesByEvents(damaged, 0));
      }
    }
  });
});

function withHeader(name: string, value: string): (record: EventRecord) => EventRecord {
  return (record) => ({ ...record, headers: { ...record.headers, [name]: value } });
}
