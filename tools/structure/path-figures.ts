/**
 * How many files of a tree a PUT crosses, and a watcher's event, in a server that runs from its sources
 * and tells which of its functions run. See crossing-count.ts for what a turn back is.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { BenchClient } from '../../bench/bench-client.ts';
import type { Crossings } from './crossing-count.ts';
import { figure, type Figure, sum } from './figure.ts';

const ENTRIES = ['gateway/commands/program.ts', 'gateway/cli/main.ts'];
const TRACING = join(import.meta.dirname, 'crossings.ts');
const TOKEN = 'structure-token';
const MAPS = '/api/v1/namespaces/default/configmaps';
const WARM = 30;
/** What the server does now and then by itself is less than once in each of so many. */
const WRITES = 20;

interface TracedServer {
  readonly client: BenchClient;
  /** What happened since the last call. */
  crossings(): Promise<Crossings>;
}

/** What happens in the server of a tree, each time. */
export interface Paths {
  readonly put: Crossings;
  /** Beside what the write itself does. */
  readonly event: Crossings;
}

/** @throws when the server of the tree does not become ready. */
export async function pathsOf(root: string): Promise<Paths> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-structure-'));
  const server = startedFrom(root, folder);
  try {
    const traced = await readyServer(server, folder);
    await traced.client.ask('POST', MAPS, { metadata: { name: 'written' } });
    const alone = await writesCrossed(traced);
    // It ends with the server.
    void traced.client.ask('GET', `${MAPS}?watch=true`).catch(() => undefined);
    await sleep(SETTLING_MS);
    const beside = await writesCrossed(traced);
    traced.client.close();
    return { put: alone, event: more(beside, alone) };
  } finally {
    const ended = server.exitCode === null ? once(server, 'exit') : undefined;
    server.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

export function pathFigures({ put, event }: Paths): readonly Figure[] {
  return [...figuresOf('a PUT', put), ...figuresOf('an event of a watch', event)];
}

const SETTLING_MS = 1_000;
const READY_MS = 120_000;

function startedFrom(root: string, folder: string): ChildProcess {
  const entry = ENTRIES.find((one) => existsSync(join(root, one))) ?? '';
  writeFileSync(join(folder, 'tokens.csv'), `${TOKEN},structure,1,"system:masters"\n`);
  const loading = ['--import', 'tsx', TRACING, entry];
  const flags = ['--data-dir', join(folder, 'data'), '--secure-port', '0'];
  flags.push('--bind-address', '127.0.0.1', '--token-auth-file', join(folder, 'tokens.csv'));
  return spawn(process.execPath, [...loading, 'serve', ...flags], {
    cwd: root,
    env: { ...process.env, EVERWATCH_CROSSINGS: join(folder, 'crossings.json') },
    stdio: ['ignore', 'ignore', process.env['EVERWATCH_STRUCTURE_LOG'] ? 'inherit' : 'ignore'],
  });
}

async function readyServer(server: ChildProcess, folder: string): Promise<TracedServer> {
  const kubeconfig = join(folder, 'data/admin.kubeconfig');
  const url = await until(() => {
    if (server.exitCode !== null) throw new Error('the server ended');
    return existsSync(kubeconfig)
      ? /server: "?(https:[^\s"]+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1]
      : undefined;
  });
  const client = new BenchClient(url, TOKEN);
  await until(async () => {
    const { status } = await client.ask('GET', '/readyz').catch(() => ({ status: 0 }));
    return status === 200 || undefined;
  });
  const path = join(folder, 'crossings.json');
  return {
    client,
    crossings: async () => {
      rmSync(path, { force: true });
      server.kill('SIGUSR2');
      return await until(() => {
        try {
          // crossings.ts wrote it.
          return JSON.parse(readFileSync(path, 'utf8')) as Crossings;
        } catch {
          return undefined; // Not there yet, or not whole.
        }
      });
    },
  };
}

async function writesCrossed({ client, crossings }: TracedServer): Promise<Crossings> {
  const put = async (nth: number): Promise<void> => {
    const object = { metadata: { name: 'written' }, data: { nth: String(nth) } };
    const { status, text } = await client.ask('PUT', `${MAPS}/written`, object);
    if (status !== 200) throw new Error(text);
  };
  for (let nth = 0; nth < WARM; nth += 1) await put(nth);
  await sleep(SETTLING_MS);
  await crossings();
  for (let nth = 0; nth < WRITES; nth += 1) await put(WARM + nth);
  const { entered, back } = await crossings();
  return { entered: ofEach(entered), back: ofEach(back) };
}

/** What happened in each write, and how often. */
function ofEach(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) =>
      count < WRITES ? [] : [[name, Math.floor(count / WRITES)] as const],
    ),
  );
}

function more(one: Crossings, other: Crossings): Crossings {
  const over = (a: Crossings['back'], b: Crossings['back']): Crossings['back'] =>
    Object.fromEntries(
      Object.entries(a).flatMap(([name, count]) => {
        const left = count - (b[name] ?? 0);
        return left > 0 ? [[name, left] as const] : [];
      }),
    );
  return { entered: over(one.entered, other.entered), back: over(one.back, other.back) };
}

function figuresOf(what: string, { entered, back }: Crossings): readonly Figure[] {
  return [
    figure(`${what}: files`, Object.keys(entered).length),
    figure(`${what}: calls from file to file`, sum(Object.values(entered))),
    figure(`${what}: turns back`, sum(Object.values(back))),
  ];
}

async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('the server did not become ready');
    await sleep(50);
  }
}
