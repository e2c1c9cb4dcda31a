/**
 * Kafka nodes as containers of the image apache/kafka, in a network of their own.
 *
 * Ports are the same inside and outside, chosen before: Docker would give a container other ones
 * when it is started again, and clients could not find it.
 */
import { GenericContainer, getContainerRuntimeClient, Network, Wait } from 'testcontainers';
import type { StartedNetwork, StartedTestContainer } from 'testcontainers';

import { escaped, type KafkaNode, type NodePlan, nodeProperties, STARTED } from './kafka-node.ts';

const START_TIMEOUT_MS = 5 * 60_000;
/** Where nodes find one another, in their network. */
const INTERNAL_PORT = 9090;
/** Any sixteen bytes; all nodes that meet must have the same. */
const CLUSTER_ID = 'RXZlcndhdGNoIGlzIG9uZQ';

/** Where the ports of containers are found; undefined when no Docker engine answers. */
export async function dockerHost(): Promise<string | undefined> {
  try {
    const { info } = await getContainerRuntimeClient();
    const { host } = info.containerRuntime;
    return host === 'localhost' ? '127.0.0.1' : host;
  } catch {
    return undefined;
  }
}

/** The nodes, not started yet. @throws when the engine refuses. */
export async function kafkaContainers(plans: readonly NodePlan[]): Promise<KafkaNode[]> {
  const network = new NodeNetwork(await new Network().start(), plans.length);
  return plans.map((plan) => new KafkaContainer(plan, plans, network));
}

/** Goes with the last of its nodes. */
class NodeNetwork {
  readonly started: StartedNetwork;
  #nodes: number;

  constructor(started: StartedNetwork, nodes: number) {
    this.started = started;
    this.#nodes = nodes;
  }

  async leave(): Promise<void> {
    this.#nodes -= 1;
    if (this.#nodes === 0) await this.started.stop();
  }
}

class KafkaContainer implements KafkaNode {
  readonly #image: GenericContainer;
  readonly #network: NodeNetwork;
  #container: StartedTestContainer | undefined;
  #isPaused = false;
  #logs = '';

  constructor(plan: NodePlan, plans: readonly NodePlan[], network: NodeNetwork) {
    this.#network = network;
    const exposed = [plan.ports.client, plan.ports.direct];
    this.#image = new GenericContainer(`apache/kafka:${plan.version}`)
      .withNetwork(network.started)
      .withNetworkAliases(nameOf(plan))
      .withExposedPorts(...exposed.map((port) => ({ container: port, host: port })))
      .withEnvironment(environmentOf(plan, plans))
      .withLogConsumer((stream) => {
        stream.on('data', (text) => (this.#logs += String(text)));
      })
      .withWaitStrategy(Wait.forLogMessage(STARTED))
      .withStartupTimeout(START_TIMEOUT_MS);
  }

  async start(): Promise<void> {
    this.#container = await this.#image.start();
  }

  async restart(): Promise<void> {
    await this.resume();
    await this.#container?.restart();
  }

  async kill9(): Promise<void> {
    await this.resume();
    const container = await this.#engineContainer();
    await container?.kill({ signal: 'SIGKILL' });
    await container?.wait();
  }

  async pause(): Promise<void> {
    await (await this.#engineContainer())?.pause();
    this.#isPaused = true;
  }

  async resume(): Promise<void> {
    if (!this.#isPaused) return;
    await (await this.#engineContainer())?.unpause();
    this.#isPaused = false;
  }

  async remove(): Promise<void> {
    await this.resume();
    await this.#container?.stop({ timeout: 0 });
    await this.#network.leave();
  }

  logs(): string {
    return this.#logs;
  }

  /** The engine's own view of it: testcontainers has no words for kill and pause. */
  async #engineContainer() {
    if (this.#container === undefined) return undefined;
    return (await getContainerRuntimeClient()).container.getById(this.#container.getId());
  }
}

function nameOf({ id }: NodePlan): string {
  return `kafka-${String(id)}`;
}

/** The image reads KAFKA_NODE_ID as node.id, and so on. */
function environmentOf(plan: NodePlan, plans: readonly NodePlan[]): Record<string, string> {
  const variables = Object.entries(containerProperties(plan, plans)).map(
    ([name, value]): [string, string] => [variableOf(name), escaped(value)],
  );
  const heap = { KAFKA_HEAP_OPTS: '-Xms64m -Xmx512m', CLUSTER_ID };
  return { ...Object.fromEntries(variables), ...heap };
}

function variableOf(property: string): string {
  const name = property.replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_');
  return `KAFKA_${name.toUpperCase()}`;
}

/** As for a process, but nodes meet by name in their network, and listen on all its addresses. */
function containerProperties(plan: NodePlan, plans: readonly NodePlan[]): Record<string, string> {
  const { client, direct, controller } = plan.ports;
  const internal = String(INTERNAL_PORT);
  const voters = plans.map(
    (one) => `${String(one.id)}@${nameOf(one)}:${String(one.ports.controller)}`,
  );
  const listeners = { CLIENT: client, DIRECT: direct, INTERNAL: internal, CONTROLLER: controller };
  const bound = Object.entries(listeners).map(([name, port]) => `${name}://:${String(port)}`);
  return {
    ...nodeProperties(plan, plans),
    listeners: bound.join(),
    'advertised.listeners': [
      `CLIENT://${plan.advertised}`,
      `DIRECT://${plan.host}:${String(direct)}`,
      `INTERNAL://${nameOf(plan)}:${internal}`,
    ].join(),
    'listener.security.protocol.map': [
      `CLIENT:${plan.security}`,
      'DIRECT:PLAINTEXT',
      'INTERNAL:PLAINTEXT',
      'CONTROLLER:PLAINTEXT',
    ].join(),
    'inter.broker.listener.name': 'INTERNAL',
    'controller.quorum.voters': voters.join(),
  };
}
