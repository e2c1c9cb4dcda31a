/**
 * `npx tsx bench/audit.ts [SERVERS]`: what the audit at the level Metadata costs the server for each
 * request, in CPU: into a file before the request goes on, and in batches. One of two users is
 * audited and the other is not; they ask the same server by turns for one small object, because the
 * machine's pace changes, and so does what a server's code is compiled to.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import { cpuMicroseconds, startServer, stopServer, type BenchServer } from './bench-server.ts';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const SERVERS = Number(positionals[0] ?? '4');
const TURNS = 30;
const REQUESTS_PER_TURN = 500;
const TURNS_BEFORE = 12;
const TOGETHER = 16;
const PATH = '/api/v1/namespaces/default';

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const policy = join(directory, 'policy.yaml');
writeFileSync(
  policy,
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: None\n  users: [quiet]\n- level: Metadata\n',
);
const tokens = join(directory, 'tokens.csv');
writeFileSync(tokens, 'quiet,quiet,1,"system:masters"\naudited,audited,2,"system:masters"\n');

const audited = [
  `--audit-policy-file=${policy}`,
  `--audit-log-path=${directory}/audit.log`,
  `--token-auth-file=${tokens}`,
];
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'Metadata, blocking': audited,
  'Metadata, in batches': [...audited, '--audit-log-mode=batch', '--audit-log-batch-max-size=100'],
};

try {
  for (const [name, flags] of Object.entries(WAYS)) {
    const differences: number[] = [];
    for (let count = 0; count < SERVERS; count += 1) {
      const server = await startServer(mkdtempSync(join(directory, 'data-')), flags);
      const { without, more } = await measured(server);
      process.stdout.write(`${name}: ${without.toFixed(1)} µs, +${more.toFixed(1)} µs\n`);
      differences.push(more);
      await stopServer(server);
    }
    process.stdout.write(`${name}, all servers: +${median(differences).toFixed(1)} µs\n`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Of a request without audit, and what it takes more with it, in microseconds of CPU. */
async function measured(server: BenchServer): Promise<{ without: number; more: number }> {
  const session = connect(server.url, { rejectUnauthorized: false });
  const turn = async (user: string): Promise<number> => {
    const before = cpuMicroseconds(server);
    await ask(session, user);
    return (cpuMicroseconds(server) - before) / REQUESTS_PER_TURN;
  };
  // Until the code is compiled.
  for (let count = 0; count < TURNS_BEFORE; count += 1) {
    await turn('quiet');
    await turn('audited');
  }
  const without: number[] = [];
  const more: number[] = [];
  for (let count = 0; count < TURNS; count += 1) {
    const quiet = await turn('quiet');
    without.push(quiet);
    more.push((await turn('audited')) - quiet);
  }
  session.close();
  return { without: median(without), more: median(more) };
}

function median(costs: readonly number[]): number {
  return [...costs].sort((one, other) => one - other)[costs.length >> 1] ?? 0;
}

async function ask(session: ClientHttp2Session, user: string): Promise<void> {
  let left = REQUESTS_PER_TURN;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await get(session, user);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

function get(session: ClientHttp2Session, user: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':path': PATH,
      authorization: `Bearer ${user}`,
      'user-agent': 'bench/1.0',
    });
    stream.on('error', reject);
    stream.on('end', resolve);
    stream.resume();
  });
}
