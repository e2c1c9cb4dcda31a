import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordOf } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { ForeignRecordError, LogGapError, TopicReplacedError } from './kafka-errors.ts';
import { StandInTopic } from './stand-in/stand-in-topic.fixture.ts';
import { batchOf, fetchesOf, given, looksOf, PATIENCE, stopAll } from './given-reader.fixture.ts';

afterEach(stopAll);

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
