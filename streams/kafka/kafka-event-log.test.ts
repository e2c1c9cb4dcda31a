/** What the log makes of what brokers answer. Its contract with real ones is in e2e/kafka. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppendOutcomeUnknownError, LogTrimmedError, LogUnavailableError } from '../event-log.ts';
import { NO_CUTS } from '../log-cuts.ts';
import { loggedAt, recordOf } from '../event-codec.ts';
import type { EventHead, LoggedEvent } from '../event.ts';
import { numbers, Reading } from '../log-under-test.fixture.ts';
import { proposedEvent, proposedMarker } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { ForeignRecordError } from './kafka-errors.ts';
import { KafkaEventLog } from './kafka-event-log.ts';
import type { KafkaLogOptions } from './kafka-options.ts';
import { encodeBatch } from './record-batch.ts';
import type { RestorePoint } from './local-copy/restore-point.ts';
import { givenKafka, PATIENT, type GivenKafka } from './stand-in/given-kafka.fixture.ts';

const PATIENCE = { timeout: 120_000 };
const OFFSET_NOT_AVAILABLE = 78;
const NOT_LEADER = 6;
const NOT_ENOUGH_REPLICAS = 19;
const TOPIC_AUTHORIZATION_FAILED = 29;

const givens: GivenKafka[] = [];

afterEach(async () => {
  for (const each of givens.splice(0)) {
    await each.stop();
    expect(each.kafka.misfits).toEqual([]);
  }
});

async function given() {
  const made = await givenKafka();
  givens.push(made);
  const place = made.logs.newPlace(made.topic);
  const open = (changes: Partial<KafkaLogOptions> = {}) =>
    made.logs.open(place, { timeouts: PATIENT, ...changes });
  const appendForeign = (): void => {
    const foreign = { key: 'k', value: Buffer.from('v'), headers: {} };
    made.kafka.topic(made.topic).append(encodeBatch([foreign], 0));
  };
  return { ...made, place, open, appendForeign };
}

async function opened(changes: Partial<KafkaLogOptions> = {}) {
  const made = await given();
  return { ...made, log: await made.open(changes) };
}

describe('opening a log', () => {
  it('tells once where it stands, before anything is read', async () => {
    const made = await opened();
    await made.log.append([1, 2, 3].map((n) => proposedEvent(n)));
    await made.log.close();
    made.kafka.topic(made.topic).deleteBefore(1);
    const points: RestorePoint[] = [];
    const restore = (point: RestorePoint): Promise<void> => {
      points.push(point);
      return Promise.resolve();
    };

    await made.open({ restore });
    const empty = made.logs.newPlace(made.topic);
    await made.logs.open(empty, { timeouts: PATIENT, restore });

    expect(points).toMatchObject([
      { local: { version: 3, identity: 'writer-a:3' }, oldest: 2, newest: 3 },
      { local: undefined, oldest: 2, newest: 3 },
    ]);
  });

  it('takes what a snapshot holds, and reads what came behind it', async () => {
    const made = await opened();
    const { log, kafka, topic, logs } = made;
    await log.append([proposedEvent(1)]);
    await log.append([proposedEvent(2)]);
    await log.append([proposedEvent(3)]);
    kafka.topic(topic).deleteBefore(2);
    const identity = { version: resourceVersion(2), identity: 'writer-a:2' };

    const restored = await logs.open(logs.newPlace(topic), {
      timeouts: PATIENT,
      restore: ({ adopt }) =>
        adopt(nothing(), identity, { ...NO_CUTS, settled: resourceVersion(2) }),
    });

    await vi.waitFor(() => {
      expect(restored.at(resourceVersion(3))?.sequence).toBe(3);
    }, PATIENCE);
    expect(await restored.oldest()).toBe(3);
  });

  it('closes what it has begun where it cannot be restored', async () => {
    const made = await given();

    await expect(
      made.open({ restore: () => Promise.reject(new Error('no snapshot')) }),
    ).rejects.toThrow('no snapshot');

    await vi.waitFor(() => {
      expect(made.kafka.connections).toBe(0);
    }, PATIENCE);
    // Else the copy would still be open.
    await made.open();
  });

  it('numbers a fork from where its parent ends', async () => {
    const { log } = await opened({ base: resourceVersion(100) });

    expect(await log.newest(10_000)).toBe(100);
    expect(await log.append([proposedEvent(1)])).toBe(101);
    expect(await log.newest(10_000)).toBe(101);
    expect(log.at(resourceVersion(100))).toBeUndefined();
    expect(log.at(resourceVersion(101))?.sequence).toBe(1);
    expect(log.statistics).toMatchObject({ read: 101, end: 101, reconnects: 0 });
  });
});

describe('an append', () => {
  it('was read back when it is answered, in as many pieces as came at once', async () => {
    const { log } = await opened();

    const firsts = await Promise.all([1, 2, 3].map((n) => log.append([proposedEvent(n)])));

    expect(firsts).toEqual([1, 2, 3]);
    expect(log.at(resourceVersion(3))?.sequence).toBe(3);
    expect(log.connection.state).toBe('connected');
  });

  it('is answered even if reading does not keep up', async () => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    await vi.waitFor(() => {
      expect(kafka.asked.at(-1)).toMatchObject({ request: 'Fetch', at: 1 });
    }, PATIENCE);
    kafka.fail('Fetch', 'swallow');
    expect(await log.append([proposedEvent(2)])).toBe(2);

    expect(await log.append([proposedEvent(3)])).toBe(3);
    expect(log.at(resourceVersion(3))).toBeUndefined();
  });

  it.each([
    ['its request is lost', 'cut', 2],
    ['its answer is lost', 'do and cut', 3],
    ['the leader was deposed meanwhile', NOT_LEADER, 2],
  ] as const)('may be in the log or not where %s', async (_what, fault, again) => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    kafka.fail('Produce', fault);

    await expect(log.append([proposedEvent(2)])).rejects.toThrow(AppendOutcomeUnknownError);

    expect(await log.append([proposedEvent(2)])).toBe(again);
    expect(log.at(resourceVersion(again))?.sequence).toBe(2);
    expect(log.statistics.reconnects).toBe(1);
  });

  it('is not in the log where the leader says so first', async () => {
    const { log, kafka } = await opened();
    kafka.fail('Produce', NOT_ENOUGH_REPLICAS);
    await expect(log.append([proposedEvent(1)])).rejects.toMatchObject({
      name: 'LogUnavailableError',
      isPassing: true,
    });
    expect(log.connection.state).toBe('degraded');
    kafka.fail('Produce', TOPIC_AUTHORIZATION_FAILED);
    await expect(log.append([proposedEvent(1)])).rejects.toMatchObject({ isPassing: false });

    expect(await log.append([proposedEvent(1)])).toBe(1);
    expect(log.connection.state).toBe('connected');
    expect(log.statistics.reconnects).toBe(0);
  });
});

describe('the end of a log', () => {
  it('is asked for again until a new leader knows it', async () => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    kafka.fail('ListOffsets', OFFSET_NOT_AVAILABLE, 3);

    expect(await log.newest(10_000)).toBe(1);
    expect(kafka.faultsLeft).toBe(0);
  });

  it('is asked for again when the connection is lost meanwhile', async () => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    kafka.fail('ListOffsets', 'cut');

    expect(await log.newest(10_000)).toBe(1);
  });

  it('is not told where the leader refuses to', async () => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    kafka.fail('ListOffsets', TOPIC_AUTHORIZATION_FAILED);

    const failure = await log.newest(10_000).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(LogUnavailableError);
    expect(failure).toMatchObject({ isPassing: true });
    expect(String(failure)).toMatch(/did not tell its end: .*TOPIC_AUTHORIZATION_FAILED/);
  });

  it('is not waited for longer than was asked for', async () => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    kafka.fail('ListOffsets', 'swallow');
    await expect(log.newest(20)).rejects.toThrow('no answer from Kafka in time');

    kafka.fail('ListOffsets', OFFSET_NOT_AVAILABLE, 1_000);
    await expect(log.newest(20)).rejects.toMatchObject({ isPassing: true });
  });
});

describe('a log that can be read no further', () => {
  it('says so to all readers, writers and questions, and keeps what it has', async () => {
    const { log, appendForeign } = await opened();
    await log.append([proposedEvent(1)]);
    expect(log.failure).toBeUndefined();
    const reading = log.read(resourceVersion(2), new AbortController().signal);
    const next = reading[Symbol.asyncIterator]().next();
    const told = expect(next).rejects.toThrow(ForeignRecordError);
    appendForeign();
    await told;

    const { failure } = log;
    expect(failure).toBeInstanceOf(LogUnavailableError);
    expect(failure?.cause).toBeInstanceOf(ForeignRecordError);
    await expect(log.append([proposedEvent(2)])).rejects.toBe(failure);
    await expect(log.newest(1_000)).rejects.toBe(failure);
    expect(log.at(resourceVersion(1))?.sequence).toBe(1);
  });
});

describe('what a fold reads of a log', () => {
  const COUNT = 3_000;
  const NO_SIGNAL = new AbortController().signal;
  const json = Buffer.alloc(800, 'x');
  const proposed = numbers(1, COUNT).map((n) =>
    n % 100 === 0
      ? proposedMarker(n)
      : proposedEvent(n, { json, user: n % 7 > 0 ? 'jane' : 'Ünal' }),
  );
  const expected = proposed.map((event, at) => loggedAt(event, resourceVersion(at + 1)));
  const headOf = ({ writer, sequence, type, path, resourceVersion: version }: EventHead) => {
    return { writer, sequence, type, path, version };
  };

  async function filled() {
    const made = await given();
    for (let from = 0; from < COUNT; from += 500) {
      const records = proposed.slice(from, from + 500).map(recordOf);
      made.kafka.topic(made.topic).append(encodeBatch(records, 0));
    }
    return made;
  }

  /** All heads, with what is waited for where they end before. */
  async function headsOf(log: KafkaEventLog): Promise<ReturnType<typeof headOf>[]> {
    const read: ReturnType<typeof headOf>[] = [];
    while (read.length < COUNT) {
      const next = resourceVersion(read.length + 1);
      await log.whenHere(next, NO_SIGNAL);
      const heads = log.heads(next, () => undefined);
      for (let head = heads.next(); head !== undefined; head = heads.next())
        read.push(headOf(head));
    }
    return read;
  }

  async function eventsOf(log: KafkaEventLog): Promise<LoggedEvent[]> {
    const reading = new Reading(log, resourceVersion(1), new AbortController());
    return [...(await reading.take(COUNT))];
  }

  it('is what any reader reads, from memory and from disk', async () => {
    const made = await filled();
    const log = await made.open();
    expect(await headsOf(log)).toEqual(expected.map(headOf));
    expect(plainOf(await eventsOf(log))).toEqual(plainOf(expected));
    const single = numbers(1, COUNT).map((version) => log.at(resourceVersion(version)));
    expect(plainOf(single)).toEqual(plainOf(expected));
    await log.close();
    expect(log.heads(resourceVersion(1), () => undefined).next()).toBeUndefined();

    const again = await made.open();
    expect(await headsOf(again)).toEqual(expected.map(headOf));
    expect(plainOf(await eventsOf(again))).toEqual(plainOf(expected));
  });

  it('is waited for until it comes, it is given up, or none will come', async () => {
    const { log, appendForeign } = await opened();
    const giveUp = new AbortController();
    const given = log.whenHere(resourceVersion(9), giveUp.signal);
    const awaited = log.whenHere(resourceVersion(1), NO_SIGNAL);
    await log.append([proposedEvent(1)]);
    await awaited;
    giveUp.abort();
    await given;

    const failed = log.whenHere(resourceVersion(9), NO_SIGNAL);
    appendForeign();
    await failed;
    expect(log.failure).toBeDefined();
    await log.whenHere(resourceVersion(9), NO_SIGNAL);

    const other = await opened();
    const closed = other.log.whenHere(resourceVersion(9), NO_SIGNAL);
    await other.log.close();
    await closed;
  });
});

