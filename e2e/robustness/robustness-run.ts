/**
 * One run: traffic, watches and faults for a while, then peace, a last look through every replica,
 * and the judgement over all that was told.
 */
import { once, setMaxListeners } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';
import { Faults } from './faults.ts';
import {
  HistoryRecorder,
  type Operation,
  readHistory,
  type Request,
  type Watch,
} from './history.ts';
import { judge, type Judgement } from './judge.ts';
import { type LogRecord, LogTruth, type RecordCounts } from './log-truth.ts';
import { RESOURCES } from './seen-object.ts';
import { NAMESPACES, TrafficClient, type TrafficParts } from './traffic.ts';
import type { Violation } from './violation.ts';
import { Watcher } from './watching.ts';

export interface RunOptions extends ClusterOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** Their names; empty: all that fit the cluster. */
  readonly faults: readonly string[];
  readonly clients: number;
  readonly watchers: number;
  readonly pauseMs: number;
  /** Of processes that are stopped. */
  readonly stoppedMs: number;
  readonly restMs: number;
  readonly told: (what: string) => void;
}

export interface Report {
  readonly seed: number;
  readonly seconds: number;
  readonly operations: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly log: RecordCounts;
  readonly judged: Judgement['counts'];
  readonly violations: readonly Violation[];
  /** Where the history and the log lie, if anything is wrong with them. */
  readonly folder: string | undefined;
  readonly serverLogs: string;
}

const HISTORY_FILE = 'history.jsonl';
const LOG_FILE = 'log.jsonl';
const PREFIX = 'rb';
const TIMEOUT_MS = 4_000;
const WATCH_LIFE_MS = 8_000;
const PEACE_TIMEOUT_MS = 180_000;

export async function runRobustness(options: RunOptions): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-run-'));
  const file = join(folder, HISTORY_FILE);
  const recorder = new HistoryRecorder(file);
  const cluster = await Cluster.start(options);
  try {
    const prefix = `${PREFIX}${String(options.seed)}-`;
    const faults = new Faults({ ...options, cluster, pauseMs: options.stoppedMs });
    const atPeace = await disturb(options, { cluster, recorder, faults, prefix });
    const stores = await cluster.stopAndVerify();
    const truth = await truthOf(cluster, join(folder, LOG_FILE));
    stores.push(...(await cluster.storeFaults(truth)));
    await recorder.close();
    const { violations, counts } = judge(recorder.history, truth, prefix);
    const all = [...violations, ...atPeace, ...stores.map((what) => ({ promise: 'Fold', what }))];
    if (all.length === 0) rmSync(folder, { recursive: true, force: true });
    const { operations } = recorder.history;
    return {
      seed: options.seed,
      seconds: recorder.now() / 1_000,
      operations: counted(operations.map(({ request }) => request.kind)),
      outcomes: counted(operations.map(outcomeOf)),
      faults: Object.fromEntries(faults.injected),
      log: truth.counts,
      judged: counts,
      violations: all,
      folder: all.length === 0 ? undefined : folder,
      serverLogs: cluster.logs(),
    };
  } finally {
    await cluster.stop();
  }
}

/** What a run left behind in its folder, judged once more. */
export async function judgeAgain(folder: string): Promise<Judgement> {
  const history = await readHistory(join(folder, HISTORY_FILE));
  const truth = new LogTruth();
  for await (const line of createInterface({ input: createReadStream(join(folder, LOG_FILE)) })) {
    truth.add(JSON.parse(line) as LogRecord); // As it was written by `truthOf`.
  }
  const [prefix = PREFIX] = /^rb\d+-/.exec(history.operations[0]?.id ?? '') ?? [];
  return judge(history, truth, prefix);
}

async function truthOf(cluster: Cluster, path: string): Promise<LogTruth> {
  const file = createWriteStream(path);
  const truth = await cluster.truth((record) => {
    file.write(`${JSON.stringify(record)}\n`);
  });
  file.end();
  await once(file, 'close');
  return truth;
}

interface Running {
  readonly cluster: Cluster;
  readonly recorder: HistoryRecorder;
  readonly faults: Faults;
  readonly prefix: string;
}

/** Everything at once, until the time is up and all is healed. @returns what peace did not mend. */
async function disturb(
  options: RunOptions,
  { cluster, recorder, faults, prefix }: Running,
): Promise<Violation[]> {
  const { seed, pauseMs } = options;
  const clientsOfAll = () => cluster.replicas.map((replica) => replica.client(TIMEOUT_MS));
  const parts = (): TrafficParts => {
    return { seed, prefix, recorder, replicas: clientsOfAll(), pauseMs };
  };
  await makeNamespaces(cluster);
  const [healing, settling, closing] = [0, 1, 2].map(() => new AbortController()) as [
    AbortController,
    AbortController,
    AbortController,
  ];
  // Every watch that is open listens to them.
  setMaxListeners(0, settling.signal, closing.signal);
  const clients = Array.from(
    { length: options.clients },
    (_, index) => new TrafficClient(`c${String(index)}`, parts()),
  );
  const watchers = Array.from({ length: options.watchers }, (_, index) => {
    const own = { seed, recorder, replicas: clientsOfAll(), lifeMs: WATCH_LIFE_MS };
    return new Watcher(`w${String(index)}`, own);
  });
  const running = clients.map((client) => client.run(healing.signal));
  const watching = watchers.map((watcher) => watcher.run(closing.signal, settling.signal));
  const broken: Violation[] = [];
  const faulting = faults.run(healing.signal, options.faults).catch((error: unknown) => {
    broken.push({ promise: 'Recovery', what: String(error) });
  });
  await Promise.race([sleep(options.durationMs), untilBroken(faulting, broken)]);
  healing.abort();
  await Promise.all([...running, faulting]);

  settling.abort();
  const last = new TrafficClient('last', parts());
  // Without all replicas there is no peace to wait for; what was told is judged all the same.
  const found = broken.length > 0 ? broken : await atPeace(last, watchers, { cluster, recorder });
  closing.abort();
  await Promise.all(watching);
  return found;
}

