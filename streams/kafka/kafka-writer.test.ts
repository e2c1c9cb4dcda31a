import { describe, expect, it } from 'vitest';

import type { Clock } from '../../api/meta/clock.ts';
import {
  APPEND_BYTES_MAX,
  APPEND_EVENTS_MAX,
  AppendOutcomeUnknownError,
  LogUnavailableError,
} from '../event-log.ts';
import type { ProposedEvent } from '../event.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { BrokerError } from './kafka-errors.ts';
import { KafkaWriter } from './kafka-writer.ts';
import { decodeBatches } from './record-batch.ts';

const BASE = 100;
const MEGABYTE = 1024 * 1024;

interface Produce {
  readonly records: number;
  isSent(): void;
  acknowledge(): void;
  fail(error: unknown): void;
}

/** A leader that acknowledges when the test says so, and numbers what it was given. */
function given(batchBytesMax = 2 * APPEND_BYTES_MAX) {
  const produced: Produce[] = [];
  const told: unknown[] = [];
  const readBack: (() => void)[] = [];
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, after: () => () => undefined };
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  let offset = 0;
  const produce = (batch: Buffer, isSent: () => void): Promise<number> =>
    new Promise((resolve, reject) => {
      const { length } = decodeBatches(batch, 0).records;
      const acknowledge = (): void => {
        resolve(offset);
        offset += length;
      };
      produced.push({ records: length, isSent, acknowledge, fail: reject });
    });
  const writer = new KafkaWriter({
    base: resourceVersion(BASE),
    clock,
    batchBytesMax,
    connection: {
      session: () => Promise.resolve({ produce }),
      written: () => told.push('written'),
      refused: (error) => told.push(['refused', error.name]),
    },
    events: {
      appended: (batch) => told.push(['appended', batch]),
      problem: (kind) => told.push(['problem', kind]),
    },
    readBack: (version) =>
      new Promise((resolve) => {
        told.push(['reading back', version]);
        readBack.push(resolve);
      }),
  });
  return { writer, produced, told, readBack, advance };
}

