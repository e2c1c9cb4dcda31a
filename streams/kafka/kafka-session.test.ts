import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../encryption/given-kms.fixture.ts';
import { recordOf } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { BrokerError, RequestTimeoutError } from './kafka-errors.ts';
import { EARLIEST, LATEST } from './kafka-requests.ts';
import { KafkaSession, saslOf, sslOf } from './kafka-session.ts';
import { decodeBatches, encodeBatch } from './record-batch.ts';
import { givenKafka, PATIENT, type GivenKafka } from './stand-in/given-kafka.fixture.ts';

const NOT_LEADER = 6;
const OFFSET_OUT_OF_RANGE = 1;
const OFFSET_NOT_AVAILABLE = 78;
const MEGABYTE = 1024 * 1024;
const PATIENCE = { timeout: 120_000 };

const givens: GivenKafka[] = [];

afterEach(async () => {
  for (const each of givens.splice(0)) {
    await each.stop();
    expect(each.kafka.misfits).toEqual([]);
  }
});

async function given(...options: Parameters<typeof givenKafka>): Promise<GivenKafka> {
  const made = await givenKafka(...options);
  givens.push(made);
  return made;
}

async function opened(options: Parameters<typeof givenKafka>[0] = {}) {
  const made = await given(options);
  const session = await KafkaSession.open(made.parts, made.kafka.brokers);
  return { ...made, session };
}

function batchOf(...sequences: number[]): Buffer {
  return encodeBatch(
    sequences.map((sequence) => recordOf(proposedEvent(sequence))),
    1_700_000_000_000,
  );
}

function ignored(): void {
  // The test does not ask.
}

async function noConnectionIsLeft({ kafka }: GivenKafka): Promise<void> {
  await vi.waitFor(() => {
    expect(kafka.connections).toBe(0);
  }, PATIENCE);
}

describe('opening a session', () => {
  it('finds the leader by way of any broker, and asks it from then on', async () => {
    const made = await given({ brokers: 3 });
    made.kafka.leader = 2;
    const session = await KafkaSession.open(made.parts, made.kafka.brokers);

    expect(await session.offsetAt(LATEST)).toBe(0);

    const [first, second, leader] = made.kafka.brokers;
    expect(session.leaderName).toBe(leader);
    expect(session.knownBrokers).toEqual([first, second, leader]);
    const offsets = made.kafka.asked.filter(({ request }) => request === 'ListOffsets');
    expect(offsets.map(({ broker }) => broker)).toEqual([2, 2]);
    expect(session.isOpen).toBe(true);
    session.fail(new Error('over'));
  });

  it('fails where no broker leads, and leaves no connection behind', async () => {
    const made = await given();
    made.kafka.leader = -1;

    const opening = KafkaSession.open(made.parts, made.kafka.brokers);

    await expect(opening).rejects.toThrow(`the topic ${made.topic} has no leader now`);
    await noConnectionIsLeft(made);
  });

  it('fails where the topic is not there, or the broker ends the connection', async () => {
    const made = await given();
    await expect(
      KafkaSession.open({ ...made.parts, topic: 'another' }, made.kafka.brokers),
    ).rejects.toThrow(/does not host this topic-partition/);

    made.kafka.refuse(0);
    await expect(KafkaSession.open(made.parts, made.kafka.brokers)).rejects.toThrow(Error);
    await noConnectionIsLeft(made);
  });

  it('takes a leader that is too new to tell its end, and none that does not lead', async () => {
    const made = await given();
    made.kafka.fail('ListOffsets', OFFSET_NOT_AVAILABLE);
    const session = await KafkaSession.open(made.parts, made.kafka.brokers);
    expect(session.isOpen).toBe(true);
    session.fail(new Error('over'));

    made.kafka.fail('ListOffsets', NOT_LEADER);
    await expect(KafkaSession.open(made.parts, made.kafka.brokers)).rejects.toMatchObject({
      name: 'BrokerError',
      code: NOT_LEADER,
    });
    await noConnectionIsLeft(made);
  });

  it('waits a moment only for the broker that hung just now', async () => {
    const clock = new ManualClock();
    const made = await given({ brokers: 2, clock, timeouts: { requestMs: 15_000 } });
    made.kafka.leader = 1;
    const [first, second] = made.kafka.brokers;

    const { connectMs } = PATIENT;
    const patience = async (suspect?: string): Promise<number[]> => {
      clock.asked.splice(0);
      const session = await KafkaSession.open(made.parts, made.kafka.brokers, suspect);
      session.fail(new Error('over'));
      return [...clock.asked];
    };

    // The connection, the metadata, the connection to the leader, the request for its end, the proof.
    const { requestMs } = made.parts.timeouts;
    expect(await patience()).toEqual([connectMs, connectMs, connectMs, requestMs, connectMs]);
    expect(await patience(first)).toEqual([300, 300, connectMs, requestMs, connectMs]);
    expect(await patience(second)).toEqual([connectMs, connectMs, connectMs, requestMs, 300]);
    expect(clock.pending).toBe(0);
  });
});

