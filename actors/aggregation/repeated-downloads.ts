/**
 * Downloads that are made again and again, one for each server: after a while when the last one
 * succeeded, later each time when it failed, and at once when something changed. A server that does not
 * answer delays no other.
 *
 * In Kubernetes: the rate-limited queues of kube-aggregator's discovery manager and OpenAPI controllers.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { Faults } from '../request/faults.ts';

/**
 * `kept`: it is as new as can be. `failed`: the server did not answer as it should. `idle`: there is
 * no server to ask until something changes.
 */
export type DownloadOutcome = 'kept' | 'failed' | 'idle';

export interface DownloadsParts {
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'record'>;
  /** For the log. */
  readonly name: string;
  /** After one that succeeded. */
  readonly refreshMs: number;
  /** After the first that failed; twice as long after each further one, up to `delayMaxMs`. */
  readonly firstDelayMs: number;
  readonly delayMaxMs: number;
  readonly download: (key: string) => Promise<DownloadOutcome>;
}

interface Repeated {
  underWay: Promise<void> | undefined;
  isWantedAgain: boolean;
  failures: number;
  cancel: () => void;
}

/** The downloads of one kind. */
export class RepeatedDownloads {
  readonly #parts: DownloadsParts;
  readonly #repeated = new Map<string, Repeated>();

  constructor(parts: DownloadsParts) {
    this.#parts = parts;
  }

  /** Makes the download of this key now, or once more behind the one that is under way. */
  refresh(key: string): void {
    let repeated = this.#repeated.get(key);
    if (repeated === undefined) {
      repeated = { underWay: undefined, isWantedAgain: false, failures: 0, cancel: none };
      this.#repeated.set(key, repeated);
    }
    repeated.failures = 0;
    if (repeated.underWay !== undefined) repeated.isWantedAgain = true;
    else this.#begin(key, repeated);
  }

  /** Makes no more of this key. */
  forget(key: string): void {
    this.#repeated.get(key)?.cancel();
    this.#repeated.delete(key);
  }

  /** Resolves when those that are under way now have ended. */
  async settled(): Promise<void> {
    for (const { underWay } of [...this.#repeated.values()]) await underWay;
  }

  /** Makes none any more. */
  stop(): void {
    for (const key of this.#repeated.keys()) this.forget(key);
  }

  #begin(key: string, repeated: Repeated): void {
    repeated.cancel();
    repeated.isWantedAgain = false;
    repeated.underWay = this.#make(key, repeated);
  }

  async #make(key: string, repeated: Repeated): Promise<void> {
    const { download, faults, name } = this.#parts;
    let outcome: DownloadOutcome = 'failed';
    try {
      outcome = await download(key);
    } catch (error) {
      faults.record(`${name} ${key}`, error);
    }
    repeated.underWay = undefined;
    if (this.#repeated.get(key) !== repeated) return;
    if (repeated.isWantedAgain) this.#begin(key, repeated);
    else this.#wait(key, repeated, outcome);
  }

  #wait(key: string, repeated: Repeated, outcome: DownloadOutcome): void {
    const { clock, refreshMs, firstDelayMs, delayMaxMs } = this.#parts;
    if (outcome === 'idle') return;
    let delayMs = refreshMs;
    if (outcome === 'kept') repeated.failures = 0;
    else {
      delayMs = Math.min(firstDelayMs * 2 ** repeated.failures, delayMaxMs);
      repeated.failures += 1;
    }
    repeated.cancel = clock.after(delayMs, () => {
      this.#begin(key, repeated);
    });
  }
}

function none(): void {
  // Nothing waits.
}
