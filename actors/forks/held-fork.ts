/**
 * One fork that is open, or on its way there or from there. What may happen to it when is said by its
 * statechart, {@link FORK_LIFE}.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Fork } from '../served-resources/fork-bases.ts';
import {
  FORK_LIFE,
  type ForkEffect,
  type ForkSignal,
  type ForkState,
} from './held-fork.machine.ts';

/** The control plane of a fork. */
export interface ForkPlane {
  /** The way in, for requests that have crossed the filters. */
  readonly dispatch: Ref<AuthenticatedRequest>;
  /** Of the object that exists there under a path; undefined: none does. */
  uidOf(resource: string, path: string): Promise<string | undefined>;
  /** Ends the watches, which would not end by themselves. */
  endWatches(): void;
  /** Finishes what is under way, then lets go of the log. */
  close(): Promise<void>;
}

/** Opens forks and removes them: where they lie is its affair. */
export interface ForkOpener {
  /** @param failed is told when the fork's log cannot be read any more. */
  open(fork: Fork, failed: (error: unknown) => void): Promise<ForkPlane>;
  /** Removes all that is kept of a fork, which is not open. */
  remove(uid: string): Promise<void>;
}

/** What every fork of a server needs. */
export interface ForkParts {
  readonly opener: ForkOpener;
  readonly clock: Clock;
  readonly faults: Faults;
}

/** How long the requests that are under way in a deleted fork are waited for. */
const LEAVING_MS = 60_000;

/** The states in which a request may come in; in the others it opens the fork anew. */
const TAKES_REQUESTS: readonly ForkState[] = ['opening', 'openingToRemove', 'open', 'leaving'];

export class HeldFork {
  readonly uid: string;
  /** Its control plane, when it is open. Rejects when it cannot be opened, or has to be closed at once. */
  readonly opening: Promise<ForkPlane>;
  /** Resolves when it is closed, or could not be opened. */
  readonly gone: Promise<void>;
  /** When a request came or left last: milliseconds since 1970. */
  usedAt: number;
  readonly #parts: ForkParts;
  #state: ForkState = 'opening';
  #plane: ForkPlane | undefined;
  /** Requests and watches that are under way in it. */
  #inside = 0;
  #stopWaiting: () => void = nothing;
  #forget: () => void = nothing;

  /** @param before another one of the same fork, which has to be gone first. */
  constructor(fork: Fork, parts: ForkParts, before: Promise<void> | undefined) {
    this.uid = fork.uid;
    this.#parts = parts;
    this.usedAt = parts.clock.now();
    this.gone = new Promise((resolve) => {
      this.#forget = resolve;
    });
    this.opening = this.#open(fork, before);
  }

  get state(): ForkState {
    return this.#state;
  }

  /** Its control plane, where it is open already. */
  get plane(): ForkPlane | undefined {
    return this.#plane;
  }

  get takesRequests(): boolean {
    return TAKES_REQUESTS.includes(this.#state);
  }

  /** Whether it is open and no request is inside. */
  get isIdle(): boolean {
    return this.#state === 'open' && this.#inside === 0;
  }

  entered(): void {
    this.#inside += 1;
    this.usedAt = this.#parts.clock.now();
  }

  left(): void {
    this.#inside -= 1;
    this.usedAt = this.#parts.clock.now();
    if (this.#inside === 0) this.tell('empty');
  }

  /** Goes to the state that the chart says, and does what belongs to it. */
  tell(signal: ForkSignal): void {
    const step = FORK_LIFE[this.#state][signal];
    if (step === undefined) return;
    this.#state = step.target;
    for (const effect of step.effects) this.#perform(effect);
  }

  async #open(fork: Fork, before: Promise<void> | undefined): Promise<ForkPlane> {
    await before;
    const plane = await this.#parts.opener
      .open(fork, (error) => {
        this.#parts.faults.record(`reading the log of the fork ${fork.name}`, error);
        this.tell('unreadable');
      })
      .catch((error: unknown) => {
        this.tell('openFailed');
        throw error;
      });
    this.#plane = plane;
    this.tell('opened');
    if (this.#state === 'closing') throw new Error('it had to be closed when it was open');
    return plane;
  }

  #perform(effect: ForkEffect): void {
    switch (effect) {
      case 'endWatches':
        this.#plane?.endWatches();
        break;
      case 'waitForEmpty':
        this.#waitForEmpty();
        break;
      case 'stopWaiting':
        this.#stopWaiting();
        break;
      case 'closePlane':
        void this.#close();
        break;
      case 'forget':
        this.#forget();
    }
  }

  #waitForEmpty(): void {
    this.#stopWaiting = this.#parts.clock.after(LEAVING_MS, () => {
      this.tell('late');
    });
    if (this.#inside === 0) this.tell('empty');
  }

  async #close(): Promise<void> {
    try {
      await this.#plane?.close();
    } catch (error) {
      this.#parts.faults.record(`closing the fork ${this.uid}`, error);
    }
    this.tell('closed');
  }
}

function nothing(): void {
  // Nothing is waited for yet.
}
