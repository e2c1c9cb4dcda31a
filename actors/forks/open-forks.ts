/**
 * The forks that are open just now. A fork is opened by the first request that comes for it, and
 * closed again when no request has come for long or others need the room; so a hundred forks that
 * no client uses cost no more than their objects.
 *
 * Which forks there are is not decided here but by their objects. When one of those is deleted the
 * fork's watches end, what is under way is finished, and everything that is kept of it is removed.
 */
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Fork } from '../served-resources/fork-bases.ts';
import { HeldFork, type ForkParts, type ForkPlane } from './held-fork.ts';

/** How many may be open though no request is in them. */
export const IDLE_FORKS_MAX = 16;
/** After how long without a request a fork is closed. */
export const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;

/** No fork is open any more, since the server ends. */
export class ForksClosedError extends Error {
  override readonly name = 'ForksClosedError';
}

export class OpenForks {
  readonly #parts: ForkParts;
  readonly #held = new Map<string, HeldFork>();
  readonly #removals = new Set<Promise<void>>();
  #isSweeping = false;
  #isClosed = false;

  constructor(parts: ForkParts) {
    this.#parts = parts;
  }

  /** How many are open, or being opened or closed. */
  get count(): number {
    return this.#held.size;
  }

  /**
   * The fork's control plane, at once where it is open; it stays so until the request has ended. A fork
   * that is being closed for want of requests is opened anew.
   *
   * @throws what is in the way of opening it, as the promise that is returned: a
   * {@link ForksClosedError} from {@link close} on, also for a request that waited since before.
   */
  enter(fork: Fork, request: AuthenticatedRequest): ForkPlane | Promise<ForkPlane> {
    if (this.#isClosed) return Promise.reject(new ForksClosedError());
    const held = this.#heldFork(fork);
    held.entered();
    request.atTheEnd(() => {
      held.left();
    });
    return held.plane ?? this.#opened(held);
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

  /** Closes all of them, and opens none any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#held.values()];
    for (const held of all) held.tell('close');
    await Promise.all(all.map(({ gone }) => gone));
    await Promise.all(this.#removals);
  }

  async #opened({ opening }: HeldFork): Promise<ForkPlane> {
    try {
      return await opening;
    } catch (error) {
      throw this.#isClosed ? new ForksClosedError('', { cause: error }) : error;
    }
  }

  #heldFork(fork: Fork): HeldFork {
    const found = this.#held.get(fork.uid);
    if (found?.takesRequests === true) return found;
    const held = new HeldFork(fork, this.#parts, found?.gone);
    this.#held.set(fork.uid, held);
    held.opening.then(
      () => {
        this.#closeLeastUsed();
      },
      () => undefined, // The requests that wait for it are told, and the next one tries again.
    );
    void held.gone.then(() => {
      if (this.#held.get(held.uid) === held) this.#held.delete(held.uid);
    });
    this.#sweepLater();
    return held;
  }

  /** The one that was used least lately comes first. */
  #idle(): HeldFork[] {
    return [...this.#held.values()]
      .filter(({ isIdle }) => isIdle)
      .sort((a, b) => a.usedAt - b.usedAt);
  }

  #closeLeastUsed(): void {
    const idle = this.#idle();
    for (const held of idle.slice(0, Math.max(0, idle.length - IDLE_FORKS_MAX))) held.tell('close');
  }

  #sweepLater(): void {
    if (this.#isSweeping || this.#isClosed) return;
    this.#isSweeping = true;
    this.#parts.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const longAgo = this.#parts.clock.now() - IDLE_MS;
      for (const held of this.#idle()) if (held.usedAt <= longAgo) held.tell('close');
      if (this.#held.size > 0) this.#sweepLater();
    });
  }

  async #remove(uid: string): Promise<void> {
    const held = this.#held.get(uid);
    held?.tell('removed');
    await held?.gone;
    await this.#parts.opener.remove(uid);
  }
}
