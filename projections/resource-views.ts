/**
 * All views of one resource together: its objects, its recent events, its watchers and its past.
 */
import type { Clock } from '../api/meta/clock.ts';
import {
  isChange,
  type CommittedEvent,
  type LoggedChange,
  type StoredObject,
} from '../streams/event.ts';
import type { EventReader } from '../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../streams/resource-version.ts';
import type { AppliedVersion } from './fold/applied-version.ts';
import type { ResourcePast } from './list/list-page.ts';
import type { ObjectHistory } from './store/object-history.ts';
import { ResourceObjects, type ObjectView } from './objects/object-view.ts';
import { storedObject } from './objects/stored-object.ts';
import { tooOld } from './store/too-old.ts';
import type { Projection } from './fold/projection.ts';
import { CatchUpChunks } from './watch/catch-up-chunks.ts';
import { EventWindow, type Portion } from './watch/event-window.ts';
import { WatchView, type ReadHistory } from './watch/watch-view.ts';

export interface ResourceViewsParts {
  readonly log: EventReader;
  readonly history: ObjectHistory;
  readonly objects: ObjectView;
  readonly applied: AppliedVersion;
  readonly clock: Clock;
}

/** All views of one resource of one control plane. */
export interface ProjectedResource extends ResourcePast {
  /** Where watchers of the resource join. */
  readonly watch: WatchView;
}

/** Bytes of recent events kept in memory for each resource that has any. */
const WINDOW_BYTES = 4 * 1024 * 1024;

const NEVER_YET = resourceVersion(Number.MAX_SAFE_INTEGER);
/** Of a resource whose objects are not put together: whatever is asked has changed since. */
const NONE_KNOWN = new ResourceObjects(NEVER_YET);
const NOTHING_RECENT = new EventWindow(0, NEVER_YET);

/** Every resource's views, made when they are first asked for or written to. */
export class ResourceViews implements Projection {
  readonly name = 'resource-views';
  readonly #parts: ResourceViewsParts;
  readonly #resources = new Map<string, ProjectedResource>();
  readonly #touched = new Set<ProjectedResource>();
  readonly #catchUps: CatchUpChunks;

  constructor(parts: ResourceViewsParts) {
    this.#parts = parts;
    this.#catchUps = new CatchUpChunks(parts.clock);
  }

  of(resource: string): ProjectedResource {
    let found = this.#resources.get(resource);
    if (found === undefined) {
      found = this.#open(resource);
      this.#resources.set(resource, found);
    }
    return found;
  }

  /**
   * The same for what looks at the past alone: where the objects of the resource are still to be put together, as in
   * a fork, they stay so, and what is looked at is read.
   */
  pastOf(resource: string): ResourcePast {
    const { objects, history, log } = this.#parts;
    if (!objects.fillsItself || objects.has(resource)) return this.of(resource);
    return { resource, objects: NONE_KNOWN, window: NOTHING_RECENT, history, log };
  }

  all(): Iterable<ProjectedResource> {
    return this.#resources.values();
  }

  apply(event: CommittedEvent): void {
    const resource = this.of(event.resource);
    resource.watch.apply(event);
    this.#touched.add(resource);
  }

  skipTo(version: ResourceVersion): void {
    for (const { window } of this.#resources.values()) window.skipTo(version);
    this.#catchUps.forget();
  }

  /** Whatever is shown of the resource's past is read from the log from now on, as when an object was shredded. */
  forgetRecent(resource: string): void {
    this.of(resource).window.skipTo(this.#parts.applied.current);
    this.#catchUps.forget();
  }

  endOfBatch(): void {
    for (const { watch } of this.#touched) watch.endOfBatch();
    this.#touched.clear();
  }

  #open(resource: string): ProjectedResource {
    const { log, history, objects, applied, clock } = this.#parts;
    const window = new EventWindow(WINDOW_BYTES, applied.current);
    const readHistory: ReadHistory = (after, portion) => this.#history(resource, after, portion);
    const current = (): ResourceVersion => applied.current;
    const gone = (version: ResourceVersion) => tooOld(history, resource, version);
    const catchUps = this.#catchUps;
    const watch = new WatchView({ window, readHistory, gone, applied: current, clock, catchUps });
    return { resource, objects: objects.of(resource), window, history, log, watch };
  }

  /**
   * The events of the resource after a version, read back from the log.
   *
   * @throws {LogTrimmedError} the log was cut behind the version.
   */
  async #history(
    resource: string,
    after: ResourceVersion,
    portion: Portion,
  ): Promise<Awaited<ReturnType<ReadHistory>>> {
    const { history, log } = this.#parts;
    await history.settled();
    const problem = tooOld(history, resource, after);
    if (problem !== undefined) throw problem;
    const events: CommittedEvent[] = [];
    let sizeBytes = 0;
    for (const version of history.changesAfter(resource, after)) {
      if (events.length === portion.events || sizeBytes >= portion.bytes) {
        return { events, more: true };
      }
      const event = committedAt(log, version);
      if (event === undefined) continue;
      events.push(event);
      sizeBytes += event.object.json.length;
    }
    return { events, more: false };
  }
}

function committedAt(log: EventReader, version: ResourceVersion): CommittedEvent | undefined {
  const event = log.at(version);
  return event === undefined || !isChange(event) ? undefined : new PastEvent(event, log);
}

/** Most watchers see all that there is, and never ask what an object was before: that record is read when it is asked for. */
class PastEvent implements CommittedEvent {
  readonly resourceVersion: ResourceVersion;
  readonly type: CommittedEvent['type'];
  readonly resource: string;
  readonly path: string;
  readonly object: StoredObject;
  readonly #log: EventReader;
  readonly #previousVersion: ResourceVersion;
  #isRead = false;
  #previous: StoredObject | undefined;

  constructor(event: LoggedChange, log: EventReader) {
    this.resourceVersion = event.resourceVersion;
    this.type = event.type;
    this.resource = event.resource;
    this.path = event.path;
    this.object = storedObject(event);
    this.#log = log;
    this.#previousVersion = event.previousResourceVersion;
  }

  /** undefined: there was none, or its record was cut from the log. */
  get previous(): StoredObject | undefined {
    if (this.#isRead) return this.#previous;
    this.#isRead = true;
    const version = this.#previousVersion;
    const replaced = version === 0 ? undefined : this.#log.at(version);
    this.#previous = replaced === undefined ? undefined : storedObject(replaced);
    return this.#previous;
  }
}
