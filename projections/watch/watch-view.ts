/**
 * The watch view of one resource: shows each watcher what its selection lets it see, in order,
 * without gap or double, from any version that the log still has.
 *
 * Watchers that want the same events in the same form are a group: what a batch brings is
 * rendered once for all of them, and offered to each as one chunk. A watcher that is full is
 * never cut off: it leaves the live ones with the version it has seen, and when it has room
 * again it catches up from the window, or, too far behind, from the history.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import { LogTrimmedError } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Selection } from '../objects/selection.ts';
import { HistoryBehindError } from '../store/object-history.ts';
import type { Projection } from '../fold/projection.ts';
import type { CatchUpChunks, CatchUpStep } from './catch-up-chunks.ts';
import { EventWindow, type Portion } from './event-window.ts';
import { LiveWatchers } from './live-watchers.ts';
import { changeSeen, type WatchEvent } from './watch-event.ts';

/** What all watchers of a group have in common. */
export interface WatchShape {
  /** Equal for two watchers if and only if they see the same bytes. */
  readonly key: string;
  /** Which events are shown, and of which objects. */
  readonly selection: Selection;
  /** The events, not none of them, as they go over the wire. */
  render(events: readonly WatchEvent[]): Buffer;
}

/** What takes the events of a watch: a session on the wire, or a client inside the server. */
export interface Watcher {
  /** By which the watcher finds its group. */
  readonly shape: WatchShape;
  /** Takes the chunk in any case, and answers whether it wants more now. Must not throw. */
  offer(chunk: Buffer): boolean;
  /** It has been offered all that there is, and is live from now on. */
  caughtUp(): void;
  /** Everything up to here has been offered. Told from time to time, and only while it is live. */
  progressed(version: ResourceVersion): void;
  /** The past it asked for cannot be read: nothing more will be offered. */
  fail(failure: WatchFailure): void;
}

/** `expired`: the log was cut behind it. */
export interface WatchFailure {
  /** `unreadable`: the log or the store failed. */
  readonly kind: 'expired' | 'unreadable';
  /** As it was thrown, for the log of the server. */
  readonly error: unknown;
}

/** What became of a watch whose past could not be read, by what was thrown. */
export function failureOf(error: unknown): WatchFailure {
  return { kind: error instanceof LogTrimmedError ? 'expired' : 'unreadable', error };
}

/** Gives the events of a resource after a version that the window no longer has. */
export type ReadHistory = (
  after: ResourceVersion,
  portion: Portion,
) => Promise<{
  readonly events: readonly CommittedEvent[];
  /** Whether there are more behind them, which did not fit. */
  readonly more: boolean;
}>;

export interface WatchViewParts {
  readonly window: EventWindow;
  readonly readHistory: ReadHistory;
  /** Why nothing is shown from this version on; undefined: it is. */
  readonly gone: (version: ResourceVersion) => LogTrimmedError | undefined;
  /** How far the fold has come. */
  readonly applied: () => ResourceVersion;
  readonly clock: Clock;
  /** Of all views of the control plane. */
  readonly catchUps: CatchUpChunks;
}

/** How many events and objects there were since the view was made. */
export interface WatchCounts {
  /** That the view was told of. */
  received: number;
  /** That were shown while watchers were there. */
  dispatched: number;
  /** That watches began with, before they were live. */
  initial: number;
}

/** What lies behind a version, as it was read for all that wait for it. */
interface Reading {
  readonly events: readonly CommittedEvent[];
  readonly reached: ResourceVersion;
}

interface Group {
  readonly shape: WatchShape;
  readonly live: LiveWatchers<Watcher>;
}

/** What a watcher that is behind is offered at once: all that it can keep in memory when it stalls. */
const CATCH_UP: Portion = { events: 64, bytes: 256 * 1024 };
const ONE: Portion = { events: 1, bytes: 1 };
/** A group larger than this gathers events for a moment: one write with three events costs a third. */
const GATHER_FROM_WATCHERS = 16;
const GATHER_MS = 6;
/** How long a history that cannot be read for now is left alone. */
const RETRY_MS = 1_000;

let views = 0;

export class WatchView implements Projection {
  readonly name = 'watch';
  readonly counts: WatchCounts;
  readonly #parts: WatchViewParts;
  readonly #number: number;
  readonly #groups = new Map<string, Group>();
  readonly #behind = new Map<Watcher, ResourceVersion>();
  /** Those that have not been live yet. */
  readonly #beginning = new Set<Watcher>();
  /** What is being read of the history, by the version behind which it lies. */
  readonly #readings = new Map<ResourceVersion, Promise<Reading>>();
  #fresh: CommittedEvent[] = [];
  #liveCount = 0;
  #gathering = false;

