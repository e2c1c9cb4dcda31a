/** The events of this process on their way to the disk: see frame-groups.ts. */
import { encodeRecords, loggedAt } from '../event-codec.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { type FrameAppend, FrameGroups, type RecordStore } from './frame-groups.ts';

type EventsAppend = FrameAppend<readonly ProposedEvent[]>;

export class GroupCommit {
  readonly #groups: FrameGroups<readonly ProposedEvent[]>;

  /**
   * @param newest the version of the last record in the store; 0 when it is empty.
   * @param published gets each group as soon as it is durable, before its appends are answered.
   */
  constructor(
    store: RecordStore,
    newest: ResourceVersion,
    published: (events: readonly LoggedEvent[]) => void,
  ) {
    this.#groups = new FrameGroups(store, newest, (first, group: readonly EventsAppend[]) => {
      const events: LoggedEvent[] = [];
      for (const { payload } of group) {
        for (const event of payload) {
          events.push(loggedAt(event, resourceVersion(first + events.length)));
        }
      }
      published(events);
    });
  }

  /** The last durable version. */
  get newest(): ResourceVersion {
    return this.#groups.newest;
  }

  /** See `EventLog.append`. */
  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return this.#groups.append(encodeRecords(events), events);
  }

  /** Takes no more appends; resolves when those under way are answered. */
  close(): Promise<void> {
    return this.#groups.close();
  }
}
