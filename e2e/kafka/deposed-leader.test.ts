/**
 * A broker that leads the topic hangs, another takes over, and the first wakes up: for a moment it
 * still believes that it leads, and would tell an end of the log that is past. No server may
 * believe it.
 *
 * Servers with `--read-consistency=fresh` trust the leader by their own choice; what they show is
 * counted beside it.
 */
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { ApiAnswer } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { listAt, textAt } from '../support/json.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { ReplicaGroup, type Replica } from './replica-group.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const OBJECT = `${MAPS}/watched`;
const TOPIC = 'control-plane';
const ROUNDS = 3;
/** The measure of a good run is printed; this is the limit for a broken one. */
const PATIENCE = { timeoutMs: 240_000 };
/** How long, how many at a time on each server, and how many answers there must be at least. */
const HAMMERING = { ms: 1_000, together: 10, answersMin: 100 };

/** What the answers of one server were. */
interface Tally {
  read: number;
  /** 503 and 504: not known at the moment. */
  refused: number;
  /** Each with what it showed, and what was acknowledged before it was asked. */
  readonly stale: string[];
}

await describeWith('kafka', 'a leader that was deposed while it slept', (startKafka) => {
  let cluster: KafkaCluster;
  let replicas: ReplicaGroup;
  let linearizable: Replica[];
  let fresh: Replica[];
  /** The value that was acknowledged last; they rise. */
  let acknowledged = 0;

  beforeAll(async () => {
    cluster = await startKafka({ brokers: 3, properties: { ...QUICK_FAILOVER } });
    replicas = new ReplicaGroup(cluster.bootstrap);
    // The first makes the topic.
    const args = ['--request-timeout', '15s'];
    linearizable = [await replicas.start(TOPIC, { args })];
    linearizable.push(await replicas.start(TOPIC, { args }));
    args.push('--read-consistency', 'fresh');
    fresh = await Promise.all([replicas.start(TOPIC, { args }), replicas.start(TOPIC, { args })]);
    const object = { metadata: { name: 'watched' }, data: { n: '0' } };
    expect((await writer().client.post(MAPS, object)).status).toBe(201);
  });

  afterAll(async () => {
    await replicas.stop();
    await cluster.stop();
  });

  function writer(): Replica {
    const [first] = linearizable;
    if (first === undefined) throw new Error('No server was started.');
    return first;
  }

  /** Writes the next value until that is acknowledged. No other client writes, so values only rise. */
  async function write(): Promise<void> {
    const next = acknowledged + 1;
    const data = { n: String(next) };
    await eventually(
      `an acknowledgement of ${data.n}`,
      async () => {
        const { status, body } = await writer().client.patch(OBJECT, { data });
        if (![200, 503, 504].includes(status)) throw new Error(JSON.stringify(body));
        return status === 200 || undefined;
      },
      PATIENCE,
    );
    acknowledged = next;
  }

  /** Reads as fast as it goes, for some time and until there are enough answers. */
  async function hammer({ client }: Replica): Promise<Tally> {
    const tally: Tally = { read: 0, refused: 0, stale: [] };
    const startMs = Date.now();
    const isOver = (): boolean => {
      const ms = Date.now() - startMs;
      if (ms > PATIENCE.timeoutMs) throw new Error(`too few answers: ${JSON.stringify(tally)}`);
      return ms > HAMMERING.ms && tally.read >= HAMMERING.answersMin;
    };
    async function work(worker: number): Promise<void> {
      for (let n = worker; !isOver(); n += 1) {
        const path = n % 2 === 0 ? OBJECT : MAPS;
        const before = acknowledged;
        note(tally, await client.get(path), before);
      }
    }
    await Promise.all(Array.from({ length: HAMMERING.together }, (_, worker) => work(worker)));
    return tally;
  }

  /** Hammers all servers, while the object goes on to change. */
  async function hammerAll(title: string): Promise<void> {
    const hammering = { isOver: false };
    const writing = (async () => {
      while (!hammering.isOver) await write();
    })();
    const hammered = Promise.all([...linearizable, ...fresh].map(hammer));
    const tallies = await hammered.finally(() => (hammering.isOver = true));
    await writing;
    const summary = tallies.map(({ read, refused, stale }) => {
      return `${String(read)} read, ${String(refused)} refused, ${String(stale.length)} stale`;
    });
    console.log(`${title}: linearizable ${summary.slice(0, 2).join('; ')}`);
    console.log(`${title}: fresh ${summary.slice(2).join('; ')}`);
    expect(tallies.slice(0, 2).flatMap(({ stale }) => stale)).toEqual([]);
  }

  /** How long it took until a write was acknowledged after the leader fell silent. */
  async function timeToWrite(silence: () => Promise<void>): Promise<number> {
    const startMs = Date.now();
    await silence();
    await write();
    return Date.now() - startMs;
  }

  it.each(Array.from({ length: ROUNDS }, (_, index) => [index + 1]))(
    'is believed by no server, round %i',
    async (round) => {
      await write();
      await untilWhole(cluster.direct);
      const leader = await cluster.leaderOf(TOPIC);
      const ms = await timeToWrite(() => cluster.pause(leader));
      const title = `round ${String(round)}, node ${String(leader)}`;
      console.log(`${title}: hung; a write was acknowledged after ${String(ms)} ms`);
      const waking = cluster.resume(leader);
      await hammerAll(title);
      await waking;
    },
    2 * PATIENCE.timeoutMs,
  );

  it(
    'is replaced when it is killed, and nothing acknowledged is lost',
    async () => {
      await untilWhole(cluster.direct);
      const leader = await cluster.leaderOf(TOPIC);
      const ms = await timeToWrite(() => cluster.kill9(leader));
      console.log(`killed: a write was acknowledged after ${String(ms)} ms`);
      await hammerAll('killed');
    },
    2 * PATIENCE.timeoutMs,
  );
});

function note(tally: Tally, { status, body }: ApiAnswer, acknowledged: number): void {
  if (status === 503 || status === 504) {
    tally.refused += 1;
    return;
  }
  expect(status, JSON.stringify(body)).toBe(200);
  tally.read += 1;
  const items = listAt(body, 'items');
  const object = items.find((item) => textAt(item, 'metadata', 'name') === 'watched') ?? body;
  const shown = textAt(object, 'data', 'n');
  // What cannot be read as a number is as wrong as an old one.
  if (Number(shown) >= acknowledged && shown !== '') return;
  tally.stale.push(`${shown} was shown, ${String(acknowledged)} had been acknowledged`);
}

/** Waits until all three nodes have all records: with less, the next to hang would stop writes. */
async function untilWhole(brokers: readonly string[]): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    await eventually(
      'three in-sync replicas',
      async () => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [TOPIC] });
        return topics[0]?.partitions[0]?.isr.length === 3 || undefined;
      },
      { ...PATIENCE, everyMs: 100 },
    );
  } finally {
    await admin.disconnect();
  }
}
