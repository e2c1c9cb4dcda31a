import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordOf, type EventRecord } from '../event-codec.ts';
import type { LoggedEvent } from '../event.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { KafkaConnection } from './kafka-connection.ts';
import { ForeignRecordError, LogGapError, TopicReplacedError } from './kafka-errors.ts';
import type { KafkaTimeouts } from './kafka-options.ts';
import { KafkaReader, type ReaderParts } from './kafka-reader.ts';
import { LocalRecords } from './local-copy/local-records.ts';
import { encodeBatch } from './record-batch.ts';
import { givenKafka, type GivenKafka } from './stand-in/given-kafka.fixture.ts';
import { StandInTopic } from './stand-in/stand-in-topic.fixture.ts';

const PATIENCE = { timeout: 120_000 };

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Given extends GivenKafka {
  append(...sequences: number[]): void;
  read(changes?: Partial<ReaderParts>): Reading;
}

interface Reading {
  readonly reader: KafkaReader;
  readonly connection: KafkaConnection;
  readonly events: LoggedEvent[];
  /** Waits until so many events were read, and gives their sequences. */
  sequences(count: number): Promise<number[]>;
  /** Why it could not go on. */
  failure(): Promise<Error>;
  stop(): Promise<void>;
}

async function given(
  options: { brokers?: number; base?: number; timeouts?: Partial<KafkaTimeouts> } = {},
): Promise<Given> {
  const made = await givenKafka(options);
  const { parts, logs, kafka, topic } = made;
  const base = resourceVersion(options.base ?? 0);
  const { localPath: path } = logs.newPlace();
  const readings: Reading[] = [];
  stops.push(async () => {
    for (const reading of readings) await reading.stop();
    await made.stop();
    expect(kafka.misfits).toEqual([]);
  });
  const append = (...sequences: number[]): void => {
    kafka.topic(topic).append(batchOf(sequences.map((n) => recordOf(proposedEvent(n)))));
  };
  const read = (changes: Partial<ReaderParts> = {}): Reading => {
    const pause = () => Promise.resolve();
    const local = new LocalRecords({ path, topic, base, onProblem: () => undefined, pause });
    const random = { integer: () => 0, uuid: () => '' };
    const connection = new KafkaConnection({ ...parts, random });
    connection.start();
    const reading = follow({ ...parts, base, connection, local, ...changes });
    readings.push(reading);
    return reading;
  };
  return { ...made, append, read };
}

type FollowParts = Omit<ReaderParts, 'onRead' | 'mayRead' | 'onFailure'> & Partial<ReaderParts>;

function follow(parts: FollowParts): Reading {
  const events: LoggedEvent[] = [];
  const failures: Error[] = [];
  const reader = new KafkaReader({
    onRead: (batch) => events.push(...batch),
    mayRead: () => Promise.resolve(),
    onFailure: (error) => failures.push(error),
    ...parts,
  });
  reader.start();
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    const hasStopped = reader.stop();
    await parts.connection.stop();
    await hasStopped;
    await parts.local.close();
  };
  return {
    reader,
    connection: parts.connection,
    events,
    sequences: async (count) => {
      await vi.waitFor(() => {
        expect(events.length).toBeGreaterThanOrEqual(count);
      }, PATIENCE);
      return events.map(({ sequence }) => sequence);
    },
    failure: () => vi.waitFor(() => failures[0] ?? Promise.reject(new Error('no end')), PATIENCE),
    stop: () => (stopped ??= end()),
  };
}

function batchOf(records: readonly EventRecord[]): Buffer {
  return encodeBatch(records, 1_700_000_000_000);
}

function fetchesOf({ kafka }: GivenKafka): (number | undefined)[] {
  return kafka.asked.filter(({ request }) => request === 'Fetch').map(({ at }) => at);
}

function looksOf({ kafka }: GivenKafka): number {
  return kafka.asked.filter(({ request }) => request === 'Metadata').length;
}

