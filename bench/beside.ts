/**
 * `npm run bench -- --beside [DIRECTORY] [ROUNDS]`: the same load on this server and on kube-apiserver with
 * its etcd, by turns, each with RBAC and a store that reaches the disk before it answers. Printed is what
 * an operation costs each in CPU, and how many times as much it costs the other: the median of the rounds
 * and its spread. Machines differ by more than that, so no figure of one run says anything about another's.
 *
 * DIRECTORY has `kube-apiserver` and `etcd`, as that of KUBEBUILDER_ASSETS; without it both are built from
 * their Go modules, in one process. Unthrottled watches are left out: the other side ends them.
 */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPeer } from '../e2e/cluster/peer.ts';
import { residentMibOf, startServer, stopServer, TOKEN } from './bench-server.ts';
import { type Loaded, LoadGenerator } from './load-generator.ts';

interface Side extends Loaded {
  stop(): Promise<void>;
}

/** What one phase cost one side in one round. */
interface Cost {
  readonly cpuUs: number;
  readonly p99Ms: number;
}

interface Phase {
  readonly ours: Cost[];
  readonly peers: Cost[];
}

const ROUNDS = 3;
const SIZE = ['-n', '10000', '-c', '32'];
const RBAC = '--authorization-mode=RBAC';

/** Each with the word that stands behind its phases. */
const RUNS: readonly (readonly [string, ...string[]])[] = [
  ['first', '-namespace', 'first', '-phases', 'create,update,get'],
  ['', '-phases', 'create,update,get,list,page', '-lists', '20'],
  ['100 × 200/s', '-phases', 'watch', '-watchers', '100', '-events', '2000', '-rate', '200'],
  ['1,000 × 20/s', '-phases', 'watch', '-watchers', '1000', '-events', '400', '-rate', '20'],
];

/** @param args what stands behind `--beside`. @throws where there is no Go, or a side fails. */
export async function compare(args: readonly string[]): Promise<void> {
  const binaries = args.find((arg) => existsSync(arg));
  const rounds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? ROUNDS);
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-beside-'));
  try {
    const generator = new LoadGenerator(folder);
    const phases = new Map<string, Phase>();
    const sides = {
      ours: () => startOurs(mkdtempSync(join(folder, 'ours-'))),
      peers: () => startPeers(folder, binaries),
    };
    for (let round = 0; round < rounds; round += 1) {
      // The one that comes first has the colder machine.
      const order = round % 2 === 0 ? (['ours', 'peers'] as const) : (['peers', 'ours'] as const);
      for (const of of order)
        await measure(generator, sides[of], (name, cost) => {
          if (!phases.has(name)) phases.set(name, { ours: [], peers: [] });
          phases.get(name)?.[of].push(cost);
        });
      const busy = loadavg()[0]?.toFixed(1) ?? '';
      note(`round ${String(round + 1)} of ${String(rounds)}; load of the machine ${busy}`);
    }
    print(phases);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  generator: LoadGenerator,
  start: () => Promise<Side>,
  add: (phase: string, cost: Cost) => void,
): Promise<void> {
  const side = await start();
  try {
    for (const [word, ...flags] of RUNS) {
      const lines = await generator.load(side, [...SIZE, ...flags]);
      for (const { phase, errors, server_cpu_us_per_op: cpuUs, p99_ms: p99Ms } of lines)
        add(`${phase} ${word}${errors > 0 ? ' (errors)' : ''}`.trim(), { cpuUs, p99Ms });
    }
    const mib = side.pids.reduce((sum, pid) => sum + residentMibOf(pid), 0);
    add('MiB at the end', { cpuUs: mib, p99Ms: Number.NaN });
  } finally {
    await side.stop();
  }
}

async function startOurs(directory: string): Promise<Side> {
  const server = await startServer(directory, [RBAC]);
  return {
    url: server.url,
    token: TOKEN,
    pids: [server.process.pid ?? 0],
    stop: () => stopServer(server),
  };
}

async function startPeers(folder: string, binaries: string | undefined): Promise<Side> {
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},bench,1,"system:masters"\n`);
  const key = join(folder, 'service-accounts.key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(key, privateKey.export({ type: 'sec1', format: 'pem' }));
  const keys = [`--service-account-key-file=${key}`, `--service-account-signing-key-file=${key}`];
  const flags = [RBAC, `--token-auth-file=${tokens}`, ...keys];
  const peer = await startPeer(flags, { isDurable: true, binaries });
  return { url: peer.url, token: TOKEN, pids: peer.pids, stop: () => peer.stop() };
}

function print(phases: ReadonlyMap<string, Phase>): void {
  row(['phase', 'ours µs', 'theirs µs', 'times', 'from', 'to', 'p99 ms', 'theirs']);
  for (const [name, { ours, peers }] of phases) {
    const ratios = ours.map(({ cpuUs }, round) => (peers[round]?.cpuUs ?? Number.NaN) / cpuUs);
    const costs = [ours, peers].map((all) => median(all.map(({ cpuUs }) => cpuUs)));
    const times = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
    const p99s = [ours, peers].map((all) => median(all.map(({ p99Ms }) => p99Ms)));
    row([
      name,
      ...costs.map((cost) => cost.toFixed(0)),
      ...times.map((one) => one.toFixed(1)),
      ...p99s.map((one) => (Number.isNaN(one) ? '' : one.toFixed(1))),
    ]);
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function row([name = '', ...cells]: readonly string[]): void {
  process.stdout.write(`${name.padEnd(24)}${cells.map((cell) => cell.padStart(11)).join('')}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
