/**
 * A whole cluster on two servers of one topic behind a load balancer, whose servers are replaced one after another
 * while it works: what a watcher saw and what a writer was told.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ReplicaGroup } from '../kafka/replica-group.ts';
import { Balancer } from '../support/balancer.ts';
import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch, versionOf } from '../support/http-watch.ts';
import { at, listAt, parseJson } from '../support/json.ts';
import type { RunningServer } from '../support/server.ts';
import { HOME } from './cluster.ts';
import { workload } from './objects.ts';
import { type ClusterServer, startCluster, type WholeCluster } from './whole-cluster.ts';
import { RollingLooks } from './rolling-looks.ts';
import { lineOf, type Seen, Witness } from './witness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

/** How large it is. */
export interface RollingSize {
  readonly nodes: number;
  readonly podsOfOne: number;
  /** Each server is replaced so often. */
  readonly rounds: number;
  /** For all pods to run, and for all to be gone. */
  readonly timeoutMs: number;
}

/** What came of it. */
export interface RollingJudged {
  readonly pods: number;
  /** Of the writer, each with a client of client-go's defaults. */
  readonly writes: number;
  /** Those that failed, as client-go told them. */
  readonly failures: readonly string[];
  /** Those that were acknowledged and not there. */
  readonly lost: readonly string[];
  /** How often the witness went on at the other server. */
  readonly moves: number;
  /** What the witness saw. */
  readonly seen: readonly Seen[];
  /** What a watch of now tells of the same time. */
  readonly told: readonly Seen[];
  /** What the servers did meanwhile. */
  readonly looks: RollingLooks;
}

/** As writer-check prints it. */
type Written = Pick<RollingJudged, 'writes' | 'failures' | 'lost'>;

/** Two servers and what stands in front of them. */
interface Pair extends ClusterServer {
  readonly servers: readonly RunningServer[];
  readonly balancer: Balancer;
}

/** @returns when both are ready; `kubeconfig` leads to the balancer. */
async function startPair(brokers: readonly string[], args: readonly string[]): Promise<Pair> {
  const replicas = new ReplicaGroup(brokers);
  const options = { args: [...args, '--shutdown-delay-duration=1s'], controllers: '*' };
  const start = () => replicas.start('rolling', options);
  const [{ server: one }, { server: other }] = [await start(), await start()];
  const servers = [one, other];
  const balancer = await Balancer.start(servers.map(({ url }) => url));
  const kubeconfig = join(replicas.directory, 'front.kubeconfig');
  const text = readFileSync(one.kubeconfig, 'utf8');
  writeFileSync(kubeconfig, text.replaceAll(one.url, balancer.url));
  const stop = async (): Promise<void> => {
    await balancer.stop();
    await replicas.stop();
  };
  return { kubeconfig, dataDir: one.dataDir, servers, balancer, stop };
}

export class RollingCluster {
  readonly #size: RollingSize;
  readonly #writer: string;
  readonly #cluster: WholeCluster<Pair>;

  private constructor(cluster: WholeCluster<Pair>, size: RollingSize, writer: string) {
    this.#cluster = cluster;
    this.#size = size;
    this.#writer = writer;
  }

  /**
   * @param brokers of a Kafka.
   * @param writer the program writer-check.
   */
  static async start(
    brokers: readonly string[],
    writer: string,
    size: RollingSize,
  ): Promise<RollingCluster> {
    const start = (args: readonly string[]) => startPair(brokers, args);
    const cluster = await startCluster(start, { nodes: size.nodes, labels: HOME });
    return new RollingCluster(cluster, size, writer);
  }

  async stop(): Promise<void> {
    await this.#cluster.stop();
  }

  /** A Deployment is made, and a server replaced, again and again; at the end all Deployments are deleted. */
  async replaced(): Promise<RollingJudged> {
    const { podsOfOne, rounds, timeoutMs } = this.#size;
    const patience = { timeoutMs, everyMs: 100 };
    const { client, kubectl, server: pair } = this.#cluster;
    const env = { ...process.env, KUBECONFIG: pair.kubeconfig };
    const writing = startCommand(this.#writer, [], { env });
    const witness = await Witness.start(client, PODS);
    const looks = new RollingLooks(pair.servers, pair.balancer);
    let made = 0;
    for (let round = 0; round < rounds; round += 1)
      for (const server of pair.servers) {
        const name = `web-${String((made += 1))}`;
        const spec = { replicas: podsOfOne };
        await kubectl('create -f -', {
          input: JSON.stringify(workload('Deployment', name, { spec })),
        });
        looks.note(`${server.url} is told to stop`);
        await server.restart();
        looks.note(`${server.url} is ready again`);
      }
    const pods = made * podsOfOne;
    const allRun = async () => (await this.#readyPods()) === pods || undefined;
    await eventually(`${String(pods)} pods run`, allRun, patience);
    await kubectl('delete deployments --all');
    const noneIsLeft = async () =>
      listAt((await client.get(`${PODS}?limit=1`)).body, 'items').length === 0 || undefined;
    await eventually('no pod is left', noneIsLeft, patience);
    writing.kill();
    const written = parseJson((await writing.ended).stdout) as unknown as Written;
    await witness.stop();
    looks.stop();
    const { moves, seen } = witness;
    return { pods, ...written, moves, seen, told: await this.#toldAgain(witness), looks };
  }

  async #readyPods(): Promise<number> {
    const { body } = await this.#cluster.client.get(DEPLOYMENTS);
    const ready = (one: unknown): number =>
      Number(at(one as never, 'status', 'readyReplicas') ?? 0);
    return listAt(body, 'items').reduce<number>((sum, one) => sum + ready(one), 0);
  }

  async #toldAgain({ from, seen }: Witness): Promise<Seen[]> {
    const last = seen.at(-1) ?? '';
    const watch = await HttpWatch.open(this.#cluster.client, `${PODS}?resourceVersion=${from}`);
    await watch.until(last, (event) => last.endsWith(`@${versionOf(event)}`));
    watch.close();
    return watch.received.map(lineOf);
  }
}
