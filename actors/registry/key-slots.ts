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

  #run(key: string, job: Job): void {
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      const next = this.#waiting.get(key)?.shift();
      if (next === undefined) this.#waiting.delete(key);
      else this.#run(key, next);
    };
    try {
      job(release);
    } catch (error) {
      release();
      throw error;
    }
  }
}