describe('reading a topic', () => {
  it('gives what is there and what comes, numbered from 1, and tells how far it is', async () => {
    const made = await given();
    made.append(1, 2);
    const { sequences, events, reader } = made.read();
    expect(await sequences(2)).toEqual([1, 2]);
    made.append(3);

    expect(await sequences(3)).toEqual([1, 2, 3]);
    expect(events.map((event) => event.resourceVersion)).toEqual([1, 2, 3]);
    expect(reader.end).toBe(3);
    expect(made.told.filter(([name]) => name === 'fetched')).toMatchObject([
      ['fetched', { events: 2, end: 2 }],
      ['fetched', { events: 1, end: 3 }],
    ]);
  });

  it('numbers the records of a fork behind those of its parent', async () => {
    const made = await given({ base: 100 });
    const first = made.read();
    made.append(1, 2);
    expect(await first.sequences(2)).toEqual([1, 2]);
    expect(first.events.map((event) => event.resourceVersion)).toEqual([101, 102]);
    expect(first.reader.end).toBe(102);
    await first.stop();
    made.append(3);

    const again = made.read();
    expect(await again.sequences(1)).toEqual([3]);
    expect(again.events[0]?.resourceVersion).toBe(103);
  });

  it('begins with what is left where the beginning was removed', async () => {
    const made = await given();
    made.append(1, 2);
    made.append(3);
    made.kafka.topic(made.topic).deleteBefore(2);

    const { sequences, events } = made.read();

    expect(await sequences(1)).toEqual([3]);
    expect(events[0]?.resourceVersion).toBe(3);
  });

  it('fetches what lies far ahead while it takes what came, and nothing twice', async () => {
    const made = await given();
    const json = Buffer.alloc(600 * 1024, 'x');
    for (const n of [1, 2, 3, 4]) {
      made.kafka.topic(made.topic).append(batchOf([recordOf(proposedEvent(n, { json }))]));
    }

    const { sequences, reader } = made.read();

    expect(await sequences(4)).toEqual([1, 2, 3, 4]);
    expect(reader.end).toBe(4);
    await vi.waitFor(() => {
      expect(fetchesOf(made)).toEqual([0, 1, 2, 3, 4]);
    }, PATIENCE);
    const ends = made.told.flatMap(([name, batch]) =>
      name === 'fetched' ? [(batch as { end: number }).end] : [],
    );
    expect(ends).toEqual([4, 4, 4, 4]);
  });

  it('reads no more than there is use for', async () => {
    const made = await given();
    made.append(1);
    let mayRead = (): void => undefined;
    const use = new Promise<void>((resolve) => (mayRead = resolve));
    const { sequences, events } = made.read({ mayRead: () => use });
    await vi.waitFor(() => {
      expect(made.kafka.asked.filter(({ request }) => request === 'ListOffsets')).toHaveLength(2);
    }, PATIENCE);
    expect([events.length, fetchesOf(made)]).toEqual([0, []]);

    mayRead();

    expect(await sequences(1)).toEqual([1]);
  });

  it('looks now and then whether its leader still leads, when nothing comes', async () => {
    const made = await given({ timeouts: { fetchWaitMs: 1, leaderCheckMs: 1 } });
    const { sequences } = made.read();
    const before = looksOf(made);

    await vi.waitFor(() => {
      expect(looksOf(made)).toBeGreaterThan(before + 2);
    }, PATIENCE);
    made.append(1);
    expect(await sequences(1)).toEqual([1]);
  });
});

describe('reading again', () => {
  const NOT_LEADER = 6;
  const NOT_ENOUGH_REPLICAS = 19;

  it('goes on behind what was read, and gives nothing twice', async () => {
    const made = await given();
    made.append(1, 2, 3);
    const first = made.read();
    await first.sequences(3);
    await first.stop();
    made.append(4);

    expect(await made.read().sequences(1)).toEqual([4]);
  });

  it.each([
    ['its connection is cut', 'cut'],
    ['the leader is another one', NOT_LEADER],
    ['the leader says what it says to writers', NOT_ENOUGH_REPLICAS],
  ] as const)('goes on with another session when %s', async (_what, fault) => {
    const made = await given();
    made.append(1);
    const { sequences } = made.read();
    await sequences(1);
    made.kafka.fail('Fetch', fault);

    made.append(2);
    made.append(3);

    expect(await sequences(3)).toEqual([1, 2, 3]);
    await vi.waitFor(() => {
      expect(made.told.filter(([name]) => name === 'problem')).toHaveLength(1);
    }, PATIENCE);
  });

  it('waits for a leader that does not show its last record yet', async () => {
    const made = await given({ timeouts: { fetchWaitMs: 1 } });
    made.append(1);
    const first = made.read();
    await first.sequences(1);
    await first.stop();
    const shorter = new StandInTopic();
    made.kafka.topics.set(made.topic, shorter);
    made.kafka.asked.splice(0);

    const { sequences } = made.read();
    await vi.waitFor(() => {
      expect(fetchesOf(made).length).toBeGreaterThan(2);
    }, PATIENCE);
    shorter.append(batchOf([1, 2].map((n) => recordOf(proposedEvent(n)))));

    expect(await sequences(1)).toEqual([2]);
  });

  it('goes on where all that it has read was removed meanwhile', async () => {
    const made = await given();
    made.append(1);
    const first = made.read();
    await first.sequences(1);
    await first.stop();
    made.append(2);
    made.kafka.topic(made.topic).deleteBefore(1);

    expect(await made.read().sequences(1)).toEqual([2]);
  });

  it('ends where more was removed than it has read, and says what mends it', async () => {
    const made = await given();
    made.append(1);
    const first = made.read();
    await first.sequences(1);
    await first.stop();
    made.append(2);
    made.append(3);
    made.kafka.topic(made.topic).deleteBefore(2);

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(LogGapError);
    expect(failure.message).toContain('begins at version 3, and this server has read up to 1 only');
  });

  it.each([
    ['shorter', [], 'it ends at version 0 already'],
    ['another in the same place', [7, 8], 'the record at version 2 is writer-a:8, and was'],
    ['longer', [7, 8, 9], 'the record at version 2 is writer-a:8, and was writer-a:2'],
  ])('ends where the topic is another one, which is %s', async (_what, sequences, why) => {
    const made = await given({ timeouts: { unreachableAfterMs: 10 } });
    made.append(1, 2);
    const first = made.read();
    await first.sequences(2);
    await first.stop();
    made.kafka.topics.set(made.topic, new StandInTopic());
    for (const sequence of sequences) made.append(sequence);

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(TopicReplacedError);
    expect(failure.message).toContain(why);
  });
});

