/**
 * Writes to the same object queue up behind each other; writes to different objects do not.
 *
 * A slot is there only while somebody writes, so objects that rest cost nothing.
 */
export type Release = () => void;
export type Job = (release: Release) => void;

export class KeySlots {
  readonly #waiting = new Map<string, Job[]>();

  /** Keys being written at the moment. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Runs the job now, or when those before it have released the key. It must release exactly once. */
  take(key: string, job: Job): void {
    const queue = this.#waiting.get(key);
    if (queue !== undefined) {
      queue.push(job);
      return;
    }
    this.#waiting.set(key, []);
    this.#run(key, job);
  }

  /** Runs jobs until one keeps the key. A loop: thousands may wait that are all decided at once. */
  #run(key: string, first: Job | undefined): void {
    let job = first;
    while (job !== undefined) {
      const turn: Turn = { isRunning: true, isReleased: false };
      const release = (): void => {
        if (turn.isReleased) return;
        turn.isReleased = true;
        if (!turn.isRunning) this.#run(key, this.#next(key));
      };
      try {
        job(release);
      } catch (error) {
        turn.isRunning = false;
        release();
        throw error;
      }
      turn.isRunning = false;
      if (!turn.isReleased) return;
      job = this.#next(key);
    }
  }

  #next(key: string): Job | undefined {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    return next;
  }
}

interface Turn {
  isRunning: boolean;
  isReleased: boolean;
}
