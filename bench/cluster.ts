/**
 * `npx tsx bench/cluster.ts [PODS] [NODES] [ROUNDS]`: the life of a whole cluster on the built server
 * and on kube-apiserver with its etcd, by turns: the real kube-controller-manager and kube-scheduler and
 * KWOK's nodes create, bind and run the pods of Deployments, and remove all of them again. Needs Go.
 *
 * Both write to the disk before they answer. A bystander updates one ConfigMap again and again and
 * watches it: its lag is from the moment at which a write is sent until its watch event is here, and is
 * shown beside the time until the write is answered, and that by which the event comes behind the answer.
 * A timer of this program and one of the server tell how long they were kept from working, by their own
 * work or by others on the machine. What a process has used is told by Linux only.
 *
 * Prints what goes on to stderr, and at the end one table of all rounds; code 1 where a side failed.
 */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';

import { numbersAmong, runArguments } from '../run-arguments.ts';
import {
  type ClusterServer,
  startCluster,
  type StartClusterServer,
  startOurCluster,
  startTheirCluster,
} from '../e2e/cluster/whole-cluster.ts';
import type { AdminClient } from '../e2e/support/admin-client.ts';
import { at, type JsonObject } from '../e2e/support/json.ts';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const [PODS = 5_000, NODES = 100, ROUNDS = 1] = numbersAmong(positionals).numbers;
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

const NS_PER_MS = 1e6;

/** What was measured, a column for each life. */
const COLUMNS: (readonly string[])[] = [];

type Start = StartClusterServer<ClusterServer & { readonly pid: number }>;

const SIDES: Readonly<Record<string, Start>> = {
  everwatch: startOurCluster,
  'kube-apiserver + etcd': startTheirCluster,
};

async function measure(name: string, start: Start): Promise<void> {
  const flags = { controllers: [...UNTHROTTLED, ...MANY_WORKERS], scheduler: UNTHROTTLED };
  const cluster = await startCluster(start, { nodes: NODES, flags });
  try {
    await created(cluster.client, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await live(name, cluster.client, { server: cluster.server.pid, ...cluster.pids });
  } finally {
    await cluster.stop();
  }
}

/** One life, from the first Deployment until no pod is left. */
async function live(
  name: string,
  client: AdminClient,
  pids: Readonly<Record<string, number>>,
): Promise<void> {
  const before = usages(pids);
  await serverDelay(client);
  const bystander = await Bystander.start(client);
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
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
  loop.disable();
  const perSecond = (ms: number): string => (PODS / (ms / 1_000)).toFixed(0);
  const told = [`${perSecond(ran - from)} / ${perSecond(gone - ran)}`, ...lags];
  const kept = (loop.percentile(99) / NS_PER_MS).toFixed(0);
  told.push(`${kept} / ${await serverDelay(client)}`);
  for (const [program, { cpuSeconds, peakMib }] of Object.entries(usages(pids))) {
    const used = cpuSeconds - (before[program]?.cpuSeconds ?? 0);
    told.push(`${used.toFixed(1)} s, ${peakMib.toFixed(0)} MiB`);
  }
  COLUMNS.push([name, ...told]);
  process.stderr.write(`${name}: ${told.join('; ')}\n`);
}

/** How long the timer of a server of Node was late since it was asked before; '-' of others. */
async function serverDelay(client: AdminClient): Promise<string> {
  const { body } = await client.get('/metrics');
  const text = typeof body === 'string' ? body : '';
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text) ?? [];
  return seconds === undefined ? '-' : (Number(seconds) * 1_000).toFixed(0);
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

/** Of all writes, in milliseconds: p50, p99 and the most. */
function shares(lags: readonly number[]): string {
  const sorted = [...lags].sort((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(0);
  return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
}

class Bystander {
  readonly #client: AdminClient;
  readonly #watch: IncomingMessage;
  /** When each write was sent, by its number. */
  readonly #sent: number[] = [];
  /** When each was answered, and when its event came. */
  readonly #answered: number[] = [];
  readonly #came: number[] = [];
  #isOver = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(client: AdminClient, watch: IncomingMessage) {
    this.#client = client;
    this.#watch = watch;
    watch.setEncoding('utf8').on('data', (text: string) => {
      for (const [, nth] of text.matchAll(/"nth":"(\d+)"/g))
        this.#came[Number(nth)] = performance.now();
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

  /**
   * Lags of events, times of answers, and how far events came behind answers.
   *
   * @throws Error when events are missing: the watch has ended too early.
   */
  async stop(): Promise<readonly string[]> {
    this.#isOver = true;
    await this.#writing;
    await pause(1_000);
    this.#watch.destroy();
    const [sent, answered, came] = [this.#sent, this.#answered, this.#came];
    const events = Object.keys(came).length;
    if (events !== sent.length)
      throw new Error(`${String(sent.length)} writes, ${String(events)} events`);
    return [
      shares(came.map((at, nth) => at - (sent[nth] ?? 0))),
      shares(answered.map((at, nth) => at - (sent[nth] ?? 0))),
      shares(came.map((at, nth) => Math.max(at - (answered[nth] ?? 0), 0))),
    ];
  }

  async #write(): Promise<void> {
    for (let nth = 0; !this.#isOver; nth += 1) {
      this.#sent.push(performance.now());
      const { status } = await this.#client.patch(`${MAPS}/${NAME}`, {
        data: { nth: String(nth) },
      });
      this.#answered.push(performance.now());
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

const ROWS = [
  `${String(PODS)} pods on ${String(NODES)} nodes`,
  'pods/s until they ran / until they were gone',
  'a write until its watch event, ms: p50 / p99 / most',
  'a write until its answer, ms',
  'the event behind the answer, ms',
  'timers late by, p99 ms: this program / the server',
  'server',
  'controllers',
  'scheduler',
  'kwok',
];

function table(): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = ROWS.map((row, nth) => line([row, ...COLUMNS.map((column) => column[nth] ?? '-')]));
  const rule = line(['---', ...COLUMNS.map(() => '---')]);
  return [rows[0], rule, ...rows.slice(1)].join('\n');
}

// Behind all of the above, which it uses. A side that fails does not take the other's figures along.
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, start] of Object.entries(SIDES)) {
    await measure(name, start).catch((error: unknown) => {
      process.exitCode = 1;
      process.stderr.write(`a side failed: ${String(error)}\n`);
    });
  }
}
console.log(table());
