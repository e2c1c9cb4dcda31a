import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../encryption/given-kms.fixture.ts';
import type { KafkaSession } from './kafka-session.ts';
import { givenKafka, type GivenKafka } from './stand-in/given-kafka.fixture.ts';
import { readFrom, TopicSessions } from './topic-sessions.ts';

const PATIENCE = { timeout: 120_000 };

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function given(): Promise<GivenKafka & { clock: ManualClock; sessions: TopicSessions }> {
  const clock = new ManualClock();
  const made = await givenKafka({ clock });
  const sessions = new TopicSessions(made.parts);
  stops.push(async () => {
    sessions.close();
    await made.stop();
    expect(made.kafka.misfits).toEqual([]);
  });
  return { ...made, clock, sessions };
}

const record = (key: string) => ({ key, value: Buffer.from('v'), headers: {} });

describe('sessions with a small topic', () => {
  it('are one as long as it is good, and none when they are let go of', async () => {
    const { sessions, kafka } = await given();
    // Nothing to let go of yet.
    sessions.close();
    const used: KafkaSession[] = [];
    const work = (session: KafkaSession) => Promise.resolve(used.push(session));

    expect([await sessions.run(work), await sessions.run(work)]).toEqual([1, 2]);
    expect(used[1]).toBe(used[0]);
    sessions.close();
    expect(used[0]?.isOpen).toBe(false);
    await vi.waitFor(() => {
      expect(kafka.connections).toBe(0);
    }, PATIENCE);

    await sessions.run(work);
    expect(used[2]).not.toBe(used[0]);
  });

  it('are made anew behind each failure, with a pause, five times', async () => {
    const { sessions, clock } = await given();
    const used: KafkaSession[] = [];
    const failed = sessions
      .run((session) => {
        used.push(session);
        return Promise.reject(new Error(`attempt ${String(used.length)}`));
      })
      .catch((error: unknown) => error);
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await vi.waitFor(() => {
        expect(clock.asked.filter((ms) => ms === 500)).toHaveLength(attempt);
      }, PATIENCE);
      expect(used.at(-1)?.isOpen).toBe(false);
      clock.advance(500);
    }

    expect(String(await failed)).toBe('Error: attempt 5');
    expect(new Set(used).size).toBe(5);
    expect(clock.pending).toBe(0);
  });

  it('tell where records begin that they have put', async () => {
    const { sessions } = await given();

    expect(await sessions.put([record('a'), record('b')])).toBe(0);
    expect(await sessions.put([record('c')])).toBe(2);

    const { records, next } = await sessions.run((session) => readFrom(session, 1));
    expect(records.map(({ key, offset }) => [key, offset])).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
    expect(next).toBe(3);
  });

  it('go on behind what compaction took away, to the end', async () => {
    const { sessions, kafka, topic } = await given();
    for (const key of ['a', 'b', 'c']) await sessions.put([record(key)]);
    kafka.topic(topic).compactAway(1);
    kafka.topic(topic).compactAway(2);

    expect(await sessions.run((session) => readFrom(session, 1))).toEqual({ records: [], next: 3 });
  });
});
