/**
 * The last events of the log as they were appended, for readers that are only a little behind.
 *
 * The surprise: they are few, because an event that is kept for longer than the collector takes from one young
 * collection to the next but one is copied into the old generation, where it is garbage soon.
 */
import type { LoggedEvent } from '../event.ts';
import type { ResourceVersion } from '../resource-version.ts';

const EVENTS_MAX = 128;
const BYTES_MAX = 4 * 1024 * 1024;

interface Group {
  readonly first: ResourceVersion;
  readonly events: readonly LoggedEvent[];
  readonly bytes: number;
}

export class RecentEvents {
  readonly #groups: Group[] = [];
  #events = 0;
  #bytes = 0;

  /** Takes the events that follow the last ones without a gap. */
  push(events: readonly LoggedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    const bytes = events.reduce((sum, event) => sum + event.json.length, 0);
    this.#groups.push({ first: first.resourceVersion, events, bytes });
    this.#events += events.length;
    this.#bytes += bytes;
    while (this.#events > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      const oldest = this.#groups.shift();
      this.#events -= oldest?.events.length ?? 0;
      this.#bytes -= oldest?.bytes ?? 0;
    }
  }

  /** Some of the events from `from` on; undefined when `from` is not among those kept. */
  slice(from: ResourceVersion): readonly LoggedEvent[] | undefined {
    const group = this.#groups.findLast(({ first }) => first <= from);
    const events = group?.events.slice(from - group.first) ?? [];
    return events.length > 0 ? events : undefined;
  }
}
