import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Random } from '../../api/meta/clock.ts';
import { ManualClock } from '../encryption/given-kms.fixture.ts';
import { LogUnavailableError } from '../event-log.ts';
import { KafkaConnection } from './kafka-connection.ts';
import type { KafkaTimeouts } from './kafka-options.ts';
import { LATEST } from './kafka-requests.ts';
import { givenKafka, type GivenKafka } from './stand-in/given-kafka.fixture.ts';

const PATIENCE = { timeout: 120_000 };
const UNREACHABLE_MS = 175;
const SUSPECT_MS = 300;

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Given extends GivenKafka {
  readonly clock: ManualClock;
  readonly connection: KafkaConnection;
  /** How long it has paused between attempts, in milliseconds. */
  pauses(): number[];
  /** Waits for the next pause. */
  paused(): Promise<number>;
  /** Waits for the next pause, and ends it. */
  pause(): Promise<number>;
}

async function given(
  options: {
    brokers?: number;
    /** Whether the operator has named the brokers in another way than they do themselves. */
    alias?: boolean;
    integer?: number;
    timeouts?: Partial<KafkaTimeouts>;
  } = {},
): Promise<Given> {
  const clock = new ManualClock();
  const { brokers = 1, integer = 0 } = options;
  const timeouts = { unreachableAfterMs: UNREACHABLE_MS, ...options.timeouts };
  const made = await givenKafka({ brokers, clock, timeouts });
  const random: Random = { integer: () => integer, uuid: () => 'uuid' };
  const named = made.parts.brokers.map((broker) =>
    options.alias === true ? broker.replace('127.0.0.1', 'localhost') : broker,
  );
  const connection = new KafkaConnection({ ...made.parts, brokers: named, random });
  stops.push(async () => {
    await connection.stop();
    await made.stop();
    expect(made.kafka.misfits).toEqual([]);
  });
  const others = [UNREACHABLE_MS, SUSPECT_MS];
  const pauses = () => clock.asked.filter((ms) => ms < 5_000 && !others.includes(ms));
  let ended = 0;
  const paused = async (): Promise<number> => {
    await vi.waitFor(() => {
      expect(pauses().length).toBeGreaterThan(ended);
    }, PATIENCE);
    return pauses()[ended] ?? 0;
  };
  const pause = async (): Promise<number> => {
    const ms = await paused();
    ended += 1;
    clock.advance(ms);
    return ms;
  };
  return { ...made, clock, connection, pauses, paused, pause };
}

function statesOf({ told }: GivenKafka): unknown[] {
  return told.filter(([name]) => name === 'connection').map(([, state]) => state);
}

function problemsOf({ told }: GivenKafka): unknown[] {
  return told.filter(([name]) => name === 'problem').map(([, kind]) => kind);
}

async function becomes({ connection }: Given, state: string): Promise<void> {
  await vi.waitFor(() => {
    expect(connection.status.state).toBe(state);
  }, PATIENCE);
}

describe('a connection', () => {
  it('gives all waiting callers the same session, and later ones too', async () => {
    const { connection } = await given();
    const waiting = [connection.session(), connection.sessionAtLast(), connection.session(100_000)];
    connection.start();

    const [first, ...others] = await Promise.all(waiting);

    expect(others).toEqual([first, first]);
    expect(await connection.session()).toBe(first);
    expect(await connection.sessionAtLast()).toBe(first);
    expect(connection).toMatchObject({ status: { state: 'connected', reason: '' }, reconnects: 0 });
  });

  it('makes the next session when one is lost, and says why', async () => {
    const made = await given();
    const { connection, pause } = made;
    connection.start();
    const first = await connection.session();

    first.fail(new TypeError('cut'));
    await becomes(made, 'reconnecting');
    expect(connection.status.reason).toBe('the connection was lost: cut');
    const waiting = connection.session();
    await pause();

    expect(await waiting).not.toBe(first);
    expect(await (await waiting).offsetAt(LATEST)).toBe(0);
    expect(connection.reconnects).toBe(1);
    expect(statesOf(made)).toEqual(['connected', 'reconnecting', 'connected']);
    expect(problemsOf(made)).toEqual(['TypeError']);
  });

  it('begins with any of the brokers, and tries the others by turns', async () => {
    const made = await given({ brokers: 3, integer: 1 });
    const { kafka, connection, pause } = made;
    const tried = () =>
      problemsOf(made).length > 0 &&
      made.told.flatMap(([name, , reason]) => (name === 'connection' ? [reason] : []));
    kafka.leader = 0;
    kafka.refuse(1);
    kafka.refuse(2);
    connection.start();

    await pause();
    expect(connection.status.reason).toContain(`by way of ${kafka.brokers[1] ?? ''}: `);
    await pause();
    expect(connection.status.reason).toContain(`by way of ${kafka.brokers[2] ?? ''}: `);

    expect((await connection.session()).leaderName).toBe(kafka.brokers[0]);
    expect(tried()).toEqual(['']);
  });

  it('asks the others first when it has lost the leader', async () => {
    const { kafka, connection, pause } = await given({ brokers: 2 });
    connection.start();
    const session = await connection.session();
    kafka.asked.splice(0);

    session.fail(new Error('cut'));
    await pause();
    await connection.session();

    expect(kafka.asked[0]).toMatchObject({ request: 'Metadata', broker: 1 });
  });

  it('asks those that it was given too, where those that it has heard of are gone', async () => {
    const made = await given({ alias: true });
    const { kafka, connection, pause } = made;
    connection.start();
    const session = await connection.session();
    kafka.refuse(0);

    session.fail(new Error('cut'));
    const ways: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await pause();
      ways.push(/by way of ([^:]*):/.exec(connection.status.reason)?.[1]);
    }

    expect(new Set(ways.slice(1))).toEqual(new Set(['127.0.0.1', 'localhost']));
  });

  it('does not wait again for a broker that has just hung', async () => {
    const { kafka, clock, connection, pause } = await given({ timeouts: { requestMs: 7_000 } });
    connection.start();
    const session = await connection.session();
    kafka.fail('ListOffsets', 'swallow');
    session.offsetAt(LATEST).catch(() => undefined);
    await vi.waitFor(() => {
      expect(kafka.faultsLeft).toBe(0);
    }, PATIENCE);
    clock.advance(7_000);
    await session.lost;
    clock.asked.splice(0);

    // It had lasted, so there is no pause.
    const again = await connection.session();

    expect(clock.asked.filter((ms) => ms === SUSPECT_MS)).toHaveLength(3);
    clock.asked.splice(0);
    again.fail(new Error('cut'));
    await pause();
    await connection.session();
    expect(clock.asked).not.toContain(SUSPECT_MS);
  });
});

