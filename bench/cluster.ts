/**
 * `npx tsx bench/cluster.ts [PODS] [NODES] [ROUNDS]`: the life of a whole cluster on the built server
 * and on kube-apiserver with its etcd, by turns: the real kube-controller-manager and kube-scheduler and
 * KWOK's nodes create, bind and run the pods of Deployments, and remove all of them again. Needs Go.
 *
 * Both write to the disk before they answer. A bystander updates one ConfigMap again and again and
 * watches it: its lag is from the moment at which a write is sent until its watch event is here. What a
 * process has used is told by Linux only.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';

import { flagsForComponents, startComponents } from '../e2e/cluster/components.ts';
import { nodeObject } from '../e2e/cluster/kwok.ts';
import { startPeer } from '../e2e/cluster/peer.ts';
import { writeComponentFiles } from '../e2e/control-plane/component.ts';
import { adminClient, type AdminClient } from '../e2e/support/admin-client.ts';
import { goProgram } from '../e2e/support/go-program.ts';
import { at, type JsonObject } from '../e2e/support/json.ts';
import { kubectlAt } from '../e2e/support/kubectl.ts';
import { startServer } from '../e2e/support/server.ts';

const [PODS, NODES, ROUNDS] = [5_000, 100, 1].map((usual, nth) =>
  Number(process.argv[nth + 2] ?? usual),
) as [number, number, number];
const PODS_OF_ONE = 100;
const NAMESPACE = 'life';
const POLL_MS = 250;
/** So that no client holds itself back: the servers are measured. */
const UNTHROTTLED = ['--kube-api-qps=2000', '--kube-api-burst=4000'];
const MANY_WORKERS = ['deployment', 'replicaset'].map((of) => `--concurrent-${of}-syncs=20`);
/** Linux counts a process's time in these. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1_024;
/** The bystander of the life: a map that is written this often. */
const EVERY_MS = 50;
const NAME = 'bystander';
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Side {
  readonly name: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

type Starting = (args: readonly string[]) => Promise<Side>;

const SIDES: readonly Starting[] = [
  async (args) => {
    const server = await startServer({ args, controllers: '*' });
    const { kubeconfig, dataDir, pid } = server;
    return { name: 'everwatch', kubeconfig, dataDir, pid, stop: () => server.stop() };
  },
  async (args) => ({
    name: 'kube-apiserver + etcd',
    ...(await startPeer(args, { ETCD_FSYNC: '1' })),
  }),
];

async function measure(start: Starting): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-life-'));
  const files = writeComponentFiles(folder);
  const side = await start(flagsForComponents(files));
  const client = adminClient(side);
  const kubectl = kubectlAt(folder, await goProgram('kubectl'), () => side);
  const programs = {
    kubectl: await goProgram('kubectl'),
    controllers: await goProgram('kube-controller-manager'),
    scheduler: await goProgram('kube-scheduler'),
    kwok: await goProgram('kwok'),
  };
  const running = await startComponents(programs, files, kubectl, side, {
    controllers: [...UNTHROTTLED, ...MANY_WORKERS],
    scheduler: UNTHROTTLED,
  });
  try {
    const [controllers, scheduler, kwok] = running.map(({ pid }) => pid);
    const pids = { server: side.pid, controllers, scheduler, kwok } as Record<string, number>;
    await readyNodes(client);
    await live(side.name, client, pids);
  } finally {
    client.close();
    for (const one of running) one.kill();
    await Promise.all(running.map(({ ended }) => ended));
    await side.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readyNodes(client: AdminClient): Promise<void> {
  for (let nth = 0; nth < NODES; nth += 1)
    await created(client, '/api/v1/nodes', nodeObject(`node-${String(nth)}`));
  await until('all nodes are ready', async () => {
    const { body } = await client.get('/api/v1/nodes');
    const nodes = at(body, 'items') as JsonObject[];
    return (
      nodes.filter((node) => JSON.stringify(at(node, 'spec', 'taints') ?? '') === '""').length ===
      NODES
    );
  });
  await created(client, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
}

/** One life, printed phase by phase. */
async function live(
  name: string,
  client: AdminClient,
  pids: Readonly<Record<string, number>>,
): Promise<void> {
  const before = usages(pids);
  const bystander = await Bystander.start(client);
  const from = Date.now();
  const deployments = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
  const names = Array.from({ length: PODS / PODS_OF_ONE }, (_, nth) => `web-${String(nth)}`);
  for (const one of names) await created(client, deployments, deployment(one));
  await until('all pods run', async () => (await ready(client, deployments)) === PODS);
  const ran = Date.now();
  await client.send('DELETE', `${deployments}?propagationPolicy=Background`);
  await until('no pod is left', async () => (await countOf(client)) === 0);
  const gone = Date.now();
  const lags = await bystander.stop();
  const perSecond = (ms: number): string => (PODS / (ms / 1_000)).toFixed(0);
  console.log(
    `${name}: ${perSecond(ran - from)} pods/s until they ran, ${perSecond(gone - ran)}/s until they were gone; ` +
      `write to watch event of a bystander, ms: p50 ${lags(0.5)}, p99 ${lags(0.99)}, most ${lags(1)}`,
  );
  const after = usages(pids);
  for (const [program, { cpuSeconds, peakMib }] of Object.entries(after)) {
    const used = cpuSeconds - (before[program]?.cpuSeconds ?? 0);
    console.log(`  ${program}: ${used.toFixed(1)} s of CPU, ${peakMib.toFixed(0)} MiB at most`);
  }
}

function usages(pids: Readonly<Record<string, number>>): Record<string, Usage> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, usageOf(pid)]));
}

