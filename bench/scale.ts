/**
 * `npx tsx bench/scale.ts [OBJECTS] [LARGE] [EVENTS] [--keep DIRECTORY] [--retention EVENTS]`: a server with that many objects of 2 KB in
 * namespaces of a thousand, and of 10 KB, and that many events of history, beside one of 10,000 objects: what it
 * holds in memory, how long a start takes, what requests cost by turns, how long a list of everything stops the
 * others, and what the past costs. Without arguments 100,000, 10,000 and 1,000,000. See e2e/scale/filled-log.ts for
 * how the logs are filled. With --keep a directory is filled once and left, to measure another build on it. With
 * --retention all but so many events are cut at the end, while updates go on.
 *
 * What is asked of a namespace is asked of another one each time: what a server has read lately costs it less.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { numbersAmong, runArguments } from '../run-arguments.ts';
import type { Filling } from '../e2e/scale/filled-log.ts';
import { heldBytes } from '../e2e/scale/held-bytes.ts';
import { type Cost, Side } from './scale-side.ts';

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: { keep: { type: 'string' }, retention: { type: 'string' } },
});
const [objects = 100_000, large = 10_000, events = 1_000_000] = numbersAmong(positionals).numbers;
const kept = values.keep;
const MANY: Filling = { objects, large, events };
const FEW: Filling = { objects: 10_000, large: 1_000, events: 20_000 };
const ROUNDS = 3;
const CUT_WITHIN_MS = 1_800_000;
/** How far back the past is asked for. */
const BACK = Math.min(1_000_000, MANY.events - MANY.objects - MANY.large);

const directory = kept ?? mkdtempSync(join(tmpdir(), 'everwatch-scale-'));
mkdirSync(directory, { recursive: true });
const [many, few] = [
  new Side(join(directory, 'many'), MANY),
  new Side(join(directory, 'few'), FEW),
];
try {
  await measure();
} finally {
  await Promise.all([many.stop(), few.stop()]);
  if (kept === undefined) rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  for (const side of [few, many]) {
    if (!(await side.fill(print))) continue;
    await side.start();
    print('first start, folds all', `${count(side.filling.events)} events`, side.started());
    await side.stop();
  }
  for (const side of [few, many]) {
    await side.start();
    print('restart to ready', count(side.filling.objects + side.filling.large), side.started());
    print('memory when ready', '', side.memory());
  }
  showHeld();
  await settle();
  print('memory once all is at rest', '', many.memory());
  await compareRequests();
  await listEverything();
  await askThePast();
  print('memory behind all this', '', many.memory());
  if (values.retention !== undefined) await cutThePast(Number(values.retention));
}

/** What of each object stays in memory whatever is asked for. */
function showHeld(): void {
  let sum = 0;
  for (const { what, bytes } of heldBytes(MANY.objects)) {
    print(`  ${what}`, `${bytes.toFixed(0)} bytes`);
    sum += bytes;
  }
  print('  held for each object', `${sum.toFixed(0)} bytes`);
}

/** Controllers look through what there is behind a start. */
async function settle(): Promise<void> {
  for (let before = -1; before !== many.cpu();) {
    before = many.cpu();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    if (many.cpu() - before < 0.2) return;
  }
}

async function compareRequests(): Promise<void> {
  for (const name of ['namespace', 'page', 'first page', 'get', 'create', 'update'] as const) {
    // Else code that is compiled meanwhile would be counted.
    for (const side of [few, many]) await side.ask(name);
    const [ours, theirs]: [number[], number[]] = [[], []];
    let ms = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      theirs.push((await few.ask(name)).cpuUs);
      const asked = await many.ask(name);
      ours.push(asked.cpuUs);
      ms = Math.max(ms, asked.ms);
    }
    const ratio = median(ours) / median(theirs);
    const costs = `${us(median(ours))} against ${us(median(theirs))} with 10,000: ${ratio.toFixed(2)}`;
    print(name, `${costs} (p50 of its slowest round ${ms.toFixed(1)} ms)`, load());
  }
}

