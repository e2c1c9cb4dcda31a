/**
 * `npx tsx bench/memory.ts [BUILD.js…] [ROUNDS] [--updates COUNT]`: where the memory of a server lies behind the phases of
 * `npm run bench -- --beside`, each build by turns: anonymous and mapped pages, the heap of V8 by spaces, bytes outside
 * of it, as it is and once everything that is over was collected, and how often V8 collected until then and how long
 * that held the loop up. With --updates that many more behind them. With --v8=FLAGS a server sets those once it runs.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { numbersAmong, runArguments } from '../run-arguments.ts';
import { type BenchServer, cpuSeconds, startServer, stopServer, TOKEN } from './bench-server.ts';
import { PHASES, SIZE } from './beside.ts';
import { LoadGenerator } from './load-generator.ts';

const KIB_PER_MIB = 1_024;
const LOOK_MS = 20;
/** Behind the last connection: what was held for it has gone by then. */
const REST_MS = 3_000;
/** By then a server has given its young generation back. */
const IDLE_MS = 12_000;
/** In the server: what V8 says of itself, written down when a signal asks; the second time behind a collection of all. */
const TELL = `
const v8 = require('node:v8');
const { renameSync, writeFileSync } = require('node:fs');
const mib = (bytes) => Math.round(bytes / 2 ** 20 * 10) / 10;
let asked = 0;
const { EVERWATCH_FLAGS: flags } = process.env;
if (flags) setTimeout(() => v8.setFlagsFromString(flags), 1_500).unref();
const names = { 1: 'young', 4: 'old', 8: 'steps' };
const collected = {};
const { PerformanceObserver } = require('node:perf_hooks');
new PerformanceObserver((list) => {
  for (const { detail, duration } of list.getEntries()) {
    const kind = (collected[names[detail.kind] ?? detail.kind] ??= { times: 0, ms: 0 });
    kind.times += 1;
    kind.ms += duration;
  }
}).observe({ entryTypes: ['gc'] });
process.on('SIGUSR2', () => {
  asked += 1;
  if (asked % 2 === 0) {
    v8.setFlagsFromString('--expose-gc');
    require('node:vm').runInNewContext('gc')();
  }
  const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const spaces = v8.getHeapSpaceStatistics().filter((one) => one.physical_space_size > 2 ** 20)
    .map((one) => one.space_name.replace('_space', '') + ' ' + mib(one.space_used_size) + ' of ' + mib(one.physical_space_size));
  const told = 'heap ' + mib(heapUsed) + ' of ' + mib(heapTotal) + ', external ' + mib(external) + ', buffers ' +
    mib(arrayBuffers) + '; ' + spaces.join(', ') + '; collected: ' +
    Object.entries(collected).map(([kind, { times, ms }]) => kind + ' ' + times + ' times, ' + ms.toFixed(0) + ' ms').join(', ');
  writeFileSync(process.env.EVERWATCH_MEMORY + '.new', told);
  renameSync(process.env.EVERWATCH_MEMORY + '.new', process.env.EVERWATCH_MEMORY);
});
`;

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: { updates: { type: 'string', default: '0' }, v8: { type: 'string', default: '' } },
});
const updates = Number(values.updates);
const {
  numbers: [rounds = 1],
  others,
} = numbersAmong(positionals);
const builds = others.length > 0 ? others : ['dist/everwatch.js'];

const folder = mkdtempSync(join(tmpdir(), 'everwatch-memory-'));
const told = join(folder, 'told');
try {
  writeFileSync(join(folder, 'tell.cjs'), TELL);
  const generator = new LoadGenerator(folder);
  for (let round = 0; round < rounds; round += 1) {
    for (const build of round % 2 === 0 ? builds : builds.toReversed()) {
      await measure(generator, build);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(generator: LoadGenerator, build: string): Promise<void> {
  print(build, `load ${loadavg()[0]?.toFixed(1) ?? ''}`);
  process.env['NODE_OPTIONS'] = `--require ${join(folder, 'tell.cjs')}`;
  process.env['EVERWATCH_MEMORY'] = told;
  process.env['EVERWATCH_FLAGS'] = values.v8;
  const directory = mkdtempSync(join(folder, 'data-'));
  const server = await startServer(directory, ['--authorization-mode=RBAC'], build);
  delete process.env['NODE_OPTIONS'];
  const { url, process: child } = server;
  const loaded = { url, token: TOKEN, pids: [child.pid ?? 0] };
  try {
    await setTimeout(REST_MS);
    await show('ready', server);
    for (const [word, ...flags] of PHASES) {
      await generator.load(loaded, [...SIZE, ...flags]);
      print(`  behind ${word === '' ? 'all others' : word}`, pagesOf(server));
    }
    await setTimeout(IDLE_MS);
    await show('at rest behind the phases', server);
    for (let done = 0; done < updates; done += 100_000) {
      // The updates of this phase are all different, and the one watcher costs little.
      await generator.load(loaded, [
        ...SIZE,
        '-phases',
        'watch',
        '-watchers',
        '1',
        '-events',
        '100000',
      ]);
      print(`  ${String(done + 100_000)} updates`, pagesOf(server));
    }
    if (updates > 0) await show('behind the updates', server);
    print('  CPU', `${cpuSeconds(server).toFixed(1)} s`);
  } finally {
    await stopServer(server);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function show(when: string, server: BenchServer): Promise<void> {
  for (const how of ['', ', collected']) {
    rmSync(told, { force: true });
    server.process.kill('SIGUSR2');
    while (!existsSync(told)) await setTimeout(LOOK_MS);
    await setTimeout(REST_MS / 3);
    print(`  ${when}${how}`, pagesOf(server));
    print('', readFileSync(told, 'utf8'));
  }
}

/** Of the process, in MiB, by what is mapped. */
function pagesOf({ process: child }: BenchServer): string {
  const maps = readFileSync(`/proc/${String(child.pid)}/smaps`, 'utf8');
  const sums = new Map<string, number>();
  let name = '';
  for (const line of maps.split('\n')) {
    const begun = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ \S+ *(.*)$/.exec(line);
    if (begun !== null) name = nameOf(begun[1] ?? '');
    const kib = /^Rss: +(\d+)/.exec(line)?.[1];
    if (kib !== undefined) add(sums, name, Number(kib));
    const own = /^Anonymous: +(\d+)/.exec(line)?.[1];
    if (own !== undefined) add(sums, 'anonymous', Number(own));
    if (kib !== undefined) add(sums, 'RSS', Number(kib));
  }
  return ['RSS', 'anonymous', '[heap]', 'other anonymous', 'log', 'store', 'node', 'files']
    .map((one) => `${one} ${((sums.get(one) ?? 0) / KIB_PER_MIB).toFixed(0)}`)
    .join(', ');
}

function nameOf(path: string): string {
  if (path === '[heap]') return path;
  if (path.includes('/log/')) return 'log';
  if (path.includes('/store/')) return 'store';
  if (path.endsWith('/node')) return 'node';
  return path.startsWith('/') ? 'files' : 'other anonymous';
}

function add(sums: Map<string, number>, name: string, kib: number): void {
  sums.set(name, (sums.get(name) ?? 0) + kib);
}

function print(what: string, cells: string): void {
  process.stdout.write(`${what.padEnd(30)}${cells}\n`);
}
