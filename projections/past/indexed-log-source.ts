/**
 * A log together with its index: what a server has, and what lies in its data directory. The index
 * may be behind the log; what it does not know yet is folded while it is read.
 */
import type { EventReader } from '../../streams/event-log.ts';
import { SharedTurns } from '../../api/meta/shared-turns.ts';
import { isChange, type LoggedEvent } from '../../streams/event.ts';
import {
  resourceVersion,
  versionBefore,
  type ResourceVersion,
} from '../../streams/resource-version.ts';
import type { ObjectStore, PathVersion } from '../store/object-history.ts';
import { comparePaths } from '../store/store-key.ts';
import { EventJudge } from './event-judge.ts';
import {
  NotRetainedError,
  type JudgedEvent,
  type LogBounds,
  type LogQuery,
  type LogSource,
} from './log-source.ts';

export interface IndexedLogParts {
  readonly name: string;
  readonly log: EventReader;
  readonly store: ObjectStore;
  /** Whether events can come while it is open. Else a follower is at the end when it has read all. */
  readonly grows: boolean;
  readonly close: () => Promise<void>;
  /** How many changed objects a reader remembers before the index is asked again. */
  readonly rememberedMax?: number;
}

const REMEMBERED_MAX = 20_000;

const NEWEST_TIMEOUT_MS = 30_000;
const FIRST = resourceVersion(1);
/** So many versions of an object that are not asked for are passed over in a row. */
const PASSED_IN_A_ROW = 1_024;
const SLICE_EVENTS = 256;
const SLICE_BYTES = 1024 * 1024;
const EVERYTHING = { prefix: '', from: '' };

export class IndexedLogSource implements LogSource {
  readonly name: string;
  readonly #parts: IndexedLogParts;
  readonly #rememberedMax: number;
  /** Of all readers, so that others wait for a slice of one of them, however many there are. */
  readonly #turns = new SharedTurns();

  constructor(parts: IndexedLogParts) {
    this.name = parts.name;
    this.#rememberedMax = parts.rememberedMax ?? REMEMBERED_MAX;
    this.#parts = parts;
  }

  async *events(query: LogQuery, signal: AbortSignal): AsyncGenerator<readonly JudgedEvent[]> {
    const { grows } = this.#parts;
    const begun = await this.#begin();
    const { newest } = begun;
    let { judge } = begun;
    const follows = query.follow === true && grows;
    const end = Math.min(query.to ?? Infinity, follows ? Infinity : newest);
    const isIndexed = query.effectiveOnly === true && query.resource !== undefined;
    if (isIndexed) yield* this.#fromIndex(query, Math.min(end, judge.indexed), signal);

    const from = isIndexed ? judge.indexed + 1 : await this.#whereToBegin(query, judge);
    if (from > end) return;
    for await (const batch of this.#read(resourceVersion(from), end, signal)) {
      const judged: JudgedEvent[] = [];
      for (const event of batch) {
        const one = { event, verdict: judge.judge(event) };
        if (event.resourceVersion >= query.from && isAskedFor(query, one)) judged.push(one);
      }
      if (judged.length > 0) yield judged;
      if (judge.size > this.#rememberedMax) judge = await this.#relieved(judge, batch);
    }
  }

  /** A reader that follows for months must not remember everything that was ever changed meanwhile. */
  async #relieved(judge: EventJudge, batch: readonly LoggedEvent[]): Promise<EventJudge> {
    const { log, store } = this.#parts;
    await store.settled();
    const hasAll = store.appliedVersion >= (batch.at(-1)?.resourceVersion ?? Infinity);
    return judge.indexed > 0 && hasAll ? new EventJudge(store, log.cuts(), true, judge) : judge;
  }