async function listEverything(): Promise<void> {
  await many.longestStop();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  print('longest stop of the loop', 'at rest', `${(await many.longestStop()).toFixed(0)} ms`);
  const { bytes, ms, cpuS } = await many.drainAll();
  const size = `${(bytes / 2 ** 20).toFixed(0)} MiB in ${(ms / 1_000).toFixed(1)} s`;
  print('list of everything', size, `${cpuS.toFixed(1)} s of CPU`);
  print('longest stop of the loop', 'meanwhile', `${(await many.longestStop()).toFixed(0)} ms`);
}

async function askThePast(): Promise<void> {
  const then = many.newest - BACK;
  for (const name of ['namespace', 'page'] as const) {
    const costs: { now: number[]; then: number[] } = { now: [], then: [] };
    await many.ask(name, then);
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.now.push((await many.ask(name)).cpuUs);
      costs.then.push((await many.ask(name, then)).cpuUs);
    }
    const ratio = median(costs.then) / median(costs.now);
    const cells = `${us(median(costs.then))} against ${us(median(costs.now))} now: ${ratio.toFixed(2)}`;
    print(`${name}, ${count(BACK)} events ago`, cells, load());
  }
  const history = await many.historyOfAnObject();
  print(
    'history of an object',
    `${String(history.revisions)} versions`,
    `${history.ms.toFixed(1)} ms`,
  );
  const fork = await many.fork(then);
  print(
    'fork of then',
    `made in ${fork.madeMs.toFixed(1)} ms`,
    `first get ${fork.firstMs.toFixed(0)} ms`,
  );
  print('longest stop of the loop', 'meanwhile', `${(await many.longestStop()).toFixed(0)} ms`);
}

/**
 * Cutting begins a minute behind a start, so there are updates without it. What is cut cannot be read from the beginning on,
 * and is gone when the server writes no more. @param events that stay.
 */
async function cutThePast(events: number): Promise<void> {
  await many.stop();
  await many.start([`--history-retention=${String(events)}`]);
  const [first, last] = [many.newest - MANY.events + MANY.objects, many.newest - events];
  const rounds: { without: Cost[]; meanwhile: Cost[] } = { without: [], meanwhile: [] };
  const waited = Date.now() + CUT_WITHIN_MS;
  let [began, cpu, written] = [0, 0, 0];
  while (began === 0 || !(await many.isCut(last)) || !(await many.isAtRest())) {
    if (Date.now() > waited) throw new Error(`what is before ${count(last)} is not gone`);
    rounds[began === 0 ? 'without' : 'meanwhile'].push(await many.ask('update'));
    if (began > 0 || !(await many.isCut(first))) continue;
    print('longest stop of the loop', 'before', `${(await many.longestStop()).toFixed(0)} ms`);
    [began, cpu, written] = [performance.now(), many.cpu(), many.written()];
  }
  const seconds = (performance.now() - began) / 1_000;
  const rate = (last - first) / seconds / 1_000;
  const work = `${seconds.toFixed(0)} s, ${(many.cpu() - cpu).toFixed(0)} s of CPU with the updates`;
  const bytes = (many.written() - written) / (last - first);
  print(
    'cut',
    `${count(last - first)} events`,
    `${work} (${rate.toFixed(0)},000 events/s)`,
    `${bytes.toFixed(0)} bytes written for each, with the updates`,
    load(),
  );
  for (const [when, costs] of Object.entries(rounds)) {
    const slow = costs.map(({ slowMs }) => slowMs);
    const waits = `p50 ${median(costs.map(({ ms }) => ms)).toFixed(1)} ms, p99 ${median(slow).toFixed(1)} ms, in the slowest of ${String(costs.length)} rounds ${Math.max(...slow).toFixed(1)} ms`;
    print('update', when, waits);
  }
  print('longest stop of the loop', 'meanwhile', `${(await many.longestStop()).toFixed(0)} ms`);
  print('memory when that is cut', '', many.memory());
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function us(value: number): string {
  return value >= 10_000 ? `${(value / 1_000).toFixed(1)} ms` : `${value.toFixed(0)} µs`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function load(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
}

function print(what: string, ...cells: readonly string[]): void {
  process.stdout.write(`${what.padEnd(34)}${cells.filter((cell) => cell !== '').join(', ')}\n`);
}
