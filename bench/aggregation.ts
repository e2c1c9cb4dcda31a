/**
 * `npx tsx bench/aggregation.ts [REQUESTS] [TURNS]`: what a GET that is passed on to an aggregated server costs this
 * one, beside a GET of the same object that it answers itself. Both are asked by turns, so that a change of
 * the machine meets both; printed is the processor time of the server for one request.
 *
 * The aggregated server runs in this program, as do the clients: only the server in between is measured.
 * In the end each of a thousand requests has reached the aggregated server before the first is
 * answered, so that none can have waited for another.
 */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { loadavg } from 'node:os';
import { type RunningServer, startServer } from '../e2e/support/server.ts';
import { adminClient, type AdminClient } from '../e2e/support/admin-client.ts';
import { readKubeconfig } from '../e2e/support/kubeconfig.ts';
import { aggregationTrust, registered, untilReason } from '../e2e/aggregation/given-aggregation.ts';
import { cpuMicrosecondsOf } from './bench-server.ts';

const REQUESTS = Number(process.argv[2] ?? 2_000);
const WARM_UP = 4_000;
const TURNS = Number(process.argv[3] ?? 6);
const IN_FLIGHT = 16;
const CLIENTS = 1_000;
const SERVERS = 20;
const HANGING_TURNS = 6;
const ASKED = 100;
/** Of each connection of the clients. */
const STREAMS = 50;
const NAMESPACE = '/api/v1/namespaces/default/configmaps';
const PASSED = '/apis/bench.example.com/v1/namespaces/default/things';
const WIDTH = 34;

const trust = await aggregationTrust();
const server = await startServer({ args: trust.serverFlags });
const client = adminClient(server);
const value = 'x'.repeat(1_024);
const { body: made } = await client.post(NAMESPACE, {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { value } },
});
const text = JSON.stringify(made);
const opened: { close: () => void }[] = [];
const backend = await startBackend('bench');
const hangs = await startBackend('bench-1');
try {
  const { caBundle } = trust;
  const to = { service: 'bench', port: backend.port, caBundle };
  await registered(client, 'bench.example.com', 'v1', to);
  await untilReason(client, 'v1.bench.example.com', 'Passed');
  await oneByTurns();
  await manyAtOnce();
  await whileOneHangs();
} finally {
  client.close();
  for (const one of opened) one.close();
  await server.stop();
  trust.remove();
}

async function oneByTurns(): Promise<void> {
  const paths = { direct: `${NAMESPACE}/one`, passed: `${PASSED}/one` };
  for (const path of Object.values(paths)) await ask(client, path, WARM_UP);
  const costs = { direct: [] as number[], passed: [] as number[] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const side of ['direct', 'passed'] as const) {
      costs[side].push((await costOf(server, () => ask(client, paths[side], REQUESTS))) / REQUESTS);
    }
  }
  const [direct, passed] = [median(costs.direct), median(costs.passed)];
  row('a GET that is answered here', direct, costs.direct);
  row('a GET that is passed on', passed, costs.passed);
  row(
    'more',
    passed - direct,
    costs.passed.map((one, at) => one - (costs.direct[at] ?? 0)),
  );
}

async function manyAtOnce(): Promise<void> {
  const { url, ca, cert, key } = readKubeconfig(server.kubeconfig);
  const sessions = Array.from({ length: CLIENTS / STREAMS }, () => connect(url, { ca, cert, key }));
  backend.holdUntil(CLIENTS);
  const codes = await Promise.all(
    sessions.flatMap((session) =>
      Array.from({ length: STREAMS }, () => streamCode(session, `${PASSED}/one?held=1`)),
    ),
  );
  for (const session of sessions) session.close();
  const answered = codes.filter((code) => code === 200).length;
  console.log(
    `${String(CLIENTS)} clients, none answered before all have asked: ${String(answered)} answered, ` +
      `over ${backend.connections()}`,
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
    const { port } = nth === 1 ? hangs : await startBackend(service);
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
    hangs.hang(isHanging === 1);
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

async function costOf({ pid }: RunningServer, work: () => Promise<void>): Promise<number> {
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

/** Answers every request with the object, in HTTP/2 and HTTP/1.1 as Go's servers do. */
async function startBackend(service: string) {
  const { certificate, key } = await trust.serving(service);
  const tls = { cert: certificate, key, ca: trust.proxyAuthority, requestCert: true };
  const held: Http2ServerResponse[] = [];
  let holds = 0;
  let isHanging = false;
  const handle = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    if (isHanging) return;
    response.setHeader('content-type', 'application/json');
    response.setHeader('cache-control', 'no-cache, private');
    response.setHeader('content-length', Buffer.byteLength(text));
    if (!request.url.includes('held')) return void response.end(text);
    held.push(response);
    if (held.length < holds) return;
    for (const one of held.splice(0)) one.end(text);
  };
  const listening = createSecureServer({ ...tls, allowHTTP1: true }, handle);
  const sockets = new Set<Socket & { alpnProtocol?: string | false }>();
  listening.on('secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  opened.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      listening.close();
    },
  });
  return {
    port: (listening.address() as AddressInfo).port, // It listens on TCP.
    hang: (is: boolean) => {
      isHanging = is;
    },
    holdUntil: (count: number) => {
      holds = count;
    },
    connections: () => {
      const newer = [...sockets].filter(({ alpnProtocol }) => alpnProtocol === 'h2').length;
      return `${String(newer)} connections of HTTP/2 and ${String(sockets.size - newer)} of HTTP/1.1`;
    },
  };
}
