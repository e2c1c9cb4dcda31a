/**
 * Did this event take effect? Decided by the order of the log and by nothing else, so that
 * every replica decides alike.
 */
import { isChange, isPrefix, type EventHead, type Requirement } from '../../streams/event.ts';
import { NO_CUTS, type LogCuts } from '../../streams/log-cuts.ts';
import type { LiveVersions } from './live-versions.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

/**
 * `duplicate`: an earlier copy of the same event was already judged. `overtaken`: the object, or
 * one it requires, no longer has the version the writer saw. `marker`: there is nothing to take effect.
 */
export type Verdict = 'effective' | 'duplicate' | 'overtaken' | 'marker';

export class Arbiter {
  readonly #writers: Map<string, number>;
  readonly #live: LiveVersions;
  readonly #cuts: Pick<LogCuts, 'settled' | 'writers'>;
  #isBehindCuts: boolean;

  /**
   * @param live the objects as those of the events so far left them that took effect.
   * @param cuts of the log when it is read from its beginning; else it must be read behind them.
   */
  constructor(
    writers: ReadonlyMap<string, number>,
    live: LiveVersions,
    cuts: Pick<LogCuts, 'settled' | 'writers'> = NO_CUTS,
  ) {
    this.#writers = new Map(writers);
    this.#live = live;
    this.#cuts = cuts;
    this.#isBehindCuts = cuts.settled === 0;
  }

  /** The last sequence of each writer: part of the folded state. */
  get writers(): ReadonlyMap<string, number> {
    return this.#writers;
  }

  /** Judges the next event of the log. To be called once for each, in order. */
  judge(event: EventHead): Verdict {
    if (!this.#isBehindCuts) {
      // What it was judged by may be gone, and so is all that took no effect.
      if (event.resourceVersion <= this.#cuts.settled) return 'effective';
      this.#passCuts();
    }
    const last = this.#writers.get(event.writer);
    if (last !== undefined && event.sequence <= last) return 'duplicate';
    this.#writers.set(event.writer, event.sequence);
    if (!isChange(event)) return 'marker';
    return this.#holds(event) ? 'effective' : 'overtaken';
  }

  #passCuts(): void {
    this.#isBehindCuts = true;
    for (const [writer, sequence] of this.#cuts.writers) this.#writers.set(writer, sequence);
  }

  #holds(event: EventHead): boolean {
    const { type, resource, path, previousResourceVersion, requires } = event;
    if ((type === 'added') !== (previousResourceVersion === 0)) return false;
    if (this.#live.versionOf(resource, path) !== previousResourceVersion) return false;
    return requires.every((one) => this.#isMet(one, event.resourceVersion));
  }

  #isMet({ resource, path, resourceVersion: said }: Requirement, place: number): boolean {
    // In front of the first place there is no record.
    if (said < 0 && place + said <= 0) return false;
    const version = said < 0 ? resourceVersion(place + said) : (said as ResourceVersion);
    return isPrefix(path)
      ? this.#live.isUnchangedUnder(resource, path, version)
      : this.#live.versionOf(resource, path) === version;
  }
}
