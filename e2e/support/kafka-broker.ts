/**
 * A real Kafka cluster for tests: containers where a Docker engine answers, else processes whose
 * jars come from Maven Central. Each node is broker and controller.
 *
 * Nodes are counted from 1. The cluster has a second address for the test itself, `direct`,
 * which leads past the proxies.
 */
import { eventually } from './eventually.ts';
import { freePorts } from './free-port.ts';
import { kafkaDist } from './kafka-dist.ts';
import type { ClientSecurity, KafkaNode, KafkaVersion, NodePlan } from './kafka-node.ts';
import { kafkaProcesses } from './kafka-process.ts';
import { KafkaProxy } from './kafka-proxy.ts';
import { leaderAsSeenBy, makeTopic } from './kafka-topics.ts';

export type { KafkaVersion } from './kafka-node.ts';

export interface KafkaOptions {
  /** Default 1. Three have min.insync.replicas=2. */
  readonly brokers?: 1 | 3;
  readonly version?: KafkaVersion;
  /** Added to server.properties of every node. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Default PLAINTEXT. Certificates and mechanisms are given as `properties`. */
  readonly security?: ClientSecurity;
  /** Clients of `bootstrap` go through `proxies`, one in front of each node. */
  readonly behindProxy?: boolean;
}

export interface KafkaCluster {
  /** `host:port` of each node, as the clients under test are to be given it. */
  readonly bootstrap: readonly string[];
  /** The same nodes past the proxies. */
  readonly direct: readonly string[];
  /** In the order of the nodes; empty without `behindProxy`. */
  readonly proxies: readonly KafkaProxy[];
  /** SIGKILL, and wait until the node is gone. */
  kill9(node: number): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. */
  pause(node: number): Promise<void>;
  resume(node: number): Promise<void>;
  /** Starts the node again on its data and ports; what still runs is killed first. */
  restart(node: number): Promise<void>;
  /** One partition on every node, known to all of them; `config` as in kafka-topics --config. */
  createTopic(topic: string, config?: Readonly<Record<string, string>>): Promise<void>;
  /** The leader of the topic's partition 0, as a node that answers believes. */
  leaderOf(topic: string): Promise<number>;
  /** Resolves as soon as some node names another leader of partition 0 than this one. */
  successorOf(leader: number, topic: string): Promise<number>;
  /** All that the nodes have said. */
  logs(): string;
  /** Ends everything and removes all data. */
  stop(): Promise<void>;
}

/**
 * With these a dead broker is given up after three seconds instead of nine: for fault tests. A
 * session begins anew with each active controller, so where a node that led both dies, the
 * controllers' own election comes on top.
 */
export const QUICK_FAILOVER = {
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
  'controller.quorum.fetch.timeout.ms': '600',
  'controller.quorum.election.timeout.ms': '300',
  'controller.quorum.election.backoff.max.ms': '300',
} as const;

const DEFAULT_VERSION = '4.4.0';

/**
 * Whether a cluster can be started here; fetches what the default version takes.
 *
 * @throws where there is neither a Docker engine nor Java and Maven.
 */
export async function kafkaStarter(): Promise<typeof startKafka> {
  const docker = await (await containers()).dockerHost();
  if (docker === undefined) await kafkaDist(DEFAULT_VERSION);
  return startKafka;
}

/** Resolves when every node is ready. @throws with what the nodes said when one is not. */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaCluster> {
  const { dockerHost, kafkaContainers } = await containers();
  const docker = await dockerHost();
  // First what may be missing, so that nothing is left open when it is.
  if (docker === undefined) await kafkaDist(options.version ?? DEFAULT_VERSION);
  const { plans, proxies } = await planned(options, docker ?? '127.0.0.1');
  const making = docker === undefined ? kafkaProcesses(plans) : kafkaContainers(plans);
  const cluster = new Cluster(plans, await making, proxies);
  try {
    await cluster.start();
  } catch (cause) {
    await cluster.stop();
    throw cause;
  }
  return cluster;
}

interface Planned {
  readonly plans: readonly NodePlan[];
  readonly proxies: readonly KafkaProxy[];
}

async function planned(options: KafkaOptions, host: string): Promise<Planned> {
  const count = options.brokers ?? 1;
  const ports = await freePorts(3 * count);
  const proxies: KafkaProxy[] = [];
  const plans: NodePlan[] = [];
  for (let id = 1; id <= count; id += 1) {
    const [client = 0, direct = 0, controller = 0] = ports.slice(3 * (id - 1));
    const proxy = options.behindProxy === true ? await KafkaProxy.to(host, client) : undefined;
    if (proxy !== undefined) proxies.push(proxy);
    plans.push({
      id,
      host,
      version: options.version ?? DEFAULT_VERSION,
      ports: { client, direct, controller },
      advertised: proxy?.address ?? `${host}:${String(client)}`,
      security: options.security ?? 'PLAINTEXT',
      properties: options.properties ?? {},
    });
  }
  return { plans, proxies };
}

/** Loaded late: it takes a third of a second, and only tests with Kafka need it. */
function containers() {
  return import('./kafka-container.ts');
}

class Cluster implements KafkaCluster {
  readonly bootstrap: readonly string[];
  readonly direct: readonly string[];
  readonly proxies: readonly KafkaProxy[];
  readonly #nodes: readonly KafkaNode[];

  constructor(
    plans: readonly NodePlan[],
    nodes: readonly KafkaNode[],
    proxies: readonly KafkaProxy[],
  ) {
    this.bootstrap = plans.map(({ advertised }) => advertised);
    this.direct = plans.map(({ host, ports }) => `${host}:${String(ports.direct)}`);
    this.proxies = proxies;
    this.#nodes = nodes;
  }

  async start(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.start()));
  }

  kill9(node: number): Promise<void> {
    return this.#node(node).kill9();
  }

  pause(node: number): Promise<void> {
    return this.#node(node).pause();
  }

  resume(node: number): Promise<void> {
    return this.#node(node).resume();
  }

  restart(node: number): Promise<void> {
    return this.#node(node).restart();
  }

  async createTopic(topic: string, config: Readonly<Record<string, string>> = {}): Promise<void> {
    await makeTopic(this.direct, topic, config);
    for (const address of this.direct) {
      await eventually(`${topic} known to ${address}`, async () => {
        return (await leaderAsSeenBy(address, topic)) > 0 || undefined;
      });
    }
  }

  async leaderOf(topic: string): Promise<number> {
    let asked = 0;
    return eventually(`a leader of ${topic}`, async () => {
      // One address at a time: kafkajs would begin with the first, which may be the silent one.
      const address = this.direct[asked % this.direct.length] ?? '';
      asked += 1;
      const leader = await leaderAsSeenBy(address, topic);
      return leader > 0 ? leader : undefined;
    });
  }

  async successorOf(leader: number, topic: string): Promise<number> {
    const others = this.direct.filter((_, index) => index + 1 !== leader);
    return Promise.any(
      others.map((address) =>
        eventually(`a successor of node ${String(leader)}`, async () => {
          const named = await leaderAsSeenBy(address, topic);
          return named > 0 && named !== leader ? named : undefined;
        }),
      ),
    );
  }

  logs(): string {
    return this.#nodes.map((node, index) => `node ${String(index + 1)}:\n${node.logs()}`).join('');
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.remove()));
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }

  #node(node: number): KafkaNode {
    const found = this.#nodes[node - 1];
    if (found === undefined) throw new Error(`There is no node ${String(node)}.`);
    return found;
  }
}