describe('a session', () => {
  it('appends batches, and gives them back from any offset', async () => {
    const { session, kafka, topic } = await opened();
    const sent: number[] = [];

    expect(await session.produce(batchOf(1, 2), () => sent.push(kafka.topic(topic).end))).toBe(0);
    expect(await session.produce(batchOf(3), () => sent.push(kafka.topic(topic).end))).toBe(2);

    // It is told before a byte has gone out.
    expect(sent).toEqual([0, 2]);
    const { records, start, end } = await session.fetch(1, MEGABYTE);
    expect({ start, end }).toEqual({ start: 0, end: 3 });
    expect(decodeBatches(records, 1).records.map(({ offset }) => offset)).toEqual([1, 2]);
    session.fail(new Error('over'));
  });

  it('tells both ends of what is left', async () => {
    const { session, kafka, topic } = await opened();
    for (const sequence of [1, 2, 3]) await session.produce(batchOf(sequence), ignored);
    kafka.topic(topic).deleteBefore(2);

    expect(await session.offsetAt(EARLIEST)).toBe(2);
    expect(await session.offsetAt(LATEST)).toBe(3);
    expect(await session.fetch(2, MEGABYTE)).toMatchObject({ start: 2, end: 3 });
    session.fail(new Error('over'));
  });

  it('waits with a fetch for what comes, and takes no more than was asked for', async () => {
    const { session, kafka, topic } = await opened();
    const waiting = session.fetch(0, MEGABYTE);
    kafka.topic(topic).append(batchOf(1));
    kafka.topic(topic).append(batchOf(2));

    expect((await waiting).end).toBeGreaterThan(0);
    const { records } = await session.fetch(0, 10);
    expect(decodeBatches(records, 0).records).toHaveLength(1);
    session.fail(new Error('over'));
  });

  it('outlives answers after which the leader still leads', async () => {
    const { session, kafka } = await opened();
    kafka.fail('Fetch', OFFSET_OUT_OF_RANGE);

    await expect(session.fetch(0, MEGABYTE)).rejects.toMatchObject({ code: OFFSET_OUT_OF_RANGE });

    expect(session.isOpen).toBe(true);
    expect(await session.produce(batchOf(1), ignored)).toBe(0);
    session.fail(new Error('over'));
  });

  it('is over with an answer of another kind, for all that is asked later too', async () => {
    const made = await opened();
    const { session, kafka } = made;
    kafka.fail('Produce', NOT_LEADER);

    const failed = await session.produce(batchOf(1), ignored).catch((error: unknown) => error);

    expect(failed).toBeInstanceOf(BrokerError);
    expect(await session.lost).toBe(failed);
    expect(session.isOpen).toBe(false);
    const asked = kafka.asked.length;
    await expect(session.offsetAt(LATEST)).rejects.toBe(failed);
    expect(kafka.asked).toHaveLength(asked);
    await noConnectionIsLeft(made);
  });

  it('is over when its connection ends, and what waits is told', async () => {
    const made = await opened();
    const waiting = made.session.fetch(0, MEGABYTE).catch((error: unknown) => error);
    await vi.waitFor(() => {
      expect(made.kafka.asked.at(-1)?.request).toBe('Fetch');
    }, PATIENCE);

    made.kafka.cutAll();

    expect(await waiting).toBeInstanceOf(Error);
    expect(await made.session.lost).toBe(await waiting);
    await noConnectionIsLeft(made);
  });

  it('gives up with the first reason that it is given', async () => {
    const made = await opened();
    const [first, second] = [new Error('first'), new Error('second')];
    const waiting = made.session.fetch(0, MEGABYTE);

    made.session.fail(first);
    made.session.fail(second);

    await expect(waiting).rejects.toThrow();
    expect(await made.session.lost).toBe(first);
    await expect(made.session.fetch(0, MEGABYTE)).rejects.toBe(first);
    await noConnectionIsLeft(made);
    const told = made.told.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.told, 'what becomes of its connections is no news').toHaveLength(told);
  });

  it('is over when an answer takes too long, and names the request', async () => {
    const clock = new ManualClock();
    const { session, kafka } = await opened({ clock, timeouts: { requestMs: 1_234 } });
    kafka.fail('Produce', 'swallow');
    const waiting = session.produce(batchOf(1), ignored);
    await vi.waitFor(() => {
      expect(kafka.faultsLeft).toBe(0);
    }, PATIENCE);

    clock.advance(1_233);
    expect(session.isOpen).toBe(true);
    clock.advance(1);

    await expect(waiting).rejects.toThrow('Produce took longer than 1234 ms');
    expect(await session.lost).toBeInstanceOf(RequestTimeoutError);
    expect(clock.pending).toBe(0);
  });
});