/** For comparing: bytes as text. */
function plainOf(events: readonly (LoggedEvent | undefined)[]): unknown[] {
  return events.map((event) => event && { ...event, json: Buffer.from(event.json).toString() });
}

describe('cutting a log', () => {
  it('removes records from the topic for all, and none that is not there', async () => {
    const { log, kafka, topic } = await opened();
    for (const n of [1, 2, 3]) await log.append([proposedEvent(n)]);
    const removals = () => kafka.asked.filter(({ request }) => request === 'DeleteRecords');

    await log.deleteBefore(resourceVersion(0));
    await log.deleteBefore(resourceVersion(1));
    expect(removals()).toEqual([]);
    await log.deleteBefore(resourceVersion(2));
    expect(kafka.topic(topic).start).toBe(1);
    await log.deleteBefore(resourceVersion(2));
    expect(removals()).toHaveLength(1);
    await log.deleteBefore(resourceVersion(100));

    expect(kafka.topic(topic).start).toBe(3);
    expect(log.at(resourceVersion(1))?.sequence).toBe(1);
  });

  it('leaves a record at least in the copy on this machine', async () => {
    const { log } = await opened();
    for (const n of [1, 2, 3]) await log.append([proposedEvent(n)]);
    const cuts = (settled: number) => ({ ...NO_CUTS, settled: resourceVersion(settled) });

    await expect(log.trim({ gone: [], cuts: cuts(3) })).rejects.toThrow(RangeError);
    await log.trim({ gone: [resourceVersion(1)], cuts: cuts(1) });

    expect(log.cuts()).toMatchObject({ settled: 1 });
    expect(log.diskUsage().bytes).toBeGreaterThan(0);
    expect(await log.oldest()).toBe(2);
    expect(log.at(resourceVersion(1))).toBeUndefined();
    const reading = log.read(resourceVersion(0), new AbortController().signal);
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toThrow(LogTrimmedError);
    await log.close();
    await expect(log.trim({ gone: [], cuts: cuts(1) })).rejects.toThrow('closed');
  });
});

describe('closing a log', () => {
  it('lets go of every connection, once, and answers nothing from then on', async () => {
    const { log, kafka } = await opened();
    await log.append([proposedEvent(1)]);
    const first = log.close();

    expect(log.close()).toBe(first);
    await first;
    await vi.waitFor(() => {
      expect(kafka.connections).toBe(0);
    }, PATIENCE);
    await expect(log.append([proposedEvent(2)])).rejects.toThrow('closed');
    await expect(log.newest(1_000)).rejects.toThrow('closed');
    await expect(log.oldest()).rejects.toThrow('closed');
    expect(() => log.at(resourceVersion(1))).toThrow('closed');
  });

  it('removes the topic when that is asked for, and minds none that has gone', async () => {
    const made = await given();
    const options = made.logs.options(made.place);
    await KafkaEventLog.delete(options);
    expect(made.kafka.topics.size).toBe(0);
    await KafkaEventLog.delete(options);
    expect(made.kafka.asked.filter(({ request }) => request === 'DeleteTopics')).toHaveLength(1);
  });
});

async function* nothing(): AsyncGenerator<never[]> {
  await Promise.resolve();
  yield [];
}
