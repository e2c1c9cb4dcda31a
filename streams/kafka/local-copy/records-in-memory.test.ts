import { describe, expect, it } from 'vitest';
import { encodeRecords, loggedAt } from '../../event-codec.ts';
import { proposedEvent } from '../../proposed-event.fixture.ts';
import type { LoggedEvent } from '../../event.ts';
import { resourceVersion } from '../../resource-version.ts';
import { KEPT_BYTES, KEPT_EVENTS, MemoryBatch, RecordsInMemory } from './records-in-memory.ts';

const ALL = { eventsMax: Infinity, bytesMax: Infinity };

function batch(first: number, count: number, bytes = 1): MemoryBatch {
  return MemoryBatch.ofEvents(eventsFrom(first, count, bytes));
}

function eventsFrom(first: number, count: number, bytes: number): LoggedEvent[] {
  const json = Buffer.alloc(bytes);
  return Array.from({ length: count }, (_, n) =>
    loggedAt(proposedEvent(first + n, { json }), resourceVersion(first + n)),
  );
}

function at(memory: RecordsInMemory, version: number): number | undefined {
  return memory.at(resourceVersion(version))?.sequence;
}

describe('the newest records in memory', () => {
  it('are found by version, in whichever batch', () => {
    const memory = new RecordsInMemory();
    for (const [first, count] of [
      [5, 1],
      [6, 3],
      [9, 2],
      [11, 7],
    ] as const) {
      memory.push(batch(first, count));
    }

    expect(memory.oldest).toBe(5);
    for (let version = 5; version <= 17; version += 1) {
      expect(at(memory, version)).toBe(version);
      const slice = memory.slice(resourceVersion(version));
      expect(slice[0]?.resourceVersion).toBe(version);
    }
    expect([at(memory, 4), at(memory, 18)]).toEqual([undefined, undefined]);
    expect(memory.slice(resourceVersion(4))).toEqual([]);
    expect(memory.slice(resourceVersion(7)).map((event) => event.sequence)).toEqual([7, 8]);
    expect(memory.slice(resourceVersion(18))).toEqual([]);
  });

  it('of frames are the events that they are of, one by one and together', () => {
    const memory = new RecordsInMemory();
    memory.push(batch(1, 4));
    const events = eventsFrom(5, 3, 9);
    const frames = encodeRecords(events);
    memory.push(MemoryBatch.ofFrames(resourceVersion(5), frames));
    memory.push(batch(8, 2));

    expect(memory.recordAt(resourceVersion(6))).toBe(frames[1]);
    expect(memory.recordAt(resourceVersion(7))).toBe(frames[2]);
    expect(memory.recordAt(resourceVersion(4))).toMatchObject({ sequence: 4 });
    expect(memory.recordAt(resourceVersion(8))).toMatchObject({ sequence: 8 });
    const [, second, third] = events;
    expect(memory.at(resourceVersion(6))).toEqual(second);
    expect(memory.slice(resourceVersion(6))).toEqual([second, third]);
    expect(memory.at(resourceVersion(6))).toEqual(second);
    expect(memory.unwritten(ALL)[1]?.encoded()).toBe(frames);

    memory.written(memory.unwritten(ALL));
    memory.recordAt(resourceVersion(6));
    memory.forgetTo(resourceVersion(7));
    expect(memory.recordAt(resourceVersion(6))).toBeUndefined();
    expect(at(memory, 9)).toBe(9);
  });

  it('stay until they are on disk, however many there are', () => {
    const memory = new RecordsInMemory();
    for (let first = 1; first <= 3 * KEPT_EVENTS; first += 1_024) memory.push(batch(first, 1_024));
    expect(memory.oldest).toBe(1);

    memory.written(memory.unwritten(ALL));

    expect(memory.unwrittenBytes).toBe(0);
    expect(memory.oldest).toBe(2 * KEPT_EVENTS + 1);
    expect(at(memory, 3 * KEPT_EVENTS)).toBe(3 * KEPT_EVENTS);
  });

  it('are bounded in bytes too', () => {
    const memory = new RecordsInMemory();
    for (let n = 1; n <= 4; n += 1) memory.push(batch(n, 1, KEPT_BYTES / 2));
    memory.written(memory.unwritten(ALL));

    expect(memory.oldest).toBe(4);
  });

  it('are given to the disk in order, some at a time, each once', () => {
    const memory = new RecordsInMemory();
    for (let n = 0; n < 6; n += 1) memory.push(batch(1 + n * 10, 10));
    const taken: number[] = [];
    for (;;) {
      const batches = memory.unwritten({ eventsMax: 25, bytesMax: Infinity });
      if (batches.length === 0) break;
      expect(batches.length).toBeLessThanOrEqual(2);
      taken.push(...batches.flatMap(({ events }) => events.map((event) => event.sequence)));
      memory.written(batches);
    }

    expect(taken).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('go to the disk alone when they are too large for any company', () => {
    const memory = new RecordsInMemory();
    memory.push(batch(1, 1, 1_000));
    memory.push(batch(2, 1, 1_000));

    expect(memory.unwritten({ eventsMax: 9, bytesMax: 10 })).toHaveLength(1);
  });

  it('stay where they are on disk, behind what is forgotten', () => {
    const memory = new RecordsInMemory();
    for (const first of [1, 4, 7]) memory.push(batch(first, 3));
    memory.written(memory.unwritten(ALL));
    memory.forgetTo(resourceVersion(5));

    expect(memory.oldest).toBe(7);
  });

  it('forget what is on disk anyhow, and nothing else', () => {
    const memory = new RecordsInMemory();
    memory.push(batch(1, 3));
    memory.push(batch(4, 3));
    memory.written(memory.unwritten({ eventsMax: 3, bytesMax: Infinity }));
    memory.forgetTo(resourceVersion(5));

    expect(memory.oldest).toBe(4);
    expect(at(memory, 6)).toBe(6);
  });
});