describe('a look at the leader', () => {
  it('ends the session when that is another broker by now', async () => {
    const { session, kafka } = await opened({ brokers: 2 });
    kafka.leader = 1;

    session.checkLeader();

    expect(String(await session.lost)).toContain('the leader is another broker now (1)');
  });

  it('changes nothing while the leader leads, and is one at a time', async () => {
    const { session, kafka } = await opened();
    const looks = () => kafka.asked.filter(({ request }) => request === 'Metadata').length;
    const before = looks();

    session.checkLeader();
    session.checkLeader();
    await vi.waitFor(() => {
      expect(looks()).toBe(before + 1);
    }, PATIENCE);
    // The next one begins when this one has had its answer.
    await vi.waitFor(() => {
      session.checkLeader();
      expect(looks()).toBeGreaterThan(before + 1);
    }, PATIENCE);
    expect(session.isOpen).toBe(true);
    session.fail(new Error('over'));
  });

  it('is told and forgotten when no broker answers it', async () => {
    const { session, kafka, told } = await opened();
    const LEADER_NOT_AVAILABLE = 5;
    kafka.fail('Metadata', LEADER_NOT_AVAILABLE);

    session.checkLeader();

    await vi.waitFor(() => {
      expect(told.filter(([name]) => name === 'problem')).toMatchObject([
        ['problem', 'leader_check', { cause: { type: 'LEADER_NOT_AVAILABLE' } }],
      ]);
    }, PATIENCE);
    expect(session.isOpen).toBe(true);
    session.fail(new Error('over'));
  });
});

describe('what the operator has configured', () => {
  it('is TLS as it was given, without what was left out', () => {
    expect(sslOf(undefined)).toBeUndefined();
    expect(sslOf({ ca: 'CA', cert: undefined, rejectUnauthorized: false })).toStrictEqual({
      ca: 'CA',
      rejectUnauthorized: false,
    });
  });

  it('is SASL as it was given, with tokens that are asked for anew', async () => {
    const plain = { mechanism: 'plain', username: 'u', password: 'p' } as const;
    expect(saslOf(plain)).toEqual(plain);
    expect(saslOf(undefined)).toBeUndefined();

    let asked = 0;
    const token = () => Promise.resolve(`token-${String((asked += 1))}`);
    const sasl = saslOf({ mechanism: 'oauthbearer', token });

    expect(sasl).toMatchObject({ mechanism: 'oauthbearer' });
    // kafkajs calls it so.
    const { oauthBearerProvider } = sasl as { oauthBearerProvider: () => Promise<unknown> };
    expect(await oauthBearerProvider()).toEqual({ value: 'token-1' });
    expect(await oauthBearerProvider()).toEqual({ value: 'token-2' });
  });
});