describe('a broker that was away, and still takes itself for the leader', () => {
  it('is not believed that the topic is shorter, as long as others may say otherwise', async () => {
    const made = await given();
    made.append(1, 2);
    const first = made.read();
    await first.sequences(2);
    await first.stop();
    const whole = made.kafka.topic(made.topic);
    made.kafka.topics.set(made.topic, new StandInTopic());
    const again = made.read();
    const shorter = () =>
      made.kafka.asked.filter(({ request }) => request === 'ListOffsets').length;
    const before = shorter();
    await vi.waitFor(() => {
      expect(shorter()).toBeGreaterThan(before + 3);
    }, PATIENCE);
    made.kafka.topics.set(made.topic, whole);
    made.append(3);

    expect(await again.sequences(1)).toEqual([3]);
  });
});

describe('a reader whose connection is stopped', () => {
  it('ends, and does not ask for another session again and again', async () => {
    const made = await given();
    made.append(1);
    const { connection, sequences, stop } = made.read();
    await sequences(1);
    const ask = connection.sessionAtLast.bind(connection);
    // Asking for ever without a pause would leave this test no turn to fail in.
    const asked = vi.spyOn(connection, 'sessionAtLast').mockImplementation(() => {
      return asked.mock.calls.length > 3 ? new Promise(() => undefined) : ask();
    });

    await connection.stop();
    await vi.waitFor(() => {
      expect(asked).toHaveBeenCalled();
    }, PATIENCE);

    expect(asked).toHaveBeenCalledOnce();
    await stop();
  });
});

describe('what no server of this control plane wrote', () => {
  it('ends the reading at a gap between two records', async () => {
    const made = await given();
    made.append(1);
    made.kafka.topic(made.topic).skip(2);
    made.append(2);

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(LogGapError);
    expect(failure.message).toContain('no record at version 2: the next one is at 4');
  });

  it('ends the reading at a record of another program, and names its place', async () => {
    const made = await given();
    made.append(1);
    const foreign = { key: 'k', value: Buffer.from('v'), headers: {} };
    made.kafka.topic(made.topic).append(batchOf([foreign]));

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(ForeignRecordError);
    expect(failure).toMatchObject({ version: 2 });
    expect(failure.message).toContain(`the record at offset 1 of the topic ${made.topic}`);
  });

  it('ends it at a record whose parts do not fit, with the reason', async () => {
    const made = await given();
    const ours = recordOf(proposedEvent(1));
    const damaged = { ...ours, headers: { ...ours.headers, sequence: 'x' } };
    made.kafka.topic(made.topic).append(batchOf([damaged]));

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(ForeignRecordError);
    expect(failure.message).toContain('header sequence is not a whole number');
    expect(failure.cause).toMatchObject({ name: 'DamagedRecordError' });
  });

  it('ends it at bytes that are no batch', async () => {
    const made = await given();
    const bytes = batchOf([recordOf(proposedEvent(1))]);
    const MAGIC_AT = 16;
    bytes[MAGIC_AT] = 9;
    made.kafka.topic(made.topic).append(bytes);

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(ForeignRecordError);
    expect(failure.message).toContain('it, or one behind it, cannot be decoded: ');
  });

  it('is found at the place that was read last, too', async () => {
    const made = await given();
    made.append(1);
    const first = made.read();
    await first.sequences(1);
    await first.stop();
    const other = new StandInTopic();
    made.kafka.topics.set(made.topic, other);
    other.append(batchOf([{ key: 'k', value: Buffer.from('v'), headers: {} }]));

    const failure = await made.read().failure();

    expect(failure).toBeInstanceOf(TopicReplacedError);
    expect(failure.message).toContain('is another, and was writer-a:1');
  });
});
