/**
 * The one reader of the log. Folds each event, in order, into every view: first it is judged,
 * and if it took effect the views see it.
 *
 * Views are told of a whole batch before callers that wait for one of its events are, so a client
 * reads what it wrote.
 *
 * At a start that is far behind the end no caller waits for anything yet. Then the events are only
 * skimmed: judged as ever, and the objects and the store learn of them, but no bytes of an object
 * that may be replaced by the next event are looked at, and no view is told.
 */
import type { MaybePromise } from '../api/meta/maybe-promise.ts';
import { othersTurn } from '../api/meta/others-turn.ts';
import { storedObject } from './objects/stored-object.ts';
import { WarmObjects } from './objects/warm-objects.ts';
import type { ObjectStore } from './store/object-history.ts';
import type { ObjectView } from './objects/object-view.ts';
import type { Projection } from './fold/projection.ts';
import { Arbiter, type Verdict } from './fold/arbiter.ts';
import type { AppliedVersion } from './fold/applied-version.ts';
import { Skimming, type Skimmed } from './skimming.ts';
import {
  isChange,
  type CommittedEvent,
  type EventHead,
  type LoggedChange,
  type LoggedEvent,
} from '../streams/event.ts';
import { LogTrimmedError, LogUnavailableError, type EventReader } from '../streams/event-log.ts';
import { NO_CUTS } from '../streams/log-cuts.ts';
import { resourceVersion, type ResourceVersion } from '../streams/resource-version.ts';

/**
 * What became of an event that was read; `committed` is there when it took effect, unless it was
 * skimmed.
 */
export type FoldListener = (
  event: EventHead,
  verdict: Verdict,
  committed: CommittedEvent | undefined,
) => void;

export interface ProjectorParts {
  readonly log: EventReader;
  readonly store: ObjectStore;
  readonly objects: ObjectView;
  readonly applied: AppliedVersion;
  /** Fed behind the objects, in this order. */
  readonly views: readonly Projection[];
  /** How many bytes of objects are kept in memory, more or less. */
  readonly warmBytesMax?: number | undefined;
  /** How many versions are more than a watcher may want to be shown at a start. */
  readonly farBehind?: number;
}

const NEWEST_TIMEOUT_MS = 30_000;
const FAR_BEHIND = 10_000;
/** So many are skimmed while the store writes as many: else what it has to write piles up. */
const SKIMMED_AHEAD = 32_768;
/** So many where it writes them all later: others have their turn, and no connection is lost meanwhile. */
const SKIMMED_AT_ONCE = 4_096;
/** Then others have their turn: a connection that is not attended to for seconds is lost. */
const LOADED_AT_ONCE = 256;
/** A start reads so much of what may be in memory: 64 MiB, which is all there is in most clusters. */
const FIRST_PART = 8;

