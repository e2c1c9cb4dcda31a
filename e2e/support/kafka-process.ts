/**
 * A Kafka node as a process on this machine, with its data in a temporary directory.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type RunningCommand, startCommand } from './command.ts';
import { eventually } from './eventually.ts';
import { kafkaDist, type KafkaDist } from './kafka-dist.ts';
import {
  type KafkaNode,
  type NodePlan,
  nodeProperties,
  propertiesText,
  STARTED,
} from './kafka-node.ts';

/** A start takes two seconds; after kill -9 it waits until the node's old registration expires. */
const START_TIMEOUT_MS = 120_000;

/** The nodes, not started yet. @throws where Kafka cannot be had. */
export function kafkaProcesses(plans: readonly NodePlan[]): Promise<KafkaNode[]> {
  const processOf = async (plan: NodePlan): Promise<KafkaNode> =>
    new KafkaProcess(plan, plans, await kafkaDist(plan.version));
  return Promise.all(plans.map(processOf));
}

class KafkaProcess implements KafkaNode {
  readonly #folder = mkdtempSync(join(tmpdir(), 'everwatch-kafka-'));
  readonly #config = join(this.#folder, 'server.properties');
  readonly #dist: KafkaDist;
  #process: RunningCommand | undefined;
  #pastLogs = '';

  constructor(plan: NodePlan, plans: readonly NodePlan[], dist: KafkaDist) {
    this.#dist = dist;
    const data = join(this.#folder, 'data');
    dist.format(data, plan.id);
    const properties = { 'log.dirs': data, ...nodeProperties(plan, plans) };
    writeFileSync(this.#config, propertiesText(properties));
  }

  async start(): Promise<void> {
    const args = [...this.#dist.javaArgs, 'kafka.Kafka', this.#config];
    const broker = startCommand('java', args, { cwd: this.#folder });
    this.#process = broker;
    let hasEnded = false;
    void broker.ended.then(() => (hasEnded = true));
    const state = (): 'ready' | 'ended' | undefined => {
      if (broker.stdout().includes(STARTED)) return 'ready';
      return hasEnded ? 'ended' : undefined;
    };
    const wanted = () => `a Kafka broker that is ready; it said\n${this.logs()}`;
    const seen = await eventually(wanted, state, { timeoutMs: START_TIMEOUT_MS });
    if (seen === 'ended') throw new Error(`A Kafka broker ended at its start.\n${this.logs()}`);
  }

  async restart(): Promise<void> {
    await this.kill9();
    await this.start();
  }

  async kill9(): Promise<void> {
    const broker = this.#process;
    if (broker === undefined) return;
    broker.kill('SIGKILL');
    const { stdout, stderr } = await broker.ended;
    this.#pastLogs += `${stdout}${stderr}--- killed\n`;
    this.#process = undefined;
  }

  pause(): Promise<void> {
    return this.#signal('SIGSTOP');
  }

  resume(): Promise<void> {
    return this.#signal('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill9();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  logs(): string {
    return this.#pastLogs + (this.#process ? this.#process.stdout() + this.#process.stderr() : '');
  }

  #signal(signal: NodeJS.Signals): Promise<void> {
    this.#process?.kill(signal);
    return Promise.resolve();
  }
}
