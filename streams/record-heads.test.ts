import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DamagedRecordError, decodeRecord, encodeRecord } from './event-codec.ts';
import type { EventHead, ProposedEvent } from './event.ts';
import { proposedEvent, proposedMarker } from './proposed-event.fixture.ts';
import { HeadReader } from './record-heads.ts';
import { placesBack, resourceVersion } from './resource-version.ts';

const VERSION = resourceVersion(42);

function headOf(head: EventHead): EventHead {
  const { writer, sequence, type, resource, path, requires, time } = head;
  const { previousResourceVersion, resourceVersion: version } = head;
  return {
    ...{ writer, sequence, type, resource, path, requires: [...requires], time },
    ...{ previousResourceVersion, resourceVersion: version },
  };
}

/** Few of each, so that records often tell what the one before them told. */
const anyText = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'abc', 'core/pods', 'ns/b"', '[', ']', 'ä', '\\', '"', '\n'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const anyNumber = fc.oneof(fc.nat(9), fc.maxSafeNat());
const anyEvent: fc.Arbitrary<ProposedEvent> = fc.record({
  writer: anyText,
  sequence: anyNumber,
  type: fc.constantFrom('added', 'modified', 'deleted', 'marker'),
  resource: anyText,
  path: anyText,
  previousResourceVersion: anyNumber.map((version) => resourceVersion(version)),
  requires: fc.array(
    fc.record({
      resource: anyText,
      path: anyText,
      resourceVersion: fc
        .integer({ min: -3, max: 9 })
        .map((n) => (n < 0 ? placesBack(-n) : resourceVersion(n))),
    }),
    { maxLength: 2 },
  ),
  json: fc.uint8Array({ maxLength: 20 }),
  time: fc.oneof(fc.nat(9), fc.constant(1.5), fc.constant(-1), fc.nat(4_000_000_000_000)),
  uid: anyText,
  user: anyText,
  verb: anyText,
  auditID: anyText,
  fieldManager: anyText,
});

describe('the head of a record', () => {
  it('is what the record says, whatever the one before it said and whichever path is guessed', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 6 }), anyText, (events, guess) => {
        const reader = new HeadReader(() => guess);
        for (const event of events) {
          const frame = encodeRecord(event);
          const read = headOf(reader.read(frame, VERSION));
          expect(read).toEqual(headOf(decodeRecord(frame, VERSION)));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read where it lies in a larger block, up to its end', () => {
    const frame = encodeRecord(proposedEvent(1));
    const block = Buffer.concat([Buffer.from('","'), frame, Buffer.from(',"],')]);
    const reader = new HeadReader(() => undefined);
    const read = reader.read(block.subarray(3, 3 + frame.length), VERSION);
    expect(headOf(read)).toEqual(headOf(decodeRecord(frame, VERSION)));
  });

  it('has the text that is guessed where the record tells the same path', () => {
    const asked: number[] = [];
    const reader = new HeadReader((version) => {
      asked.push(version);
      return 'default/object-7';
    });
    const previousResourceVersion = resourceVersion(6);
    const same = encodeRecord(proposedEvent(7, { previousResourceVersion }));
    const other = encodeRecord(proposedEvent(8, { previousResourceVersion }));
    const made = encodeRecord(proposedEvent(9));
    const paths = [same, other, made].map((frame) => reader.read(frame, VERSION).path);
    expect(paths).toEqual(['default/object-7', 'default/object-8', 'default/object-9']);
    expect(asked).toEqual([6, 6]);
  });

  it('is that of a marker too', () => {
    const frame = encodeRecord(proposedMarker(3));
    const head = new HeadReader(() => undefined).read(frame, VERSION);
    expect(headOf(head)).toEqual(headOf(decodeRecord(frame, VERSION)));
  });

  it('is not read of a frame that was changed, wherever', () => {
    const frame = encodeRecord(proposedEvent(1));
    for (let at = 0; at < frame.length; at += 1) {
      const damaged = Buffer.from(frame);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      const reader = new HeadReader(() => undefined);
      expect(() => reader.read(damaged, VERSION)).toThrow(DamagedRecordError);
    }
  });
});