  constructor(
    parts: WatchViewParts,
    counts: WatchCounts = { received: 0, dispatched: 0, initial: 0 },
  ) {
    this.#parts = parts;
    this.counts = counts;
    views += 1;
    this.#number = views;
  }

  /** How far the fold has come, or what stands still. */
  get applied(): ResourceVersion {
    return this.#parts.applied();
  }

  /**
   * A view of its own that stands still at a version that is applied: it shows what came up to
   * there, and to watchers that have seen that nothing but their progress.
   */
  until(version: ResourceVersion): WatchView {
    const readHistory: ReadHistory = async (after, portion) => {
      const { events, more } = await this.changesAfter(after, portion);
      const until = events.filter(({ resourceVersion }) => resourceVersion <= version);
      return { events: until, more: more && until.length === events.length };
    };
    const window = new EventWindow(0, version);
    const parts = { ...this.#parts, window, readHistory, applied: () => version };
    return new WatchView(parts, this.counts);
  }

  get watcherCount(): number {
    return this.#liveCount + this.#behind.size;
  }

  /** How far those have come that have been live and do not take what they are offered. */
  slowVersions(): ResourceVersion[] {
    return [...this.#behind]
      .filter(([watcher]) => !this.#beginning.has(watcher))
      .map(([, version]) => version);
  }

  apply(event: CommittedEvent): void {
    this.counts.received += 1;
    this.#parts.window.push(event);
    if (this.#liveCount > 0) this.#fresh.push(event);
  }

  endOfBatch(): void {
    if (this.#fresh.length === 0) return;
    if (this.#liveCount < GATHER_FROM_WATCHERS) {
      this.#show();
    } else if (!this.#gathering) {
      this.#gathering = true;
      this.#parts.clock.after(GATHER_MS, () => {
        this.#gathering = false;
        this.#show();
      });
    }
  }

  /** Starts a watcher that has seen everything up to `version`. */
  start(watcher: Watcher, version: ResourceVersion): void {
    const error = this.#parts.gone(version);
    if (error !== undefined) {
      watcher.fail({ kind: 'expired', error });
      return;
    }
    this.#behind.set(watcher, version);
    this.#beginning.add(watcher);
    this.resume(watcher);
  }

  /** The watcher has room again: goes on where it was. */
  resume(watcher: Watcher): void {
    let version = this.#behind.get(watcher);
    while (version !== undefined) {
      const step = this.#stepAtHand(watcher.shape, version);
      if (step === undefined) break;
      if (!this.#offerStep(watcher, step)) return;
      version = step.reached;
    }
    if (version === undefined) return;
    if (this.#parts.window.reachesBackTo(version)) this.#goLive(watcher);
    else this.#catchUpFromHistory(watcher, version);
  }

  /** What changed behind a version, for a reader that is no watcher. @throws LogTrimmedError as a rejection. */
  changesAfter(version: ResourceVersion, portion: Portion): ReturnType<ReadHistory> {
    const { window, readHistory } = this.#parts;
    if (!window.reachesBackTo(version)) return readHistory(version, portion);
    const events = window.after(version, portion);
    const last = events.at(-1)?.resourceVersion;
    const more = last !== undefined && window.after(last, ONE).length > 0;
    return Promise.resolve({ events, more });
  }

  stop(watcher: Watcher): void {
    this.#behind.delete(watcher);
    this.#beginning.delete(watcher);
    const group = this.#groups.get(watcher.shape.key);
    if (group?.live.delete(watcher) === true) this.#left(group);
  }

  /** Shows now what is being gathered. @returns the version that live watchers have seen by then. */
  showGathered(): ResourceVersion {
    this.#show();
    return this.#parts.applied();
  }

  /** Tells the live watchers how far they have come: what a bookmark may say. */
  announceProgress(): void {
    this.#show();
    const version = this.#parts.applied();
    for (const { live } of this.#groups.values()) {
      live.forEach((watcher) => {
        watcher.progressed(version);
      });
    }
  }

  isLive(watcher: Watcher): boolean {
    return this.#groups.get(watcher.shape.key)?.live.has(watcher) === true;
  }

  /** Offers what is fresh to the live watchers, one rendering and one chunk per group. */
  #show(): void {
    const events = this.#fresh;
    const version = this.#parts.applied();
    if (events.length === 0) return;
    this.#fresh = [];
    this.counts.dispatched += events.length;
    for (const group of this.#groups.values()) {
      const chunk = rendered(group.shape, events);
      if (chunk !== undefined) this.#offerToAll(group, chunk, version);
    }
  }

  #offerToAll(group: Group, chunk: Buffer, version: ResourceVersion): void {
    group.live.forEach((watcher) => {
      // A wire that broke while it was written to has stopped the watcher already.
      if (watcher.offer(chunk) || !group.live.delete(watcher)) return;
      this.#behind.set(watcher, version);
      this.#left(group);
    });
  }

  /** What the watcher is offered next; undefined: there is nothing, or it has to be read from the history. */
  #stepAtHand(shape: WatchShape, version: ResourceVersion): CatchUpStep | undefined {
    const { window } = this.#parts;
    if (!window.reachesBackTo(version)) return this.#knownStep(shape, version);
    const events = window.after(version, CATCH_UP);
    const last = events.at(-1);
    if (last === undefined) return undefined;
    return this.#stepOf(shape, version, { events, reached: last.resourceVersion });
  }

  /** What another watcher of the shape was offered behind this version, unless it was cut meanwhile. */
  #knownStep(shape: WatchShape, version: ResourceVersion): CatchUpStep | undefined {
    const { catchUps, gone } = this.#parts;
    const known = catchUps.isEmpty ? undefined : catchUps.of(this.#keyOf(shape, version));
    return known === undefined || gone(version) !== undefined ? undefined : known;
  }

  /** Rendered, and kept where others may come by. */
  #stepOf(shape: WatchShape, version: ResourceVersion, reading: Reading): CatchUpStep {
    const known = this.#knownStep(shape, version);
    if (known !== undefined) return known;
    const { events, reached } = reading;
    const step = { chunk: rendered(shape, events), events: events.length, reached };
    // One that leads nowhere is asked for again, and not found here for ever.
    if (this.#behind.size > 1 && reached > version) {
      this.#parts.catchUps.keep(this.#keyOf(shape, version), step);
    }
    return step;
  }

  #keyOf({ key }: WatchShape, version: ResourceVersion): string {
    return `${String(this.#number)} ${String(version)} ${key}`;
  }

