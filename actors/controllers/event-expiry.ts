/**
 * Removes the objects of kind Event that were not written for --event-ttl. A removal is a change in
 * the log like any other, so every server of the log has the same events at every version, watchers
 * are told DELETED, and the past still shows what has expired.
 *
 * In Kubernetes: TTLFunc of kubernetes/pkg/registry/core/event/storage, by leases of etcd.
 */
import type { Random } from '../../api/meta/clock.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { CommittedEvent, StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Commit } from '../registry/commit/committer.ts';
import { removeStored, type RemovalParts } from './removals.ts';

export interface EventExpiryParts extends RemovalParts {
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  /** Tells when an event was written, by the clock of the server that wrote it. */
  readonly log: Pick<EventReader, 'at'>;
  /** Tells of every change that takes effect from now on. */
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly random: Pick<Random, 'integer'>;
  readonly failed: (error: unknown) => void;
  /** Since an event was written last, in milliseconds; 0: events live on. */
  readonly ttlMs: number;
}

export interface EventExpiry {
  /** Resolves when nothing is being removed any more. */
  stop(): Promise<void>;
}

const EVENTS = 'core/events';
/** Under way at the same time: enough to share the log's flushes. */
const AT_ONCE = 64;
/** Of several servers on a log mostly one finds something to remove. */
const SPREAD_MS = 1_000;
const RETRY_MS = 5_000;

/** When all views are filled. */
export function startEventExpiry(parts: EventExpiryParts): EventExpiry {
  if (parts.ttlMs === 0) return { stop: () => Promise.resolve() };
  return new RunningExpiry(parts);
}

class RunningExpiry implements EventExpiry {
  readonly #parts: EventExpiryParts;
  /** The version of each event that there is, rising: what was written first expires first. */
  readonly #versions: Map<string, ResourceVersion>;
  #cancel: (() => void) | undefined;
  #removing = Promise.resolve();
  #isStopped = false;

  constructor(parts: EventExpiryParts) {
    this.#parts = parts;
    const there = [...parts.objects.of(EVENTS).inOrder('')];
    there.sort((a, b) => a.resourceVersion - b.resourceVersion);
    this.#versions = new Map(there.map(({ path, resourceVersion }) => [path, resourceVersion]));
    parts.listen((event) => {
      if (event.resource === EVENTS) this.#changed(event);
    });
    this.#wait(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#removing;
  }

  #changed({ type, path, resourceVersion }: CommittedEvent): void {
    this.#versions.delete(path);
    if (type === 'deleted') return;
    this.#versions.set(path, resourceVersion);
    // This is the stack of the fold: the log is asked later.
    if (this.#cancel === undefined) this.#wait(this.#parts.ttlMs);
  }

  #waitForFirst(): void {
    const { clock } = this.#parts;
    const expiry = this.#firstExpiry();
    if (expiry === undefined) return;
    this.#wait(Math.max(expiry - clock.now(), 0));
  }

  #wait(delayMs: number): void {
    if (this.#isStopped) return;
    const { clock, random, failed } = this.#parts;
    this.#cancel = clock.after(delayMs + random.integer(SPREAD_MS), () => {
      this.#removing = this.#removeDue().catch((error: unknown) => {
        failed(error);
        this.#wait(RETRY_MS);
      });
    });
  }

  /** What changes meanwhile is met by the next wait, which begins when this has ended. */
  async #removeDue(): Promise<void> {
    for (;;) {
      const due = this.#due();
      if (due.length === 0) break;
      const commits = await Promise.all(due.map((stored) => removeStored(this.#parts, stored)));
      if (this.#isStopped) return;
      if (!commits.every(isSettled)) {
        this.#wait(RETRY_MS);
        return;
      }
    }
    this.#cancel = undefined;
    this.#waitForFirst();
  }

  #due(): readonly StoredObject[] {
    const { objects, clock } = this.#parts;
    const due: StoredObject[] = [];
    for (const [path, version] of this.#versions) {
      const stored = objects.get(EVENTS, path);
      if (due.length === AT_ONCE || this.#expiryOf(version) > clock.now()) break;
      if (stored !== undefined) due.push(stored);
    }
    return due;
  }

  /** In milliseconds since 1970; undefined where there is no event. */
  #firstExpiry(): number | undefined {
    for (const version of this.#versions.values()) return this.#expiryOf(version);
    return undefined;
  }

  /** @throws Error when the log does not have what the views show. */
  #expiryOf(version: ResourceVersion): number {
    const record = this.#parts.log.at(version);
    if (record === undefined) throw new Error(`version ${String(version)} is not in the log`);
    return record.time + this.#parts.ttlMs;
  }
}

/** Removed, or changed meanwhile, of which is heard. */
function isSettled({ kind }: Commit): boolean {
  return kind === 'committed' || kind === 'overtaken';
}
