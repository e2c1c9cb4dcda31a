/** How far the fold has come, and waiting until it has come far enough. */
import type { Clock } from '../../api/meta/clock.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

interface Waiting {
  readonly version: ResourceVersion;
  readonly wake: (isApplied: boolean) => void;
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

  /** Whether `version` is applied: at once, or as soon as it is; false after `timeoutMs` without it. */
  whenApplied(version: ResourceVersion, timeoutMs: number): MaybePromise<boolean> {
    if (version <= this.#applied) return true;
    return new Promise((resolve) => {
      this.onceApplied(version, timeoutMs, resolve);
    });
  }

  /**
   * For a listener that may go away meanwhile, as a watch does: told once, with true as soon as
   * `version` is applied, with false after `timeoutMs` without it.
   *
   * @returns ends the waiting without telling.
   */
  onceApplied(
    version: ResourceVersion,
    timeoutMs: number,
    tell: (isApplied: boolean) => void,
  ): () => void {
    if (version <= this.#applied) {
      tell(true);
      return nothing;
    }
    const forget = (): void => {
      this.#waiting.delete(waiting);
      cancelTimeout();
    };
    const wake = (isApplied: boolean): void => {
      forget();
      tell(isApplied);
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