  async bounds(): Promise<LogBounds> {
    const { log } = this.#parts;
    const [oldest, newest] = await Promise.all([log.oldest(), log.newest(NEWEST_TIMEOUT_MS)]);
    const { everything, resources } = log.cuts();
    const versions = [...resources].map(([name, { version }]) => [name, version] as const);
    return {
      oldest,
      newest,
      cuts: { everything: everything.version, resources: new Map(versions) },
    };
  }

  async versionAtTime(timeMs: number): Promise<ResourceVersion> {
    const { log, store } = this.#parts;
    const { judge, newest } = await this.#begin();
    const known = judge.indexed === 0 ? judge.indexed : store.versionAtTime(timeMs, log);
    const found = known === judge.indexed ? await this.#scanForTime(timeMs, known, newest) : known;
    const { version, time } = log.cuts().everything;
    if (found !== undefined && found >= version && timeMs >= time) return found;
    throw new NotRetainedError(
      `${new Date(timeMs).toISOString()} lies before what is retained of the log`,
    );
  }

  /** The same for what lies behind a version. */
  async #scanForTime(
    timeMs: number,
    after: ResourceVersion,
    newest: ResourceVersion,
  ): Promise<ResourceVersion> {
    if (after >= newest) return after;
    const signal = new AbortController().signal;
    for await (const batch of this.#read(resourceVersion(after + 1), newest, signal)) {
      const later = batch.find(({ time }) => time > timeMs);
      if (later !== undefined) return versionBefore(later.resourceVersion);
    }
    return newest;
  }

  async *stateAt(
    version: ResourceVersion,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    const { store, log } = this.#parts;
    const { judge, newest } = await this.#begin();
    const upTo = Math.min(version, newest);
    const later = await this.#changedBehindIndex(judge, upTo, signal);
    const known = judge.indexed === 0 ? [] : store.resourcesEver();
    const resources = [...new Set([...known, ...later.keys()])].sort(comparePaths);
    const at = resourceVersion(Math.min(upTo, judge.indexed));
    const slices = new Slices(log);
    for (const resource of resources) {
      if (version < store.readableSince(resource)) continue;
      const paths = judge.indexed === 0 ? [] : store.pathsAt(resource, EVERYTHING, at);
      for (const one of merged(paths, later.get(resource))) {
        slices.add(one.resourceVersion);
        if (!slices.isFull) continue;
        yield slices.take();
        await this.#turns.next();
        if (signal.aborted) return;
      }
    }
    if (!slices.isEmpty) yield slices.take();
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  /** What stands still while one question is answered. */
  async #begin(): Promise<{ judge: EventJudge; newest: ResourceVersion }> {
    const { log, store } = this.#parts;
    await store.settled();
    const { appliedVersion } = store;
    const newest = await log.newest(NEWEST_TIMEOUT_MS);
    // A log that was put back from a backup is behind what its store remembers.
    const isOurs = appliedVersion <= newest;
    return { judge: new EventJudge(store, log.cuts(), isOurs), newest };
  }

  /** Everything from the beginning on where all have to be judged. */
  async #whereToBegin(query: LogQuery, judge: EventJudge): Promise<ResourceVersion> {
    if (query.effectiveOnly !== true) return FIRST;
    const from = Math.min(query.from, judge.indexed + 1);
    return from < (await this.#parts.log.oldest()) ? FIRST : resourceVersion(Math.max(from, 1));
  }

  /** The events from one version to another, and no further, with room for others in between. */
  async *#read(
    from: ResourceVersion,
    to: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    for await (const batch of this.#parts.log.read(from, signal)) {
      const isLast = (batch.at(-1)?.resourceVersion ?? 0) >= to;
      const wanted = isLast ? batch.filter((event) => event.resourceVersion <= to) : batch;
      if (wanted.length > 0) yield wanted;
      if (isLast) return;
      await this.#turns.next();
      if (signal.aborted) return;
    }
  }

  /** Effective events of a resource, or of one object, up to `to`. */
  async *#fromIndex(
    query: LogQuery,
    to: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly JudgedEvent[]> {
    const slices = new Slices(this.#parts.log);
    let passed = 0;
    for (const version of this.#indexedVersions(query)) {
      if (version > to) break;
      if (version < query.from) {
        passed += 1;
        if (passed % PASSED_IN_A_ROW !== 0) continue;
        await this.#turns.next();
        if (signal.aborted) return;
        continue;
      }
      slices.add(version);
      if (!slices.isFull) continue;
      yield slices.take().map(effective);
      await this.#turns.next();
      if (signal.aborted) return;
    }
    if (!slices.isEmpty) yield slices.take().map(effective);
  }

  *#indexedVersions({ resource = '', path, from }: LogQuery): Generator<ResourceVersion> {
    const { store } = this.#parts;
    if (path === undefined) {
      // What a cut has left lies before it, and is no change that this index tells.
      yield* store.changesAfter(resource, resourceVersion(Math.max(from - 1, 0)));
      return;
    }
    for (const change of store.versionsOf(resource, path)) yield change.resourceVersion;
  }

  /** What became of objects behind the index, up to a version: theirs, or 0 when they are gone. */
  async #changedBehindIndex(
    judge: EventJudge,
    upTo: number,
    signal: AbortSignal,
  ): Promise<Map<string, Map<string, ResourceVersion>>> {
    const changed = new Map<string, Map<string, ResourceVersion>>();
    const from = resourceVersion(judge.indexed + 1);
    if (from > upTo) return changed;
    for await (const batch of this.#read(from, upTo, signal)) {
      for (const event of batch) {
        if (judge.judge(event) !== 'effective') continue;
        const { resource, path, type, resourceVersion: version } = event;
        const paths = changed.get(resource) ?? new Map<string, ResourceVersion>();
        paths.set(path, type === 'deleted' ? resourceVersion(0) : version);
        changed.set(resource, paths);
      }
    }
    return changed;
  }
}