  /** @returns whether it wants more, and was not stopped by what it was offered. */
  #offerStep(watcher: Watcher, { chunk, events, reached }: CatchUpStep): boolean {
    if (this.#beginning.has(watcher)) this.counts.initial += events;
    this.#behind.set(watcher, reached);
    const wantsMore = chunk === undefined || watcher.offer(chunk);
    return wantsMore && this.#behind.has(watcher);
  }

  #catchUpFromHistory(watcher: Watcher, from: ResourceVersion): void {
    const isThere = (): boolean => this.#behind.get(watcher) === from;
    this.#reading(from)
      .then((reading) => {
        // It may have been stopped, or resumed a second time, while the log was read.
        if (!isThere()) return;
        const step = this.#stepOf(watcher.shape, from, reading);
        if (this.#offerStep(watcher, step)) this.resume(watcher);
      })
      .catch((error: unknown) => {
        if (error instanceof HistoryBehindError) {
          // Nothing is lost, and it goes on where it is when the disk has room again.
          this.#parts.clock.after(RETRY_MS, () => {
            if (isThere()) this.resume(watcher);
          });
          return;
        }
        this.stop(watcher);
        watcher.fail(failureOf(error));
      });
  }

  /** Once for all that wait for it. */
  #reading(from: ResourceVersion): Promise<Reading> {
    const known = this.#readings.get(from);
    if (known !== undefined) return known;
    // What is applied while it is read may not be in it.
    const applied = this.#parts.applied();
    const reading = this.#parts.readHistory(from, CATCH_UP).then(({ events, more }) => {
      const last = events.at(-1)?.resourceVersion ?? from;
      return { events, reached: !more && last < applied ? applied : last };
    });
    this.#readings.set(from, reading);
    const isOver = (): void => void this.#readings.delete(from);
    reading.then(isOver, isOver);
    return reading;
  }

  /** From now on it gets what is fresh; what others still wait for, it has from the window. */
  #goLive(watcher: Watcher): void {
    this.#show();
    this.#behind.delete(watcher);
    this.#beginning.delete(watcher);
    const { shape } = watcher;
    let group = this.#groups.get(shape.key);
    if (group === undefined) {
      group = { shape, live: new LiveWatchers<Watcher>() };
      this.#groups.set(shape.key, group);
    }
    group.live.add(watcher);
    this.#liveCount += 1;
    watcher.caughtUp();
  }

  #left(group: Group): void {
    this.#liveCount -= 1;
    if (group.live.size === 0) this.#groups.delete(group.shape.key);
  }
}

function rendered(shape: WatchShape, events: readonly CommittedEvent[]): Buffer | undefined {
  const seen: WatchEvent[] = [];
  for (const event of events) {
    const change = changeSeen(shape.selection, event);
    if (change !== undefined) seen.push(change);
  }
  return seen.length === 0 ? undefined : shape.render(seen);
}
