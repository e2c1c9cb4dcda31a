/**
 * Did this event take effect? Decided by the order of the log and by nothing else, so that
 * every replica decides alike.
 */
import { isChange, type LoggedEvent } from '../streams/event.ts';
import type { ResourceVersion } from '../streams/resource-version.ts';

/**
 * `duplicate`: an earlier copy of the same event was already judged. `overtaken`: the object, or
 * one it requires, no longer has the version the writer saw. `marker`: there is nothing to take effect.
 */
export type Verdict = 'effective' | 'duplicate' | 'overtaken' | 'marker';

export class Arbiter {
  readonly #writers: Map<string, number>;
  readonly #versionOf: (resource: string, path: string) => ResourceVersion;

  /** @param versionOf the current version of an object, 0 when it does not exist. */
  constructor(
    writers: ReadonlyMap<string, number>,
    versionOf: (resource: string, path: string) => ResourceVersion,
  ) {
    this.#writers = new Map(writers);
    this.#versionOf = versionOf;
  }

  /** The last sequence of each writer: part of the folded state. */
  get writers(): ReadonlyMap<string, number> {
    return this.#writers;
  }

  /** Judges the next event of the log. To be called once for each, in order. */
  judge(event: LoggedEvent): Verdict {
    const last = this.#writers.get(event.writer);
    if (last !== undefined && event.sequence <= last) return 'duplicate';
    this.#writers.set(event.writer, event.sequence);
    if (!isChange(event)) return 'marker';
    return this.#holds(event) ? 'effective' : 'overtaken';
  }

  #holds({ type, resource, path, previousResourceVersion, requires }: LoggedEvent): boolean {
    if ((type === 'added') !== (previousResourceVersion === 0)) return false;
    if (this.#versionOf(resource, path) !== previousResourceVersion) return false;
    return requires.every((one) => this.#versionOf(one.resource, one.path) === one.resourceVersion);
  }
}