function events(count: number, bytes = 1): ProposedEvent[] {
  const json = Buffer.alloc(bytes);
  return Array.from({ length: count }, (_, n) => proposedEvent(n, { json }));
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('what is appended to the topic', () => {
  it('goes together where it comes together, and is answered when it was read back', async () => {
    const { writer, produced, told, readBack, advance } = given();
    const answered: number[] = [];
    for (const count of [1, 2, 3]) {
      void writer.append(events(count)).then((version) => answered.push(version));
    }
    await turn();
    expect(produced.map(({ records }) => records)).toEqual([6]);

    advance(5);
    produced[0]?.acknowledge();
    await turn();
    const bytes: unknown = expect.any(Number);
    expect(told).toEqual([
      'written',
      ['appended', { events: 6, bytes, durationMs: 5 }],
      ['reading back', 101],
      ['reading back', 103],
      ['reading back', 106],
    ]);
    expect(answered).toEqual([]);
    for (const back of readBack) back();
    await turn();
    expect(answered).toEqual([101, 102, 104]);
  });

  it('waits for what is under way, and then goes on behind it', async () => {
    const { writer, produced, readBack } = given();
    const first = writer.append(events(2));
    await turn();
    const second = writer.append(events(1));
    await turn();
    expect(produced).toHaveLength(1);
    produced[0]?.acknowledge();
    await turn();
    produced[1]?.acknowledge();
    await turn();
    for (const back of readBack) back();
    expect(await Promise.all([first, second])).toEqual([101, 103]);
    // And a third, when nothing was under way any more.
    void writer.append(events(1));
    await turn();
    expect(produced).toHaveLength(3);
  });

  it('makes no batch larger than an append may be, in events or bytes', async () => {
    const { writer, produced } = given();
    void writer.append(events(APPEND_EVENTS_MAX - 1));
    void writer.append(events(1));
    void writer.append(events(1));
    void writer.append(events(1, 5 * MEGABYTE));
    void writer.append(events(1, 5 * MEGABYTE));
    await turn();
    produced[0]?.acknowledge();
    await turn();
    expect(produced.map(({ records }) => records)).toEqual([APPEND_EVENTS_MAX, 2]);
  });

  it('goes alone where the topic takes less than an append', async () => {
    const { writer, produced } = given(2 * MEGABYTE);
    void writer.append(events(1, MEGABYTE));
    void writer.append(events(1, MEGABYTE));
    await turn();
    expect(produced.map(({ records }) => records)).toEqual([1]);
    await expect(writer.append(events(1, 2 * MEGABYTE))).rejects.toThrow(
      /the topic takes at most 2097152 bytes at once/,
    );
  });

  it('is refused where it is nothing, or more than an append may be', async () => {
    const { writer, produced } = given();
    await expect(writer.append([])).rejects.toThrow(RangeError);
    await expect(writer.append(events(APPEND_EVENTS_MAX + 1))).rejects.toThrow(RangeError);
    await expect(writer.append(events(1, APPEND_BYTES_MAX))).rejects.toThrow(RangeError);
    await turn();
    expect(produced).toEqual([]);
    // As many as may be, though a guess at their headers would be too large.
    void writer.append(events(APPEND_EVENTS_MAX, 1_500));
    await turn();
    expect(produced).toHaveLength(1);
  });

  // Only what is sent is encoded, which takes long beside other work: the rest stays in the queue.
  it('is refused beyond 64 MiB that wait, and taken when there is room again', async () => {
    const { writer, produced } = given();
    void writer.append(events(1));
    await turn();
    const large = (): Promise<unknown> =>
      writer.append(events(1, 7 * MEGABYTE)).catch((error: unknown) => error);
    for (let one = 0; one < 9; one += 1) void large();
    const refused = await large();
    expect(refused).toBeInstanceOf(LogUnavailableError);
    expect(refused).toMatchObject({ isPassing: true });

    produced[0]?.acknowledge();
    await turn();
    expect(produced).toHaveLength(2);
    const taken = large();
    expect(await Promise.race([taken, turn().then(() => 'it waits')])).toBe('it waits');
    expect(await large()).toBeInstanceOf(LogUnavailableError);
  });
});

describe('an append that fails', () => {
  it('fails for all that were in the batch, and for no others', async () => {
    const { writer, produced, told, readBack } = given();
    const failing = [writer.append(events(1)), writer.append(events(1))];
    await turn();
    const later = writer.append(events(1));
    produced[0]?.isSent();
    produced[0]?.fail(new Error('Connection lost'));
    for (const one of failing) await expect(one).rejects.toThrow(AppendOutcomeUnknownError);
    expect(told).toEqual([['problem', 'append_Error']]);
    await turn();
    produced[1]?.acknowledge();
    await turn();
    readBack[0]?.();
    expect(await later).toBe(101);
  });

  it('was not written when it was not sent', async () => {
    const { writer, produced } = given();
    const failing = writer.append(events(1));
    await turn();
    produced[0]?.fail(new Error('Connection lost'));
    await expect(failing).rejects.toThrow(LogUnavailableError);
  });

  it('is told to the connection where replicas are missing', async () => {
    const { writer, produced, told } = given();
    const failing = writer.append(events(1));
    await turn();
    produced[0]?.isSent();
    produced[0]?.fail(new BrokerError('Produce', 19));
    await expect(failing).rejects.toThrow(LogUnavailableError);
    expect(told).toEqual([
      ['problem', 'append_NOT_ENOUGH_REPLICAS'],
      ['refused', 'LogUnavailableError'],
    ]);
  });
});

describe('a writer that is closed', () => {
  it('answers what is under way, and refuses the rest with the first reason', async () => {
    const { writer, produced, readBack } = given();
    const first = writer.append(events(1));
    await turn();
    let isClosed = false;
    const closed = writer.close().then(() => {
      isClosed = true;
    });
    writer.refuse(new Error('another reason'));
    await expect(writer.append(events(1))).rejects.toThrow('the log is closed');
    expect(isClosed).toBe(false);
    produced[0]?.acknowledge();
    await closed;
    readBack[0]?.();
    expect(await first).toBe(101);
  });
});
