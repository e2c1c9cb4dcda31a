/**
 * A whole cluster on two servers of one topic behind a load balancer, whose servers are replaced one after another
 * while it works: what a watcher saw and what a writer was told.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeComponentFiles } from '../control-plane/component.ts';
import { ReplicaGroup } from '../kafka/replica-group.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { Balancer } from '../support/balancer.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch, versionOf } from '../support/http-watch.ts';
import { at, listAt, parseJson } from '../support/json.ts';
import { type Kubectl, kubectlAt } from '../support/kubectl.ts';
import type { RunningServer } from '../support/server.ts';
import { HOME } from './cluster.ts';
import { type ClusterPrograms, flagsForComponents, startComponents } from './components.ts';
import { nodeObject } from './kwok.ts';
import { workload } from './objects.ts';
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
}

/** As writer-check prints it. */
type Written = Pick<RollingJudged, 'writes' | 'failures' | 'lost'>;

export class RollingCluster {
  readonly #size: RollingSize;
  readonly #writer: string;
  readonly #replicas: ReplicaGroup;
  readonly #servers: readonly RunningServer[];
  readonly #balancer: Balancer;
  readonly #front: Pick<RunningServer, 'kubeconfig' | 'dataDir'>;
  readonly #client: AdminClient;
  readonly #kubectl: Kubectl;
  #running: readonly RunningCommand[] = [];

  private constructor(parts: {
    size: RollingSize;
    writer: string;
    kubectl: string;
    replicas: ReplicaGroup;
    servers: readonly RunningServer[];
    balancer: Balancer;
  }) {
    this.#size = parts.size;
    this.#writer = parts.writer;
    this.#replicas = parts.replicas;
    this.#servers = parts.servers;
    this.#balancer = parts.balancer;
    const [one] = parts.servers;
    if (one === undefined) throw new Error('there are two servers');
    const kubeconfig = join(parts.replicas.directory, 'front.kubeconfig');
    const text = readFileSync(one.kubeconfig, 'utf8');
    writeFileSync(kubeconfig, text.replaceAll(one.url, parts.balancer.url));
    this.#front = { kubeconfig, dataDir: one.dataDir };
    this.#client = adminClient(this.#front);
    this.#kubectl = kubectlAt(parts.replicas.directory, parts.kubectl, () => this.#front);
  }

  /** @param brokers of a Kafka. */
  static async start(
    brokers: readonly string[],
    programs: ClusterPrograms & { readonly writer: string },
    size: RollingSize,
  ): Promise<RollingCluster> {
    const replicas = new ReplicaGroup(brokers);
    const files = writeComponentFiles(replicas.directory);
    const args = [...flagsForComponents(files), '--shutdown-delay-duration=1s'];
    const start = () => replicas.start('rolling', { args, controllers: '*' });
    const servers = [(await start()).server, (await start()).server];
    const balancer = await Balancer.start(servers.map(({ url }) => url));
    const { writer, kubectl } = programs;
    const made = new RollingCluster({ size, writer, kubectl, replicas, servers, balancer });
    made.#running = await startComponents(programs, files, made.#kubectl, made.#front);
    for (let nth = 0; nth < size.nodes; nth += 1) {
      await made.#client.post('/api/v1/nodes', nodeObject(`node-${String(nth)}`, { labels: HOME }));
    }
    return made;
  }

  async stop(): Promise<void> {
    for (const one of this.#running) one.kill();
    await Promise.all(this.#running.map(({ ended }) => ended));
    this.#client.close();
    await this.#balancer.stop();
    await this.#replicas.stop();
  }

  /** A Deployment is made, and a server replaced, again and again; at the end all Deployments are deleted. */
  async replaced(): Promise<RollingJudged> {
    const { podsOfOne, rounds, timeoutMs } = this.#size;
    const patience = { timeoutMs, everyMs: 100 };
    const env = { ...process.env, KUBECONFIG: this.#front.kubeconfig };
    const writing = startCommand(this.#writer, [], { env });
    const witness = await Witness.start(this.#client, PODS);
    let made = 0;
    for (let round = 0; round < rounds; round += 1)
      for (const server of this.#servers) {
        const name = `web-${String((made += 1))}`;
        const spec = { replicas: podsOfOne };
        await this.#kubectl('create -f -', {
          input: JSON.stringify(workload('Deployment', name, { spec })),
        });
        await server.restart();
      }
    const pods = made * podsOfOne;
    const allRun = async () => (await this.#readyPods()) === pods || undefined;
    await eventually(`${String(pods)} pods run`, allRun, patience);
    await this.#kubectl('delete deployments --all');
    const noneIsLeft = async () =>
      listAt((await this.#client.get(`${PODS}?limit=1`)).body, 'items').length === 0 || undefined;
    await eventually('no pod is left', noneIsLeft, patience);
    writing.kill();
    const written = parseJson((await writing.ended).stdout) as unknown as Written;
    await witness.stop();
    const { moves, seen } = witness;
    return { pods, ...written, moves, seen, told: await this.#toldAgain(witness) };
  }

  async #readyPods(): Promise<number> {
    const { body } = await this.#client.get(DEPLOYMENTS);
    const ready = (one: unknown): number =>
      Number(at(one as never, 'status', 'readyReplicas') ?? 0);
    return listAt(body, 'items').reduce<number>((sum, one) => sum + ready(one), 0);
  }

  async #toldAgain({ from, seen }: Witness): Promise<Seen[]> {
    const last = seen.at(-1) ?? '';
    const watch = await HttpWatch.open(this.#client, `${PODS}?resourceVersion=${from}`);
    await watch.until(last, (event) => last.endsWith(`@${versionOf(event)}`));
    watch.close();
    return watch.received.map(lineOf);
  }
}
