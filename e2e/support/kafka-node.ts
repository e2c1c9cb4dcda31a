/**
 * One Kafka node, broker and controller at once, whatever it runs in, and how it is configured.
 */
export type KafkaVersion = '4.4.0' | '3.9.2';

export interface KafkaNode {
  /** Resolves when the broker takes requests. @throws with its log when it does not. */
  start(): Promise<void>;
  /** Starts again on the same data and ports; what still runs is killed first. */
  restart(): Promise<void>;
  /** SIGKILL, and wait until it is gone. */
  kill9(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it whatever its state, and removes its data. */
  remove(): Promise<void>;
  /** All that it has said. */
  logs(): string;
}

/** How clients of `bootstrap` speak with the brokers. */
export type ClientSecurity = 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';

export interface NodePlan {
  readonly id: number;
  readonly version: KafkaVersion;
  /** Where this machine finds it. */
  readonly host: string;
  readonly ports: {
    /** For the clients under test, perhaps behind a proxy. */
    readonly client: number;
    /** For programs that must reach the node whatever a proxy does: other nodes, and the test. */
    readonly direct: number;
    readonly controller: number;
  };
  /** What the node tells clients as its address, `host:port`. */
  readonly advertised: string;
  readonly security: ClientSecurity;
  /** Settings that win over ours. */
  readonly properties: Readonly<Record<string, string>>;
}

/** What a broker logs when it is ready. */
export const STARTED = 'Kafka Server started';

/** The settings of one node of a cluster, in the words of server.properties, but for log.dirs. */
export function nodeProperties(plan: NodePlan, nodes: readonly NodePlan[]): Record<string, string> {
  const { client, direct, controller } = plan.ports;
  const here = `://${plan.host}:`;
  const voters = nodes.map(
    ({ id, host, ports }) => `${String(id)}@${host}:${String(ports.controller)}`,
  );
  return {
    'process.roles': 'broker,controller',
    'node.id': String(plan.id),
    listeners: [
      `CLIENT${here}${String(client)}`,
      `DIRECT${here}${String(direct)}`,
      `CONTROLLER${here}${String(controller)}`,
    ].join(),
    'advertised.listeners': `CLIENT://${plan.advertised},DIRECT${here}${String(direct)}`,
    'listener.security.protocol.map': `CLIENT:${plan.security},DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    'inter.broker.listener.name': 'DIRECT',
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': voters.join(),
    ...replication(nodes.length),
    'auto.create.topics.enable': 'false',
    'unclean.leader.election.enable': 'false',
    'group.initial.rebalance.delay.ms': '0',
    'message.max.bytes': '4194304',
    'replica.fetch.max.bytes': '4194304',
    'log.cleaner.dedupe.buffer.size': '8388608',
    ...plan.properties,
  };
}

/** As much of everything as the nodes allow, and one partition of what Kafka keeps for itself. */
function replication(nodes: number): Record<string, string> {
  const factor = String(nodes);
  const inSync = String(nodes > 1 ? 2 : 1);
  return {
    'num.partitions': '1',
    'default.replication.factor': factor,
    'min.insync.replicas': inSync,
    'offsets.topic.num.partitions': '1',
    'offsets.topic.replication.factor': factor,
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.replication.factor': factor,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': factor,
    'share.coordinator.state.topic.min.isr': inSync,
  };
}

/** The text of a properties file. */
export function propertiesText(properties: Readonly<Record<string, string>>): string {
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${escaped(value)}\n`);
  return lines.join('');
}

/** A value as a properties file wants it: certificates have several lines. */
export function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
