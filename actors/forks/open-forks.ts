/**
 * The forks that are open just now. A fork is opened by the first request that comes for it, and
 * closed again when nobody has come for long or others need the room; so a hundred forks that
 * nobody looks at cost no more than their objects.
 *
 * Which forks there are is not decided here but by their objects. When one of those is deleted the
 * fork's watches end, what is under way is finished, and everything that is kept of it is removed.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Fork } from '../served-resources/fork-bases.ts';

/** The control plane of a fork. */
export interface ForkPlane {
  /** The way in, for requests that have crossed the filters. */
  readonly dispatch: Ref<AuthenticatedRequest>;
  /** Of the object that exists there under a path; undefined: none does. */
  uidOf(resource: string, path: string): Promise<string | undefined>;
  /** Ends what would not end by itself. */
  endWatches(): void;
  /** Finishes what is under way, then lets go of the log. */
  close(): Promise<void>;
}

export interface ForkOpener {
  /** @param failed is told when the fork's log cannot be read any more. */
  open(fork: Fork, failed: (error: unknown) => void): Promise<ForkPlane>;
  /** Removes all that is kept of a fork, which is not open. */
  remove(uid: string): Promise<void>;
}

export interface OpenForksParts {
  readonly opener: ForkOpener;
  readonly clock: Clock;
  readonly faults: Faults;
}

/** How many may be open though nobody is in them. */
export const IDLE_FORKS_MAX = 16;
export const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;
/** How long the requests that are under way in a deleted fork are waited for. */
const LEAVING_MS = 60_000;

interface Entry {
  readonly uid: string;
  readonly opening: Promise<ForkPlane>;
  plane: ForkPlane | undefined;
  /** Requests and watches that are under way. */
  inside: number;
  usedAt: number;
  closing: Promise<void> | undefined;
  whenEmpty: (() => void) | undefined;
}

export class OpenForks {
  readonly #parts: OpenForksParts;
  readonly #entries = new Map<string, Entry>();
  readonly #removals = new Set<Promise<void>>();
  #isSweeping = false;
  #isClosed = false;

  constructor(parts: OpenForksParts) {
    this.#parts = parts;
  }

  /** How many are open, or being opened or closed. */
  get count(): number {
    return this.#entries.size;
  }

  /**
   * The fork's control plane, at once where it is open; it stays so until the request has ended.
   *
   * @throws what is in the way of opening it, as the promise that is returned.
   */
  enter(fork: Fork, request: AuthenticatedRequest): ForkPlane | Promise<ForkPlane> {
    const entry = this.#entryOf(fork);
    entry.inside += 1;
    request.atTheEnd(() => {
      this.#leave(entry);
    });
    return entry.plane ?? entry.opening;
  }

  /** The fork's object is gone. */
  removed(uid: string): void {
    const removal = this.#remove(uid)
      .catch((error: unknown) => {
        // What is left behind is removed at the next start.
        this.#parts.faults.record(`removing the fork ${uid}`, error);
      })
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  /** Closes all of them; nobody may come any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const entries = [...this.#entries.values()];
    await Promise.all(entries.map((entry) => entry.opening.catch(nothing)));
    await Promise.all(entries.map((entry) => this.#close(entry)));
    await Promise.all(this.#removals);
  }

  #entryOf(fork: Fork): Entry {
    const found = this.#entries.get(fork.uid);
    if (found !== undefined && found.closing === undefined) {
      found.usedAt = this.#parts.clock.now();
      return found;
    }
    const entry: Entry = {
      uid: fork.uid,
      opening: this.#open(fork, found?.closing, (plane) => (entry.plane = plane)),
      plane: undefined,
      inside: 0,
      usedAt: this.#parts.clock.now(),
      closing: undefined,
      whenEmpty: undefined,
    };
    this.#entries.set(fork.uid, entry);
    // Told to whoever waits; and whoever comes next tries again.
    entry.opening.catch(() => this.#forget(entry));
    this.#sweepLater();
    return entry;
  }

  async #open(
    fork: Fork,
    before: Promise<void> | undefined,
    opened: (plane: ForkPlane) => void,
  ): Promise<ForkPlane> {
    await before;
    const plane = await this.#parts.opener.open(fork, (error) => {
      this.#parts.faults.record(`reading the log of the fork ${fork.name}`, error);
      const entry = this.#entries.get(fork.uid);
      // What it knows cannot be trusted any more: the next request opens it anew.
      if (entry?.plane === plane && entry.closing === undefined) void this.#close(entry);
    });
    opened(plane);
    this.#closeLeastUsed();
    return plane;
  }

  #leave(entry: Entry): void {
    entry.inside -= 1;
    entry.usedAt = this.#parts.clock.now();
    if (entry.inside === 0) entry.whenEmpty?.();
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.uid) === entry) this.#entries.delete(entry.uid);
  }

  #idle(): Entry[] {
    return [...this.#entries.values()]
      .filter(({ plane, inside, closing }) => {
        return plane !== undefined && inside === 0 && closing === undefined;
      })
      .sort((a, b) => a.usedAt - b.usedAt);
  }

  #closeLeastUsed(): void {
    const idle = this.#idle();
    for (const entry of idle.slice(0, Math.max(0, idle.length - IDLE_FORKS_MAX))) {
      void this.#close(entry);
    }
  }

  #sweepLater(): void {
    if (this.#isSweeping || this.#isClosed) return;
    this.#isSweeping = true;
    this.#parts.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const longAgo = this.#parts.clock.now() - IDLE_MS;
      for (const entry of this.#idle()) if (entry.usedAt <= longAgo) void this.#close(entry);
      if (this.#entries.size > 0) this.#sweepLater();
    });
  }

  /** Never rejects. */
  #close(entry: Entry): Promise<void> {
    if (entry.closing === undefined) entry.plane?.endWatches();
    entry.closing ??= (entry.plane?.close() ?? Promise.resolve())
      .catch((error: unknown) => {
        this.#parts.faults.record(`closing the fork ${entry.uid}`, error);
      })
      .finally(() => {
        this.#forget(entry);
      });
    return entry.closing;
  }

  async #remove(uid: string): Promise<void> {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) {
      await entry.opening.catch(nothing);
      entry.plane?.endWatches();
      await this.#whenLeft(entry);
      await this.#close(entry);
    }
    await this.#parts.opener.remove(uid);
  }

  #whenLeft(entry: Entry): Promise<void> {
    return new Promise((resolve) => {
      if (entry.inside === 0) {
        resolve();
        return;
      }
      const cancel = this.#parts.clock.after(LEAVING_MS, resolve);
      entry.whenEmpty = () => {
        cancel();
        resolve();
      };
    });
  }
}

function nothing(): void {
  // Whoever waits for it is told.
}
