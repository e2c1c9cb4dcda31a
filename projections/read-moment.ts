/**
 * "Now", for a reader who must see everything that was acknowledged before he asked.
 *
 * With one process on its own log the answer is at hand: a write is acknowledged only after this
 * process has folded it. Many processes on one log have to ask the log, and the sure way to ask is to
 * write to it: see `Committer.reach`.
 */
import type { EventReader } from '../streams/event-log.ts';
import type { ResourceVersion } from '../streams/resource-version.ts';
import type { AppliedVersion } from './fold/applied-version.ts';

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

/** What a log says its end is may be asked for so long, and what is there waited for. */
const TIMEOUT_MS = 10_000;

/**
 * The end that the log reports, which costs no record. A Kafka leader that was deposed and does not
 * know it yet reports an old end for some milliseconds, so this is for those who accept that.
 *
 * One question is under way at a time; who comes meanwhile shares the next.
 */
export class ReportedEndMoment implements ReadMoment {
  readonly #log: Pick<EventReader, 'newest'>;
  readonly #applied: AppliedVersion;
  #waiting: ((version: ResourceVersion | undefined) => void)[] = [];
  #isAsking = false;

  constructor(log: Pick<EventReader, 'newest'>, applied: AppliedVersion) {
    this.#log = log;
    this.#applied = applied;
  }

  newest(done: (version: ResourceVersion | undefined) => void): void {
    this.#waiting.push(done);
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const asking = this.#waiting;
      this.#waiting = [];
      const end = await this.#log.newest(TIMEOUT_MS).catch(() => undefined);
      for (const done of asking) this.#tell(end, done);
    }
    this.#isAsking = false;
  }

  #tell(
    end: ResourceVersion | undefined,
    done: (version: ResourceVersion | undefined) => void,
  ): void {
    if (end === undefined) {
      done(undefined);
      return;
    }
    this.#applied.whenApplied(end, TIMEOUT_MS, (isApplied) => {
      done(isApplied ? this.#applied.current : undefined);
    });
  }
}
