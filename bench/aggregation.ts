/**
 * `npx tsx bench/aggregation.ts [REQUESTS] [TURNS]`: what a GET that is passed on to an aggregated server costs this
 * one, beside a GET of the same object that it answers itself. Both are asked by turns, so that a change of
 * the machine meets both; printed is the processor time of the server for one request. With `--beside` the same of
 * kube-apiserver, with its etcd in the same process, by the same turns.
 *
 * The aggregated servers run in a process of their own, and the clients in this one: only the server in between is
 * measured.
 * In the end each of a thousand requests has reached the aggregated server before the first is
 * answered, so that none can have waited for another.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import { loadavg } from 'node:os';
import { startOurs, startTheirs, type StartSide } from '../e2e/cluster/beside.ts';
import { adminClient, type AdminClient } from '../e2e/support/admin-client.ts';
import { readKubeconfig } from '../e2e/support/kubeconfig.ts';
import { runArguments } from '../run-arguments.ts';
import { aggregationTrust, registered, untilReason } from '../e2e/aggregation/given-aggregation.ts';
import { AggregatedServers } from './aggregated-servers.ts';
import { cpuMicrosecondsOf } from './bench-server.ts';

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: { beside: { type: 'boolean', default: false } },
});
const REQUESTS = Number(positionals[0] ?? 2_000);
const WARM_UP = 4_000;
const TURNS = Number(positionals[1] ?? 6);
const IN_FLIGHT = 16;
const CLIENTS = 1_000;
const SERVERS = 20;
const HANGING_TURNS = 6;
const ASKED = 100;
/** Of each connection of the clients. */
const STREAMS = 50;
const NAMESPACE = '/api/v1/namespaces/default/configmaps';
const PASSED = '/apis/bench.example.com/v1/namespaces/default/things';
const WIDTH = 50;

const trust = await aggregationTrust();
const value = 'x'.repeat(1_024);
const aggregated = new AggregatedServers();
/** What the aggregated servers answer. */
let text = '';
/** Ports of the one that all requests lead to, and of the one that hangs. */
const [backend, hangs] = [await portOf('bench'), await portOf('bench-1')];
const sides = [await side('Everwatch', startOurs)];
if (values.beside) sides.push(await side('kube-apiserver', startTheirs));
const { server, client } = sides[0] as Side;
try {
  await oneByTurns();
  await manyAtOnce();
  await whileOneHangs();
} finally {
  for (const one of sides) one.client.close();
  for (const one of sides) await one.server.stop();
  aggregated.stop();
  trust.remove();
}

/** A server that passes requests on. */
interface Side {
  readonly name: string;
  readonly server: Awaited<ReturnType<StartSide>>;
  readonly client: AdminClient;
  /** Microseconds of a request, turn by turn. */
  readonly costs: { readonly direct: number[]; readonly passed: number[] };
}

async function side(name: string, start: StartSide): Promise<Side> {
  const started = await start(trust.serverFlags);
  const of = adminClient(started);
  const { body: made } = await of.post(NAMESPACE, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { value } },
  });
  if (text === '') {
    text = JSON.stringify(made);
    await aggregated.tell({ does: 'answer', text });
  }
  const to = { service: 'bench', port: backend, caBundle: trust.caBundle };
  await registered(of, 'bench.example.com', 'v1', to);
  await untilReason(of, 'v1.bench.example.com', 'Passed');
  return { name, server: started, client: of, costs: { direct: [], passed: [] } };
}

async function oneByTurns(): Promise<void> {
  // With the version kube-apiserver answers from its cache as well, and does not ask etcd.
  const paths = { direct: `${NAMESPACE}/one?resourceVersion=0`, passed: `${PASSED}/one` };
  for (const one of sides) {
    for (const path of Object.values(paths)) await ask(one.client, path, WARM_UP);
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const one of sides) {
      for (const way of ['direct', 'passed'] as const) {
        const cost = await costOf(one.server, () => ask(one.client, paths[way], REQUESTS));
        one.costs[way].push(cost / REQUESTS);
      }
    }
  }
  for (const { name, costs } of sides) {
    const [direct, passed] = [median(costs.direct), median(costs.passed)];
    row(`${name}: a GET that is answered there`, direct, costs.direct);
    row(`${name}: a GET that is passed on`, passed, costs.passed);
    row(
      `${name}: more`,
      passed - direct,
      costs.passed.map((one, at) => one - (costs.direct[at] ?? 0)),
    );
  }
  if (values.beside) ratios();
}