describe('a connection to brokers that are away', () => {
  it('tries again soon while a leader may come, and seldom when none did', async () => {
    const made = await given();
    made.kafka.refuse(0);
    made.connection.start();
    const pauses: number[] = [];

    for (let attempt = 1; attempt <= 4; attempt += 1) pauses.push(await made.pause());
    expect(pauses).toEqual([25, 50, 50, 50]);
    expect(made.connection.status.state).toBe('unreachable');

    for (let attempt = 1; attempt <= 6; attempt += 1) pauses.push(await made.pause());
    expect(pauses.slice(4)).toEqual([100, 200, 400, 500, 500, 500]);
    expect(statesOf(made)).toEqual(['unreachable']);
  });

  it('pauses longer each time that a session is lost at once, and not behind one that lasted', async () => {
    const made = await given({ timeouts: { unreachableAfterMs: 60_000 } });
    made.connection.start();
    const pauses: number[] = [];
    for (let round = 1; round <= 6; round += 1) {
      (await made.connection.session()).fail(new Error('cut'));
      pauses.push(await made.pause());
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);

    const lasting = await made.connection.session();
    made.clock.advance(1_001);
    lasting.fail(new Error('cut'));
    (await made.connection.session()).fail(new Error('cut'));

    expect(await made.pause()).toBe(100);
  });

  it('tells callers that can do something else, and lets the others wait', async () => {
    const made = await given();
    const { connection, kafka, pause, paused } = made;
    kafka.refuse(0);
    connection.start();
    const told = connection.session().catch((error: unknown) => error);
    const patient = connection.sessionAtLast();
    for (let attempt = 1; attempt <= 4; attempt += 1) await pause();

    const error = await told;
    expect(error).toBeInstanceOf(LogUnavailableError);
    expect(error).toMatchObject({ isPassing: false });
    expect(String(error)).toContain('Kafka cannot be reached: no connection by way of ');
    await expect(connection.session()).rejects.toThrow('Kafka cannot be reached');

    await paused();
    kafka.heal();
    await pause();
    expect(await patient).toBe(await connection.session());
    expect(statesOf(made)).toEqual(['unreachable', 'connected']);
  });

  it('waits no longer than was asked for, and says that it may be passing', async () => {
    const { connection, clock } = await given();
    const waiting = connection.session(10).catch((error: unknown) => error);
    clock.advance(10);

    expect(await waiting).toMatchObject({ name: 'LogUnavailableError', isPassing: true });
    expect(String(await waiting)).toContain('no answer from Kafka in time');
  });
});

describe('the state of a connection', () => {
  it('is degraded from a refusal for lack of replicas until records are taken', async () => {
    const made = await given();
    made.connection.start();
    await made.connection.session();

    made.connection.refused(new Error('too few'));
    expect(made.connection.status).toMatchObject({ state: 'degraded', reason: 'too few' });
    made.connection.written();
    made.connection.written();

    expect(made.connection.status).toMatchObject({ state: 'connected', reason: '' });
    expect(statesOf(made)).toEqual(['connected', 'degraded', 'connected']);
  });
});

describe('a connection that is stopped', () => {
  it('ends its session, and gives no other', async () => {
    const made = await given();
    made.connection.start();
    const session = await made.connection.session();

    await made.connection.stop();

    expect(session.isOpen).toBe(false);
    expect(String(await session.lost)).toContain('closed');
    await expect(made.connection.session()).rejects.toThrow('closed');
    await expect(made.connection.sessionAtLast()).rejects.toThrow('closed');
    expect(problemsOf(made)).toEqual([]);
    expect(made.clock.pending).toBe(0);
  });

  it('stops in the middle of a pause, and tells all waiting callers', async () => {
    const made = await given();
    const { connection, kafka, pauses } = made;
    kafka.refuse(0);
    connection.start();
    const waiting = [connection.session(), connection.sessionAtLast()].map((session) =>
      session.catch((error: unknown) => String(error)),
    );
    await vi.waitFor(() => {
      expect(pauses()).toHaveLength(1);
    }, PATIENCE);

    await connection.stop();

    for (const error of await Promise.all(waiting)) expect(error).toContain('closed');
    expect(made.clock.pending).toBe(0);
    expect(pauses()).toHaveLength(1);
  });

  it('uses no session that comes too late', async () => {
    const made = await given();
    made.connection.start();

    const stopped = made.connection.stop();
    await stopped;

    await vi.waitFor(() => {
      expect(made.kafka.connections).toBe(0);
    }, PATIENCE);
    expect(statesOf(made)).toEqual(['stopped']);
  });
});