/** Events read by their versions, a slice at a time. */
class Slices {
  readonly #log: EventReader;
  #events: LoggedEvent[] = [];
  #bytes = 0;

  constructor(log: EventReader) {
    this.#log = log;
  }

  get isFull(): boolean {
    return this.#events.length >= SLICE_EVENTS || this.#bytes >= SLICE_BYTES;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Nothing is added for a version that was cut meanwhile. */
  add(version: ResourceVersion): void {
    const event = this.#log.at(version);
    if (event === undefined) return;
    this.#events.push(event);
    this.#bytes += event.json.length;
  }

  take(): readonly LoggedEvent[] {
    const taken = this.#events;
    this.#events = [];
    this.#bytes = 0;
    return taken;
  }
}

function effective(event: LoggedEvent): JudgedEvent {
  return { event, verdict: 'effective' };
}

function isAskedFor(query: LogQuery, { event, verdict }: JudgedEvent): boolean {
  if (query.effectiveOnly === true && (verdict !== 'effective' || !isChange(event))) return false;
  if (query.resource !== undefined && event.resource !== query.resource) return false;
  return query.path === undefined || event.path === query.path;
}

/** Paths in order, with later versions in the place of earlier ones, and without what is gone. */
function* merged(
  paths: Iterable<PathVersion>,
  later: ReadonlyMap<string, ResourceVersion> = new Map(),
): Generator<PathVersion> {
  const rest = [...later].sort(([a], [b]) => comparePaths(a, b)).values();
  let next = rest.next();
  for (const one of paths) {
    while (next.done !== true && comparePaths(next.value[0], one.path) < 0) {
      if (next.value[1] > 0) yield { path: next.value[0], resourceVersion: next.value[1] };
      next = rest.next();
    }
    const changed = later.get(one.path);
    if (changed === undefined) yield one;
  }
  for (; next.done !== true; next = rest.next()) {
    if (next.value[1] > 0) yield { path: next.value[0], resourceVersion: next.value[1] };
  }
}
