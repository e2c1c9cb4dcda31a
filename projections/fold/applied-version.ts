/** How far the fold has come, and waiting until it has come far enough. */
import type { Clock } from '../../api/meta/clock.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

interface Waiting {
  readonly version: ResourceVersion;
  readonly wake: (applied: boolean) => void;
}

export class AppliedVersion {
  readonly #clock: Clock;
  #applied = resourceVersion(0);
  #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get current(): ResourceVersion {
    return this.#applied;
  }

  moveTo(version: ResourceVersion): void {
    this.#applied = version;
    if (this.#waiting.size === 0) return;
    for (const one of this.#waiting) {
      if (one.version <= version) one.wake(true);
    }
  }

  /**
   * Calls back with true as soon as `version` is applied, with false after `timeoutMs` without it.
   *
   * @returns ends the waiting without calling back.
   */
  whenApplied(
    version: ResourceVersion,
    timeoutMs: number,
    done: (applied: boolean) => void,
  ): () => void {
    if (version <= this.#applied) {
      done(true);
      return nothing;
    }
    const forget = (): void => {
      this.#waiting.delete(waiting);
      cancelTimeout();
    };
    const wake = (applied: boolean): void => {
      forget();
      done(applied);
    };
    const waiting: Waiting = { version, wake };
    const cancelTimeout = this.#clock.after(timeoutMs, () => {
      wake(false);
    });
    this.#waiting.add(waiting);
    return forget;
  }
}

function nothing(): void {
  // It was applied already.
}
