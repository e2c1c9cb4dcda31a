/**
 * "Now", for a reader who must see everything that was acknowledged before he asked.
 *
 * With one process on its own log the answer is at hand: a write is acknowledged only after this
 * process has folded it. Many processes on one log have to ask the log.
 */
import type { ResourceVersion } from '../streams/resource-version.ts';
import type { AppliedVersion } from './applied-version.ts';

export interface ReadMoment {
  /** Calls back with a version that is applied, or undefined when the log gave no answer in time. */
  newest(done: (version: ResourceVersion | undefined) => void): void;
}

export class OwnLogMoment implements ReadMoment {
  readonly #applied: AppliedVersion;

  constructor(applied: AppliedVersion) {
    this.#applied = applied;
  }

  newest(done: (version: ResourceVersion | undefined) => void): void {
    done(this.#applied.current);
  }
}
