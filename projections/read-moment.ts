/**
 * "Now", for a reader that must see everything that was acknowledged before it asked.
 *
 * With one process on its own log the answer is at hand: a write is acknowledged only after this
 * process has folded it. Many processes on one log have to ask the log, and the sure way to ask is to
 * write to it: see `Committer.reach`.
 */
import type { MaybePromise } from '../api/meta/maybe-promise.ts';
import type { EventReader } from '../streams/event-log.ts';
import type { ResourceVersion } from '../streams/resource-version.ts';
import type { AppliedVersion } from './fold/applied-version.ts';

export interface ReadMoment {
  /**
   * A version that is applied, with all that was acknowledged before this call; undefined when the
   * log gave no answer in time. Never rejects.
   */
  newest(): MaybePromise<ResourceVersion | undefined>;
}

/** Now is what this server has applied: it is the only one that writes its log. */
export class OwnLogMoment implements ReadMoment {
  readonly #applied: AppliedVersion;

  constructor(applied: AppliedVersion) {
    this.#applied = applied;
  }

  newest(): ResourceVersion {
    return this.#applied.current;
  }
}

/** What a log says its end is may be asked for so long, and what is there waited for. */
const TIMEOUT_MS = 10_000;

/**
 * The end of a log that several processes of this machine share: each can read it at any moment, and what
 * is there is durable. Mostly it is applied already.
 */
export class SharedEndMoment implements ReadMoment {
  readonly #end: () => ResourceVersion;
  readonly #applied: AppliedVersion;

  /** @param end throws where the log cannot be read any more. */
  constructor(end: () => ResourceVersion, applied: AppliedVersion) {
    this.#end = end;
    this.#applied = applied;
  }

  newest(): MaybePromise<ResourceVersion | undefined> {
    let end: ResourceVersion;
    try {
      end = this.#end();
    } catch {
      return undefined;
    }
    return end <= this.#applied.current ? this.#applied.current : this.#whenApplied(end);
  }

  async #whenApplied(end: ResourceVersion): Promise<ResourceVersion | undefined> {
    const isApplied = await this.#applied.whenApplied(end, TIMEOUT_MS);
    return isApplied ? this.#applied.current : undefined;
  }
}

/**
 * The end that the log reports, which costs no record. A Kafka leader that was deposed and does not
 * know it yet reports an old end for some milliseconds, so this is for servers that accept that.
 *
 * One question is under way at a time; readers that come meanwhile share the next.
 */
export class ReportedEndMoment implements ReadMoment {
  readonly #log: Pick<EventReader, 'newest'>;
  readonly #applied: AppliedVersion;
  #waiting: ((end: ResourceVersion | undefined) => void)[] = [];
  #isAsking = false;

  constructor(log: Pick<EventReader, 'newest'>, applied: AppliedVersion) {
    this.#log = log;
    this.#applied = applied;
  }

  async newest(): Promise<ResourceVersion | undefined> {
    const end = await new Promise<ResourceVersion | undefined>((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isAsking) void this.#ask();
    });
    if (end === undefined) return undefined;
    const isApplied = await this.#applied.whenApplied(end, TIMEOUT_MS);
    return isApplied ? this.#applied.current : undefined;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const asking = this.#waiting;
      this.#waiting = [];
      const end = await this.#log.newest(TIMEOUT_MS).catch(() => undefined);
      for (const tell of asking) tell(end);
    }
    this.#isAsking = false;
  }
}