/** How many times what it costs here it costs there. */
function ratios(): void {
  const [ours, theirs] = sides.map(({ costs }) => [median(costs.direct), median(costs.passed)]);
  const [direct = NaN, passed = NaN] = ours ?? [];
  const [theirDirect = NaN, theirPassed = NaN] = theirs ?? [];
  const shown = [
    ...[theirDirect / direct, theirPassed / passed],
    (theirPassed - theirDirect) / (passed - direct),
  ].map((one) => one.toFixed(2));
  console.log(
    `kube-apiserver ÷ ours: answered there ${shown[0] ?? ''}, passed on ${shown[1] ?? ''}, more ${shown[2] ?? ''}`,
  );
}

async function manyAtOnce(): Promise<void> {
  const { url, ca, cert, key } = readKubeconfig(server.kubeconfig);
  const sessions = Array.from({ length: CLIENTS / STREAMS }, () => connect(url, { ca, cert, key }));
  await aggregated.tell({ does: 'hold', port: backend, count: CLIENTS });
  const codes = await Promise.all(
    sessions.flatMap((session) =>
      Array.from({ length: STREAMS }, () => streamCode(session, `${PASSED}/one?held=1`)),
    ),
  );
  for (const session of sessions) session.close();
  const answered = codes.filter((code) => code === 200).length;
  const { http2, http1 } = await aggregated.tell({ does: 'count', port: backend });
  console.log(
    `${String(CLIENTS)} clients, none answered before all have asked: ${String(answered)} answered, ` +
      `over ${String(http2)} connections of HTTP/2 and ${String(http1)} of HTTP/1.1`,
  );
}

/**
 * One of twenty servers hangs, and does not, by turns: what discovery and a list of pods take, and what both together cost
 * the server in the middle of the turns.
 */
async function whileOneHangs(): Promise<void> {
  const { caBundle } = trust;
  for (let nth = 1; nth < SERVERS; nth += 1) {
    const service = `bench-${String(nth)}`;
    const port = nth === 1 ? hangs : await portOf(service);
    await registered(client, `${service}.example.com`, 'v1', { service, port, caBundle });
    await untilReason(client, `v1.${service}.example.com`, 'Passed');
  }
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const asked = {
    discovery: { path: '/apis', headers: { accept } },
    pods: { path: '/api/v1/pods?limit=500', headers: {} },
  };
  const times = { discovery: [[], []], pods: [[], []] } as Record<keyof typeof asked, number[][]>;
  const askBoth = async (isHanging: 0 | 1): Promise<void> => {
    for (const what of ['discovery', 'pods'] as const) {
      const began = performance.now();
      await get(client, asked[what].path, asked[what].headers);
      times[what][isHanging]?.push(performance.now() - began);
    }
  };
  const costs: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 2 * HANGING_TURNS; turn += 1) {
    const isHanging = turn % 2 === 1 ? 1 : 0;
    await aggregated.tell({ does: 'hang', port: hangs, is: isHanging === 1 });
    const cost = await costOf(server, async () => {
      for (let nth = 0; nth < ASKED; nth += 1) await askBoth(isHanging);
    });
    costs[isHanging].push(cost / ASKED);
  }
  row('both, while none hangs', median(costs[0]), costs[0]);
  row('both, while one hangs', median(costs[1]), costs[1]);
  for (const what of ['discovery', 'pods'] as const) {
    const [without, hanging] = times[what].map(
      (all) => `p50 ${shownMs(all, 0.5)}, p99 ${shownMs(all, 0.99)}`,
    );
    console.log(
      `${what.padEnd(WIDTH)} ${String(without)}; while one of ${String(SERVERS)} hangs ${String(hanging)}`,
    );
  }
}

function shownMs(all: readonly number[], part: number): string {
  const sorted = all.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1)} ms`;
}

function streamCode(session: ClientHttp2Session, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path });
    stream.on('response', (headers) => {
      resolve(headers[':status'] ?? 0);
    });
    stream.on('error', reject).resume();
  });
}

async function ask(of: AdminClient, path: string, count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await get(of, path);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

async function get(of: AdminClient, path: string, headers = {}): Promise<void> {
  const { status, body } = await of.get(path, headers);
  if (status !== 200) throw new Error(`GET ${path}: ${String(status)} ${JSON.stringify(body)}`);
}

async function costOf({ pid }: Side['server'], work: () => Promise<void>): Promise<number> {
  const before = cpuMicrosecondsOf(pid);
  await work();
  return cpuMicrosecondsOf(pid) - before;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function row(name: string, value: number, all: readonly number[]): void {
  const [load = 0] = loadavg();
  const each = all.map((one) => one.toFixed(0)).join(' ');
  console.log(
    `${name.padEnd(WIDTH)} ${value.toFixed(0)} µs   of ${each}   load ${load.toFixed(1)}`,
  );
}

/** Starts the aggregated server behind a service. */
async function portOf(service: string): Promise<number> {
  const { certificate, key } = await trust.serving(service);
  return aggregated.listen({ cert: certificate, key, ca: trust.proxyAuthority });
}
