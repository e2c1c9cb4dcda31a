/**
 * `npx tsx bench/audit.ts [REQUESTS]`: what the audit costs the server for each request, in CPU: with
 * none, at the level Metadata into a file, and in batches. The server is asked for one small object
 * over kept connections, and takes turns with and without, because the machine's pace changes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, startServer, stopServer, TOKEN, type BenchServer } from './bench-server.ts';

const REQUESTS = Number(process.argv[2] ?? '30000');
const ROUNDS = 4;
const TOGETHER = 16;
const PATH = '/api/v1/namespaces/default';
const MICROSECONDS = 1e6;

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const policy = join(directory, 'policy.yaml');
writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n');

const audited = [`--audit-policy-file=${policy}`, `--audit-log-path=${directory}/audit.log`];
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'no audit': [],
  'Metadata, blocking': audited,
  'Metadata, in batches': [...audited, '--audit-log-mode=batch', '--audit-log-batch-max-size=100'],
};

const measured = new Map<string, number[]>(Object.keys(WAYS).map((name) => [name, []]));
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, flags] of Object.entries(WAYS)) {
      const server = await startServer(mkdtempSync(join(directory, 'data-')), flags);
      measured.get(name)?.push(await cpuPerRequest(server));
      await stopServer(server);
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

const [without = 0] = [...measured.values()].map(least);
for (const [name, costs] of measured) {
  const more = (least(costs) - without).toFixed(1);
  process.stdout.write(`${name}: ${least(costs).toFixed(1)} µs, +${more} µs\n`);
}

/** The least disturbed round. */
function least(costs: readonly number[]): number {
  return Math.min(...costs);
}

async function cpuPerRequest(server: BenchServer): Promise<number> {
  const session = connect(server.url, { rejectUnauthorized: false });
  await ask(session, REQUESTS / 4); // Until the code is compiled.
  const before = cpuSeconds(server);
  await ask(session, REQUESTS);
  const cost = ((cpuSeconds(server) - before) / REQUESTS) * MICROSECONDS;
  session.close();
  return cost;
}

async function ask(session: ClientHttp2Session, count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await get(session);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

function get(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':path': PATH,
      authorization: `Bearer ${TOKEN}`,
      'user-agent': 'bench/1.0',
    });
    stream.on('error', reject);
    stream.on('end', resolve);
    stream.resume();
  });
}
