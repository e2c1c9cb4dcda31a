/**
 * What happens to the cluster while clients are at work. Each fault is made, held and healed; the
 * seed decides which comes when and for how long. Faults of replicas and faults of brokers and
 * the network go on beside each other, and of each sort one at a time.
 */
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { run } from '../support/command.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import type { KafkaProxy } from '../support/kafka-proxy.ts';
import { Chance } from './chance.ts';
import type { Cluster, Replica } from './cluster.ts';
import { endOf, repeatRecords } from './topic-echo.ts';

export interface FaultParts {
  readonly seed: number;
  readonly cluster: Cluster;
  /** The longest a process is stopped. */
  readonly pauseMs: number;
  /** Between two faults of a sort, on average. */
  readonly restMs: number;
  readonly told: (what: string) => void;
}

type Fault<Target> = (target: Target, chance: Chance, parts: FaultParts) => Promise<void>;

const RECOVERY_MS = 1_000;
/** What takes longer is told of. */
const LONG_SECONDS = 15;

/** Faults of a replica, whatever its log. */
const REPLICA_FAULTS = {
  async kill({ server }, chance) {
    await server.kill9();
    await sleep(chance.below(1_000));
    await server.restart();
  },

  /** Killed again while it starts, and while it takes or loads a snapshot. */
  async killStarting({ server }, chance) {
    await server.kill9();
    const starting = server.restart().then(nothing, nothing);
    await sleep(chance.below(400));
    await server.kill9();
    await starting;
    await server.restart();
  },

  async stopGently({ server }) {
    await server.restart();
  },

  async pause(replica, chance, { pauseMs }) {
    await paused(replica, chance.between(200, pauseMs));
  },

  /** So long that it is far behind when it wakes. */
  async fallBehind(replica, _chance, { pauseMs }) {
    await paused(replica, pauseMs * 2);
  },

  async clockSkew(replica, chance) {
    replica.setClock(chance.between(-600_000, 600_000));
    await replica.server.kill9();
    await replica.server.restart();
    replica.setClock(0);
  },

  /** No file may grow beyond what it is. */
  async diskFull({ server }, chance) {
    const sizes = ['log', 'store'].map((part) => sizeOf(join(server.dataDir, part, 'data.mdb')));
    const limit = Math.max(...sizes) + chance.below(64) * 4_096;
    await limited(server.pid, String(limit));
    await sleep(chance.between(500, 3_000));
    // Whatever it made of that: the operator makes room and starts it anew.
    await server.kill9();
    await server.restart();
  },
} as const satisfies Record<string, Fault<Replica>>;

/** Faults that only the embedded log can have. */
const EMBEDDED_FAULTS = {
  /** What a power cut leaves behind the last page that was written whole. */
  async tornTail({ server }, chance) {
    await server.kill9();
    const torn = Buffer.from(
      Array.from({ length: chance.between(1, 6_000) }, () => chance.below(256)),
    );
    appendFileSync(join(server.dataDir, 'log', 'data.mdb'), torn);
    await server.restart();
  },
} as const satisfies Record<string, Fault<Replica>>;

interface Brokers {
  readonly kafka: KafkaCluster;
  readonly topic: string;
}

/** Faults of brokers that others stand in for, and of their log. */
const BROKER_FAULTS = {
  /** Some of the last records, or some of any time, come a second time. */
  async lateDuplicates({ kafka, topic }, chance) {
    const echo = { brokers: kafka.direct, topic };
    const end = await endOf(echo);
    const count = chance.between(1, Math.min(30, end));
    const back = chance.happens(0.5) ? Math.min(100, end) : end;
    await repeatRecords(echo, { from: end - chance.between(count, Math.max(count, back)), count });
  },

  async killLeader({ kafka, topic }, chance) {
    const leader = await kafka.leaderOf(topic);
    await kafka.kill9(leader);
    await sleep(chance.between(500, 8_000));
    await kafka.restart(leader);
  },

  async pauseLeader({ kafka, topic }, chance, { pauseMs }) {
    const leader = await kafka.leaderOf(topic);
    await kafka.pause(leader);
    await sleep(chance.between(1_000, Math.max(6_000, pauseMs)));
    await kafka.resume(leader);
  },

  async killAny({ kafka }, chance) {
    const node = chance.between(1, kafka.direct.length);
    await kafka.kill9(node);
    await sleep(chance.between(500, 5_000));
    await kafka.restart(node);
  },
} as const satisfies Record<string, Fault<Brokers>>;

