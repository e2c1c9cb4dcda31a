/**
 * Which process may open the log's file: its owner, or workers.
 *
 * LMDB makes the lock of a file anew where no process has the file open, and takes it down where the last one closes it. So
 * a process that opens the file while the last one closes it may be left with a lock that is none. While the owner has
 * the file open nothing of the kind can happen; so workers open it, also several of them at once, while the owner does not.
 */
import type { OpeningTurn } from '../mapped-file.ts';
import { MESSAGE, MessageWriter } from './messages.ts';

/** What the owner keeps of it. */
export class OpeningTurns<Worker> {
  readonly #opening = new Set<Worker>();
  readonly #waiting = new Map<Worker, () => void>();
  #isOwners = false;

  /** @returns undefined: a worker is opening the file. There may be none that ends soon, so the owner does not wait for it. */
  owners(): OpeningTurn | undefined {
    if (this.#opening.size > 0) return undefined;
    this.#isOwners = true;
    return () => {
      this.#isOwners = false;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const [worker, granted] of waiting) this.workers(worker, granted);
    };
  }

  /** @param granted is called when the worker may open the file, before this returns or when the owner has. */
  workers(worker: Worker, granted: () => void): void {
    if (this.#isOwners) {
      this.#waiting.set(worker, granted);
      return;
    }
    this.#opening.add(worker);
    granted();
  }

  /** The worker has opened the file, or is gone. */
  done(worker: Worker): void {
    this.#opening.delete(worker);
    this.#waiting.delete(worker);
  }
}

/** What a worker has of it. */
export class AskedTurns {
  readonly #send: (message: MessageWriter) => void;
  #answer: ((turn: OpeningTurn | undefined) => void) | undefined;
  #isOver = false;

  /** @param send tells the owner, which takes the first turn for given. */
  constructor(send: (message: MessageWriter) => void) {
    this.#send = send;
  }

  /** @returns undefined where there will be none. */
  ask(): Promise<OpeningTurn | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#send(new MessageWriter(MESSAGE.open).number(0));
    });
  }

  /** The owner has said that it is this worker's turn. */
  granted(): void {
    this.#take()?.(() => {
      this.opened();
    });
  }

  /** Tells that the file is open. */
  opened(): void {
    this.#send(new MessageWriter(MESSAGE.opened).number(0));
  }

  /** Nothing is asked any more, nor answered. */
  end(): void {
    this.#isOver = true;
    this.#take()?.(undefined);
  }

  #take(): ((turn: OpeningTurn | undefined) => void) | undefined {
    const answer = this.#answer;
    this.#answer = undefined;
    return answer;
  }
}