/** Faults go on until they are stopped; before that they only end when something cannot be healed. */
async function untilBroken(faulting: Promise<void>, broken: readonly Violation[]): Promise<void> {
  await faulting;
  if (broken.length === 0) await new Promise(() => undefined);
}

async function makeNamespaces(cluster: Cluster): Promise<void> {
  const [replica] = cluster.replicas;
  if (replica === undefined) throw new Error('there is no replica');
  const client = adminClient(replica.server);
  for (const name of NAMESPACES) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await eventually(`namespace ${name}`, async () => {
      const { status } = await client.post('/api/v1/namespaces', body);
      return status === 201 || status === 409 ? true : undefined;
    });
  }
  client.close();
}

/** A last write everywhere, which every watch and every replica has to come to. */
async function atPeace(
  last: TrafficClient,
  watchers: readonly Watcher[],
  { cluster, recorder }: Pick<Running, 'cluster' | 'recorder'>,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  let ends: ReadonlyMap<string, number>;
  try {
    ends = await writtenEverywhere(last);
    await listedEverywhere(last, cluster, Math.max(...ends.values()));
  } catch (error) {
    return [{ promise: 'Recovery', what: String(error) }];
  }
  for (const watcher of watchers) {
    const isThere = (): true | undefined => {
      const { watch } = watcher;
      return watch !== undefined && hasReached(watch, endOf(ends, watch)) ? true : undefined;
    };
    await eventually('the end', isThere, { timeoutMs: PEACE_TIMEOUT_MS / 3 }).catch(() => {
      const which = watcher.watch === undefined ? 'could not be opened' : watcher.watch.watch;
      violations.push({ promise: 'Recovery', what: `a watch never came to the end: ${which}` });
    });
    const { watch } = watcher;
    if (watch !== undefined) recorder.mustReach(watch, endOf(ends, watch));
  }
  return violations;
}

/** @returns the version of the last write, by what a watch may be of. */
async function writtenEverywhere(last: TrafficClient): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const resource of RESOURCES) {
    for (const namespace of NAMESPACES) {
      const version = await written(last, { resource, path: `${namespace}/the-end` });
      for (const where of ['', namespace]) ends.set(`${resource} ${where}`, version);
    }
  }
  return ends;
}

/** The same moment, and the newest, through every replica. */
async function listedEverywhere(
  last: TrafficClient,
  cluster: Cluster,
  newest: number,
): Promise<void> {
  for (const replica of cluster.replicas.keys()) {
    for (const resource of RESOURCES) {
      const of = { kind: 'list', resource, namespace: '', selector: '', limit: 0 } as const;
      await done(last, { ...of, moment: String(newest), match: 'Exact' }, replica);
      await done(last, { ...of, moment: '', match: '' }, replica);
    }
  }
}

function endOf(ends: ReadonlyMap<string, number>, { resource, namespace }: Watch): number {
  return ends.get(`${resource} ${namespace}`) ?? 0;
}

function hasReached({ start, shown }: Watch, end: number): boolean {
  const isState = start.kind === 'initial' && !shown.some(({ isInitialEnd }) => isInitialEnd);
  const begun = start.kind === 'after' ? start.version : 0;
  return !isState && Math.max(begun, shown.at(-1)?.version ?? 0) >= end;
}

async function written(
  last: TrafficClient,
  of: Pick<Extract<Request, { kind: 'create' }>, 'resource' | 'path'>,
): Promise<number> {
  const content = { data: { the: 'end' }, labels: { color: 'red' } };
  return eventually(
    'a write',
    async () => {
      const { object, status } = await last.perform({ kind: 'create', ...of, content }, 0);
      if (object !== undefined) return object.version;
      // An earlier try took effect, and its answer was lost.
      if (status !== 409) return undefined;
      const found = await last.perform({ kind: 'get', ...of, moment: '' }, 0);
      return found.object?.version;
    },
    { timeoutMs: PEACE_TIMEOUT_MS, everyMs: 200 },
  );
}

async function done(last: TrafficClient, request: Request, replica: number): Promise<void> {
  await eventually(
    `${request.kind} on replica ${String(replica)}`,
    async () => ((await last.perform(request, replica)).outcome === 'ok' ? true : undefined),
    { timeoutMs: PEACE_TIMEOUT_MS, everyMs: 200 },
  );
}

function outcomeOf({ outcome, status }: Operation): string {
  return outcome === 'refused' ? `refused ${String(status)}` : outcome;
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