/** Faults of the network between the replicas and one broker. */
const NETWORK_FAULTS = {
  async loseResponses(proxy, chance) {
    const how = chance.oneOf(['cut', 'swallow'] as const);
    proxy.lose({ count: chance.between(1, 4), what: 'response', how });
    await sleep(chance.between(500, 2_500));
  },

  async loseRequests(proxy, chance) {
    const how = chance.oneOf(['cut', 'swallow'] as const);
    proxy.lose({ count: chance.between(1, 4), what: 'request', how });
    await sleep(chance.between(500, 2_500));
  },

  async repeatProduce(proxy, chance) {
    proxy.repeat(chance.between(1, 20));
    await sleep(chance.between(200, 1_500));
  },

  async delay(proxy, chance) {
    // Up to more than what a replica waits for, so that it sends again what is there already.
    proxy.delayResponses(chance.happens(0.5) ? chance.between(20, 1_500) : 4_000);
    await sleep(chance.between(500, 7_000));
  },

  async cut(proxy, chance) {
    proxy.refuseNew(true);
    proxy.cutAll();
    await sleep(chance.between(100, 3_000));
  },

  async silence(proxy, chance) {
    proxy.blackhole(true);
    await sleep(chance.between(500, 6_000));
  },
} as const satisfies Record<string, Fault<KafkaProxy>>;

export const ALL_FAULTS: readonly string[] = [
  REPLICA_FAULTS,
  EMBEDDED_FAULTS,
  BROKER_FAULTS,
  NETWORK_FAULTS,
].flatMap((faults) => Object.keys(faults));

export class Faults {
  readonly injected = new Map<string, number>();
  readonly #parts: FaultParts;

  constructor(parts: FaultParts) {
    this.#parts = parts;
  }

  /** Until `stopped`, and then until the fault under way is healed. @param names all, when empty. */
  async run(stopped: AbortSignal, names: readonly string[]): Promise<void> {
    const { cluster } = this.#parts;
    const { kafka, topic } = cluster;
    const isWanted = ([name]: [string, unknown]): boolean =>
      names.length === 0 || names.includes(name);
    const wanted = <Target>(faults: Record<string, Fault<Target>>): [string, Fault<Target>][] =>
      Object.entries(faults).filter(isWanted);
    const ofReplicas = [
      ...wanted<Replica>(REPLICA_FAULTS),
      ...(kafka === undefined ? wanted<Replica>(EMBEDDED_FAULTS) : []),
    ];
    const loops = [
      this.#loop('replicas', ofReplicas, stopped, (chance) => chance.oneOf(cluster.replicas)),
    ];
    if (kafka !== undefined) {
      const hasOthers = kafka.direct.length > 1;
      const ofBrokers = wanted<Brokers>(BROKER_FAULTS).filter(
        ([name]) => hasOthers || name === 'lateDuplicates',
      );
      const ofNetwork = wanted<KafkaProxy>(NETWORK_FAULTS);
      const brokers = { kafka, topic };
      loops.push(
        this.#loop('brokers', ofBrokers, stopped, () => brokers),
        this.#loop('network', ofNetwork, stopped, (chance) => chance.oneOf(kafka.proxies)),
      );
    }
    await Promise.all(loops);
    for (const proxy of kafka?.proxies ?? []) proxy.heal();
  }

  async #loop<Target>(
    sort: string,
    faults: readonly (readonly [string, Fault<Target>])[],
    stopped: AbortSignal,
    targetOf: (chance: Chance) => Target,
  ): Promise<void> {
    const { seed, restMs, told } = this.#parts;
    for (let count = 0; faults.length > 0 && !stopped.aborted; count += 1) {
      const chance = new Chance(seed, 'faults', sort, count);
      // Now and then there is peace for a while, or nothing but faults would be tested.
      const factor = chance.happens(0.25) ? 4 : 1;
      await rest(factor * chance.between(restMs / 2, restMs * 1.5), stopped);
      if (isOver(stopped)) return;
      const [name, fault] = chance.oneOf(faults);
      told(name);
      this.injected.set(name, (this.injected.get(name) ?? 0) + 1);
      const target = targetOf(chance);
      const began = performance.now();
      await fault(target, chance, this.#parts);
      const seconds = (performance.now() - began) / 1_000;
      if (seconds > LONG_SECONDS) told(`${name} took ${seconds.toFixed(1)} s`);
      if (sort === 'network')
        for (const proxy of this.#parts.cluster.kafka?.proxies ?? []) proxy.heal();
      await rest(RECOVERY_MS, stopped);
    }
  }
}

function isOver(stopped: AbortSignal): boolean {
  return stopped.aborted;
}

async function rest(ms: number, stopped: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopped }).catch(nothing);
}

async function paused(replica: Replica, ms: number): Promise<void> {
  replica.signal('SIGSTOP');
  await sleep(ms);
  replica.signal('SIGCONT');
}

async function limited(pid: number, fileSize: string): Promise<void> {
  const { code, stderr } = await run('prlimit', [
    '--pid',
    String(pid),
    `--fsize=${fileSize}:unlimited`,
  ]);
  if (code !== 0) throw new Error(stderr);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function nothing(): void {
  // It ended as it was meant to.
}
