/**
 * A log folded from its beginning, in memory: into the index that it lacks, or into its last state, to be
 * compared with what its source says of its events.
 */
import { createHash } from 'node:crypto';

import {
  type CommittedEvent,
  isChange,
  type LoggedChange,
  type LoggedEvent,
} from '../../streams/event.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import { storedObject } from '../objects/stored-object.ts';
import { EventJudge } from './event-judge.ts';
import { Arbiter, type Verdict } from '../fold/arbiter.ts';
import { VersionTable } from '../fold/live-versions.ts';
import { comparePaths } from '../store/store-key.ts';
import type { LogSource } from './log-source.ts';

/** @param progress told now and then how far the fold has come. */
export async function foldedStore(
  log: EventReader,
  upTo: ResourceVersion,
  signal: AbortSignal,
  progress: (version: ResourceVersion) => void = nothing,
): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  if (upTo === 0) return store;
  const judge = new EventJudge(store, log.cuts(), true);
  const folded = new MemoryObjectStore();
  folded.adoptCuts(log.cuts());
  const first = resourceVersion(1);
  for await (const batch of log.read(first, signal)) {
    const known = batch.filter((event) => event.resourceVersion <= upTo);
    const effective = known.filter((event) => judge.judge(event) === 'effective').filter(isChange);
    const last = batch.at(-1)?.resourceVersion ?? first;
    const applied = last > upTo ? upTo : last;
    const time = known.reduce((latest, event) => Math.max(latest, event.time), 0);
    folded.record(effective.map(committed), { applied, writers: judge.writers, time });
    if (last >= upTo) break;
    progress(applied);
    await othersTurn();
  }
  return folded;
}

function committed(event: LoggedChange): CommittedEvent {
  const { resource, path, type, resourceVersion: version } = event;
  return {
    resource,
    path,
    type,
    resourceVersion: version,
    // Made when it is asked for, which the store never does.
    get object() {
      return storedObject(event);
    },
    previous: undefined,
  };
}

function nothing(): void {
  // The caller does not ask for progress.
}

export interface HashedState {
  /** SHA-256 over every object that exists: resource, path, version and bytes. */
  readonly hash: string;
  readonly objects: number;
}

/** The same hash as that of `everwatch verify`. @param state in order of keys. */
export async function hashOfState(
  state: AsyncIterable<readonly LoggedEvent[]>,
): Promise<HashedState> {
  const hash = createHash('sha256');
  let objects = 0;
  for await (const slice of state) {
    for (const { resource, path, resourceVersion: version, json } of slice) {
      objects += 1;
      hash.update(`${resource}\0${path}\0${String(version)}\0`).update(json);
    }
  }
  return { hash: hash.digest('hex'), objects };
}

export interface FoldedVerdicts extends HashedState {
  readonly events: number;
  readonly effective: number;
  /** Verdicts that the fold does not find, in words. */
  readonly differences: readonly string[];
}

const NONE = resourceVersion(0);

/** @param cut up to here the log is not whole, and what is left took effect. */
export async function foldedVerdicts(
  source: LogSource,
  { upTo, cut, signal }: { upTo: ResourceVersion; cut: number; signal: AbortSignal },
): Promise<FoldedVerdicts> {
  const current = new Map<string, LoggedEvent>();
  const versions = new VersionTable();
  const arbiter = new Arbiter(new Map(), versions);
  const differences: string[] = [];
  let events = 0;
  let effective = 0;
  for await (const batch of source.events({ from: NONE, to: upTo }, signal)) {
    for (const { event, verdict: told } of batch) {
      const found = arbiter.judge(event);
      const verdict = event.resourceVersion > cut ? found : told;
      if (isDifferent(verdict, told, cut)) {
        const version = String(event.resourceVersion);
        differences.push(`the event at ${version} is ${verdict}, and there it is ${told}`);
      }
      events += 1;
      if (verdict !== 'effective' || !isChange(event)) continue;
      effective += 1;
      versions.note(event);
      const key = `${event.resource} ${event.path}`;
      if (event.type === 'deleted') current.delete(key);
      // A copy, for the bytes given are a piece of something larger.
      else current.set(key, { ...event, json: Buffer.from(event.json) });
    }
  }
  const state = [...current.values()].sort(
    (a, b) => comparePaths(a.resource, b.resource) || comparePaths(a.path, b.path),
  );
  return { events, effective, differences, ...(await hashOfState(inOneSlice(state))) };
}

/** Behind a cut, a copy of a removed event cannot be told from one that came too late. */
function isDifferent(found: Verdict, told: Verdict, cut: number): boolean {
  return cut > 0 ? (found === 'effective') !== (told === 'effective') : found !== told;
}

async function* inOneSlice(state: readonly LoggedEvent[]): AsyncGenerator<readonly LoggedEvent[]> {
  await Promise.resolve();
  yield state;
}
