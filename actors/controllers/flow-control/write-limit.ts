/**
 * How often the same object is written: where others write it too, and otherwise, both would go on for ever.
 *
 * In Kubernetes: shouldDelayUpdate, apiserver/pkg/util/flowcontrol/apf_controller.go.
 */
import type { Clock } from '../../../api/meta/clock.ts';

const WRITES_MAX = 6;
const WINDOW_MS = 60_000;

export class WriteLimit {
  readonly #clock: Clock;
  /** When each was written in the last minute; the one that was written last is the last. */
  readonly #times = new Map<string, readonly number[]>();
  /** Those that wait, and how to have them wait no longer. */
  readonly #waiting = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param again is called with the path when it may be written, where it may not now.
   * @returns whether it may be written now, which counts as a write.
   */
  take(path: string, again: (path: string) => void): boolean {
    const now = this.#clock.now();
    this.#forget(now);
    const recent = (this.#times.get(path) ?? []).filter((time) => time > now - WINDOW_MS);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= WRITES_MAX) {
      this.#wait(path, oldest + WINDOW_MS - now, again);
      return false;
    }
    this.#times.delete(path);
    this.#times.set(path, [...recent, now]);
    return true;
  }

  /** Nothing is called any more. */
  stop(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #wait(path: string, ms: number, again: (path: string) => void): void {
    if (this.#waiting.has(path)) return;
    const cancel = this.#clock.after(ms, () => {
      this.#waiting.delete(path);
      again(path);
    });
    this.#waiting.set(path, cancel);
  }

  #forget(now: number): void {
    for (const [path, times] of this.#times) {
      if ((times.at(-1) ?? 0) > now - WINDOW_MS) return;
      this.#times.delete(path);
    }
  }
}