export class Projector {
  readonly #parts: ProjectorParts;
  readonly #arbiter: Arbiter;
  readonly #warm: WarmObjects;
  readonly #stopping = new AbortController();
  #listener: FoldListener = () => undefined;
  /** Versions before this one are skimmed. */
  #skimmedTo = resourceVersion(0);
  #reading: Promise<void> = Promise.resolve();
  /** While a long log is skimmed. */
  #begun: Skimming | undefined;

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
    const { log, store, objects } = parts;
    const cuts = store.appliedVersion === 0 ? log.cuts() : NO_CUTS;
    this.#arbiter = new Arbiter(store.writers(), objects, cuts);
    this.#warm = new WarmObjects(log, parts.warmBytesMax);
  }

  /** Tells of every event that is folded from now on. There is one listener: the committer. */
  listen(listener: FoldListener): void {
    this.#listener = listener;
  }

  /**
   * Loads the local store, then reads the log from there. Resolves when everything is applied
   * that was in the log when it was called; reading goes on until {@link stop}.
   *
   * @param failed is told when reading ends for another reason than {@link stop}.
   */
  async start(failed: (error: unknown) => void): Promise<void> {
    const { log, applied } = this.#parts;
    await this.#logReaches(this.#parts.store.appliedVersion);
    await this.#load();
    const newest = await log.newest(NEWEST_TIMEOUT_MS);
    if (newest - applied.current > (this.#parts.farBehind ?? FAR_BEHIND)) {
      this.#skimmedTo = newest;
      this.#parts.store.beginFilling?.(newest);
    }
    this.#reading = this.#read().catch(failed);
    for (let reached = applied.current; !(await this.#isAppliedSoon(newest));) {
      // A long log takes long; only one that does not move on is given up.
      if (applied.current === reached) {
        throw new LogUnavailableError('the log could not be read up to its end');
      }
      reached = applied.current;
    }
  }

  #isAppliedSoon(version: ResourceVersion): MaybePromise<boolean> {
    return this.#parts.applied.whenApplied(version, NEWEST_TIMEOUT_MS);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reading;
    await this.#parts.store.close();
  }

  /**
   * A copy of a log may have lost its end in a crash that the store survived, and fetch it again.
   * What follows is asked of the copy.
   */
  async #logReaches(version: ResourceVersion): Promise<void> {
    const { log } = this.#parts;
    if (version === 0 || log.at(version) !== undefined) return;
    try {
      for await (const _ of log.read(version, this.#stopping.signal)) return;
    } catch (error) {
      // Whatever was cut is not fetched again.
      if (!(error instanceof LogTrimmedError)) throw error;
    }
  }

  /**
   * The objects that the local store remembers. The bytes of the first ones are read, so that what is wrong
   * with the log is found here, and those of the others when they are asked for.
   */
  async #load(): Promise<void> {
    const { log, store, objects, applied } = this.#parts;
    const { appliedVersion } = store;
    store.adoptCuts(log.cuts());
    objects.beginAt(appliedVersion);
    const missing = objects.fillsItself ? [] : store.current();
    let loaded = 0;
    for (const { resource, path, resourceVersion: version } of missing) {
      loaded += 1;
      if (loaded % LOADED_AT_ONCE === 0) await othersTurn();
      const ofResource = objects.of(resource);
      if (this.#warm.warm.bytes >= this.#warm.bytesMax / FIRST_PART) {
        ofResource.set(this.#warm.known({ resource, path }, version), appliedVersion);
        continue;
      }
      const event = log.at(version);
      if (event === undefined) throw new Error(`${resource} ${path} is not in the log any more`);
      ofResource.set(this.#warm.written(event, undefined), appliedVersion);
    }
    applied.moveTo(appliedVersion);
  }

  async #read(): Promise<void> {
    await this.#skimHeads();
    const from = resourceVersion(this.#parts.applied.current + 1);
    const batches = this.#parts.log.read(from, this.#stopping.signal);
    let ahead = 0;
    let written: Promise<void> = Promise.resolve();
    for await (const batch of batches) {
      if (lastVersion(batch) >= this.#skimmedTo) {
        this.#begun = undefined;
        this.#fold(batch);
        continue;
      }
      this.#skim(batch);
      ahead += batch.length;
      const isFilling = this.#parts.store.isFilling === true;
      if (ahead < (isFilling ? SKIMMED_AT_ONCE : SKIMMED_AHEAD)) continue;
      ahead = 0;
      if (isFilling) {
        await othersTurn();
        continue;
      }
      await written;
      // What the disk does not take it is given again by itself.
      written = this.#parts.store.settled().catch(ignore);
    }
  }

  /** Of a log that tells the heads of its records, as long as the store keeps in memory what they come to. */
  async #skimHeads(): Promise<void> {
    const { log, store, applied } = this.#parts;
    const mayAsk = log.heads !== undefined && log.cuts().settled === 0;
    let awaited = applied.current;
    for (let isMore = mayAsk; isMore && store.isFilling === true;) {
      if (this.#stopping.signal.aborted) return;
      const next = resourceVersion(applied.current + 1);
      const skimming = this.#skimming(next);
      const heads = log.heads?.(next, skimming.pathOf);
      const skimmed = heads && skimming.some(heads, SKIMMED_AT_ONCE, this.#skimmedTo);
      if (skimmed !== undefined) {
        this.#skimmed(skimmed);
        await othersTurn();
        continue;
      }
      isMore = log.whenHere !== undefined && next > awaited && next < this.#skimmedTo;
      awaited = next;
      // It may still be fetched.
      if (isMore) await log.whenHere?.(next, this.#stopping.signal);
    }
    this.#begun = undefined;
  }

  #skim(batch: readonly LoggedEvent[]): void {
    const first = batch[0]?.resourceVersion ?? this.#skimmedTo;
    const each = batch.values();
    const heads = { next: () => each.next().value };
    const skimmed = this.#skimming(first).some(heads, batch.length, this.#skimmedTo);
    if (skimmed !== undefined) this.#skimmed(skimmed);
  }

  #skimming(first: ResourceVersion): Skimming {
    const tell = (head: EventHead, verdict: Verdict): void => {
      this.#listener(head, verdict, undefined);
    };
    const { objects } = this.#parts;
    const parts = { arbiter: this.#arbiter, objects, warm: this.#warm, tell };
    this.#begun ??= new Skimming(parts, first, this.#skimmedTo);
    return this.#begun;
  }

  #skimmed({ effective, last, time }: Skimmed): void {
    const { views, store, applied } = this.#parts;
    store.record(effective, { applied: last, writers: this.#arbiter.writers, time });
    applied.moveTo(last);
    for (const view of views) view.skipTo?.(last);
  }

  #fold(batch: readonly LoggedEvent[]): void {
    const { objects, views, store, applied } = this.#parts;
    const judged: [LoggedEvent, Verdict, CommittedEvent | undefined][] = [];
    const effective: CommittedEvent[] = [];
    let time = Number.NEGATIVE_INFINITY;
    for (const event of batch) {
      if (event.time > time) time = event.time;
      const verdict = this.#arbiter.judge(event);
      const isEffective = verdict === 'effective' && isChange(event);
      const committed = isEffective ? this.#committed(event) : undefined;
      if (committed !== undefined) {
        objects.apply(committed);
        for (const view of views) view.apply(committed);
        effective.push(committed);
      }
      judged.push([event, verdict, committed]);
    }
    const last = lastVersion(batch);
    store.record(effective, { applied: last, writers: this.#arbiter.writers, time });
    applied.moveTo(last);
    for (const view of views) view.endOfBatch?.();
    for (const [event, verdict, committed] of judged) this.#listener(event, verdict, committed);
  }

  #committed(event: LoggedChange): CommittedEvent {
    const { resourceVersion: version, type, resource, path } = event;
    const previous = this.#parts.objects.get(resource, path);
    if (type !== 'deleted') {
      const object = this.#warm.written(event, previous);
      return { resourceVersion: version, type, resource, path, object, previous };
    }
    this.#warm.replaced(previous);
    return {
      resourceVersion: version,
      type,
      resource,
      path,
      object: storedObject(event),
      previous,
    };
  }
}

function ignore(): void {
  // Told by others.
}

function lastVersion(batch: readonly LoggedEvent[]): ResourceVersion {
  return batch.at(-1)?.resourceVersion ?? resourceVersion(0);
}