async function ready(client: AdminClient, deployments: string): Promise<number> {
  const { body } = await client.get(deployments);
  const all = at(body, 'items') as JsonObject[];
  return all.reduce((sum, one) => sum + Number(at(one, 'status', 'readyReplicas') ?? 0), 0);
}

async function countOf(client: AdminClient): Promise<number> {
  const { body } = await client.get(`/api/v1/namespaces/${NAMESPACE}/pods?limit=1`);
  const shown = (at(body, 'items') as JsonObject[]).length;
  return shown + Number(at(body, 'metadata', 'remainingItemCount') ?? 0);
}

async function created(client: AdminClient, path: string, object: JsonObject): Promise<void> {
  const { status, body } = await client.post(path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(body)}`);
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20 * 60_000;
  while (!(await is())) {
    if (Date.now() > deadline) throw new Error(`Not after 20 minutes: ${what}`);
    await pause(POLL_MS);
  }
}

function deployment(name: string): JsonObject {
  const labels = { app: name };
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  return {
    metadata: { name },
    spec: {
      replicas: PODS_OF_ONE,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'example.test/app', resources }] },
      },
    },
  };
}

/** The lag at this share of all, from 0 to 1, in milliseconds. */
type Lags = (share: number) => string;

class Bystander {
  readonly #client: AdminClient;
  readonly #watch: IncomingMessage;
  /** When each write was sent, by its number. */
  readonly #sent: number[] = [];
  readonly #lags: number[] = [];
  #isOver = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(client: AdminClient, watch: IncomingMessage) {
    this.#client = client;
    this.#watch = watch;
    watch.setEncoding('utf8').on('data', (text: string) => {
      for (const [, nth] of text.matchAll(/"nth":"(\d+)"/g))
        this.#lags.push(performance.now() - (this.#sent[Number(nth)] ?? 0));
    });
  }

  static async start(client: AdminClient): Promise<Bystander> {
    const { body } = await client.post(MAPS, { metadata: { name: NAME } });
    const { metadata } = body as { metadata: { resourceVersion: string } };
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}`;
    const watch = await client.open(`${MAPS}?fieldSelector=metadata.name%3D${NAME}&${query}`);
    const one = new Bystander(client, watch);
    one.#writing = one.#write();
    return one;
  }

  /** @throws Error when events are missing: the watch has ended too early. */
  async stop(): Promise<Lags> {
    this.#isOver = true;
    await this.#writing;
    await pause(1_000);
    this.#watch.destroy();
    if (this.#lags.length !== this.#sent.length)
      throw new Error(`${String(this.#sent.length)} writes, ${String(this.#lags.length)} events`);
    const sorted = this.#lags.sort((one, other) => one - other);
    return (share) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  }

  async #write(): Promise<void> {
    for (let nth = 0; !this.#isOver; nth += 1) {
      this.#sent.push(performance.now());
      const { status } = await this.#client.patch(`${MAPS}/${NAME}`, {
        data: { nth: String(nth) },
      });
      if (status !== 200) throw new Error(`the bystander's write: ${String(status)}`);
      await pause(EVERY_MS);
    }
  }
}

interface Usage {
  /** Of all its threads, since it began. */
  readonly cpuSeconds: number;
  /** The most that it has held in memory, with what it maps from files. */
  readonly peakMib: number;
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const peakKib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, peakMib: peakKib / KIB_PER_MIB };
}

// Behind all of the above, which it uses.
for (let round = 0; round < ROUNDS; round += 1) for (const start of SIDES) await measure(start);
