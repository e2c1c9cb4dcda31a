/** Three brokers, of which one or all go away: how soon commits go on, and that none is lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { LogUnavailableError } from '../../streams/event-log.ts';
import type { KafkaEventLog } from '../../streams/kafka/kafka-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { eventually } from '../support/eventually.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { EngineFold } from './engine-fold.ts';
import { EngineLogs, type LogPlace } from '../../streams/kafka/engine-logs.fixture.ts';

/** The measure of a good run is printed; this is the limit for a broken one. */
const PATIENCE_MS = 100_000;
/** Three brokers that read their logs again after a kill, on a machine that does other things too. */
const RESTART_PATIENCE_MS = 240_000;
const NODES = [1, 2, 3];

await describeWith('kafka', 'the Kafka engine on three brokers', (startKafka) => {
  let cluster: KafkaCluster;
  let logs: EngineLogs;
  let place: LogPlace;
  let log: KafkaEventLog;
  let fold: EngineFold;
  const states: string[] = [];

  beforeAll(async () => {
    cluster = await startKafka({ brokers: 3, properties: { ...QUICK_FAILOVER } });
    logs = new EngineLogs(cluster.bootstrap);
    place = logs.newPlace();
    log = await logs.open(place, {
      timeouts: { unreachableAfterMs: 8_000 },
      events: {
        connection: (state) => {
          states.push(state);
        },
      },
    });
    fold = new EngineFold(log);
    await fold.create('first');
  });

  afterAll(async () => {
    await fold.stop();
    await logs.remove();
    await cluster.stop();
  });

  /** Commits without pause while something happens; gives the longest time between two. */
  async function longestPause(prefix: string, trouble: () => Promise<void>): Promise<number> {
    const made: string[] = [];
    let longest = 0;
    let isOver = false;
    async function work(worker: number): Promise<void> {
      for (let n = 0; !isOver; n += 1) {
        const name = `${prefix}-${String(worker)}-${String(n)}`;
        const startMs = Date.now();
        const { kind } = await fold.create(name);
        longest = Math.max(longest, Date.now() - startMs);
        expect(kind).toBe('committed');
        made.push(name);
      }
    }
    const workers = [1, 2, 3, 4].map(work);
    await eventually('some commits', () => made.length > 20 || undefined);
    await trouble();
    const before = made.length;
    await eventually('commits after the trouble', () => made.length > before + 100 || undefined, {
      timeoutMs: PATIENCE_MS,
    });
    isOver = true;
    await Promise.all(workers);
    expect(fold.failure).toBeUndefined();
    const found = new Set(fold.made);
    expect(found.size, 'nothing is made twice').toBe(fold.made.length);
    expect(made.filter((name) => !found.has(name))).toEqual([]);
    return longest;
  }

  /** The same for trouble with the leader; prints how much of it was Kafka's own election. */
  async function pauseWithout(
    what: string,
    leader: number,
    silence: () => Promise<void>,
  ): Promise<void> {
    let electedMs = Number.NaN;
    const ms = await longestPause(what, async () => {
      const startMs = Date.now();
      await silence();
      await cluster.successorOf(leader, place.topic);
      electedMs = Date.now() - startMs;
    });
    console.log(
      `leader ${what}: the longest commit took ${String(ms)} ms; ` +
        `Kafka named the next leader after ${String(electedMs)} ms`,
    );
    expect(ms).toBeLessThan(PATIENCE_MS);
  }

  it('makes the topic with three replicas, of which two must have each record', async () => {
    const other = await logs.open(logs.newPlace(place.topic));
    expect(await other.newest(5_000)).toBe(1);
    await eventually('the first record', () => other.at(resourceVersion(1)));
  });

  describe('when one broker fails', () => {
    it('commits again soon after the leader was killed', async () => {
      const leader = await cluster.leaderOf(place.topic);
      await pauseWithout('killed', leader, () => cluster.kill9(leader));
      await cluster.restart(leader);
    });

    it('commits again soon after a follower was killed', async () => {
      const leader = await cluster.leaderOf(place.topic);
      const follower = NODES.find((node) => node !== leader) ?? 1;
      const ms = await longestPause('follower', () => cluster.kill9(follower));
      console.log(`follower killed: the longest commit took ${String(ms)} ms`);
      expect(ms).toBeLessThan(PATIENCE_MS);
      await cluster.restart(follower);
    });

    it('leaves a leader that hangs, and is not misled when it wakes', async () => {
      const leader = await cluster.leaderOf(place.topic);
      await pauseWithout('hung', leader, () => cluster.pause(leader));
      await longestPause('awake', () => cluster.resume(leader));
      expect(await log.newest(5_000)).toBe(log.statistics.read);
    });
  });

  it('is unreachable when all are gone, serves what it has, and goes on when they are back', async () => {
    const seen = fold.made.length;
    const reader = log.read(resourceVersion(log.statistics.read + 1), new AbortController().signal);
    const next = reader[Symbol.asyncIterator]().next();
    next.catch(() => undefined);
    states.length = 0;
    await Promise.all(NODES.map((node) => cluster.kill9(node)));
    await eventually('unreachable', () => log.connection.state === 'unreachable' || undefined, {
      timeoutMs: RESTART_PATIENCE_MS,
    });

    await expect(log.append([proposedEvent(1)])).rejects.toThrow(LogUnavailableError);
    await expect(log.append([proposedEvent(1)])).rejects.toThrow(/cannot be reached/);
    await expect(log.newest(60_000)).rejects.toThrow(LogUnavailableError);
    expect(log.connection.state, 'refused while no broker is there').toBe('unreachable');
    expect(log.connection.reason).not.toBe('');
    expect(log.at(resourceVersion(1))?.path).toBe('default/first');

    await Promise.all(NODES.map((node) => cluster.restart(node)));
    await eventually('connected', () => log.connection.state === 'connected' || undefined, {
      timeoutMs: RESTART_PATIENCE_MS,
    });
    expect((await fold.create('afterwards')).kind).toBe('committed');
    expect(fold.made).toHaveLength(seen + 1);
    const result = await next;
    expect(result.done === true ? undefined : result.value[0]?.path).toBe('default/afterwards');
    // Brokers go and come one after the other, so that there may be more steps, not other ones.
    expect(states.slice(states.lastIndexOf('unreachable') - 1).slice(0, 3)).toEqual([
      'reconnecting',
      'unreachable',
      'connected',
    ]);
  });
});
