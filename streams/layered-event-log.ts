/**
 * The log of a fork: what its parent's log says up to the version where the fork begins, and its
 * own records behind that. Nothing is copied, and nothing is ever written to the parent.
 */
import type { EventLog, EventReader } from './event-log.ts';
import type { LoggedEvent, ProposedEvent } from './event.ts';
import type { LogCuts } from './log-cuts.ts';
import { resourceVersion, type ResourceVersion } from './resource-version.ts';

export interface LogLayers {
  /** Not closed with the fork; it must keep what it has up to `base`. */
  readonly parent: EventReader;
  /** At most the parent's newest version. */
  readonly base: ResourceVersion;
  /** Its first record stands behind `base`. */
  readonly own: EventLog;
}

export class LayeredEventLog implements EventLog {
  readonly #parent: EventReader;
  readonly #base: ResourceVersion;
  readonly #own: EventLog;

  constructor({ parent, base, own }: LogLayers) {
    this.#parent = parent;
    this.#base = base;
    this.#own = own;
  }

  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return this.#own.append(events);
  }

  refusal(event: Pick<ProposedEvent, 'type' | 'resource' | 'uid'>): string | undefined {
    return this.#own.refusal?.(event);
  }

  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]> {
    return from > this.#base ? this.#own.read(from, signal) : this.#readBoth(from, signal);
  }

  at(version: ResourceVersion): LoggedEvent | undefined {
    return version > this.#base ? this.#own.at(version) : this.#parent.at(version);
  }

  jsonAt(version: ResourceVersion): Uint8Array | undefined {
    return version > this.#base ? this.#own.jsonAt?.(version) : this.#parent.jsonAt?.(version);
  }

  async oldest(): Promise<ResourceVersion> {
    return resourceVersion(Math.min(await this.#parent.oldest(), this.#base + 1));
  }

  /** Those of the parent: nothing is cut of a fork, and nothing of the parent in front of one. */
  cuts(): LogCuts {
    const cuts = this.#parent.cuts();
    return { ...cuts, settled: resourceVersion(Math.min(cuts.settled, this.#base)) };
  }

  newest(timeoutMs: number): Promise<ResourceVersion> {
    return this.#own.newest(timeoutMs);
  }

  close(): Promise<void> {
    return this.#own.close();
  }

  async *#readBoth(
    from: ResourceVersion,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    for await (const batch of this.#parent.read(from, signal)) {
      const shared = batch.filter((event) => event.resourceVersion <= this.#base);
      if (shared.length > 0) yield shared;
      // Behind the base there is always something: the record that made the fork.
      if ((batch.at(-1)?.resourceVersion ?? 0) >= this.#base) break;
    }
    yield* this.#own.read(resourceVersion(this.#base + 1), signal);
  }
}
