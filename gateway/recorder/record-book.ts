/**
 * The log that a recorder writes, and what is in it: the objects as they were last seen.
 *
 * The surprise is `auditID`: the requests of another cluster have none that we could know, so it
 * says the cluster's own resourceVersion of the object instead. By it recording goes on after a
 * crash from the last event that is durable, without a gap and without a double.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { EventType, LoggedEvent, ProposedEvent } from '../../streams/event.ts';
import { isChange } from '../../streams/event.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { ObservedObject } from './observed-object.ts';

/**
 * How a change was learned of. `watch`: it was told as it happened. `list`: the object was there
 * when recording began. `relist`: it was seen only afterwards, by comparing, and something that
 * happened in between may be missing.
 */
export type Learned = 'watch' | 'list' | 'relist';

/** What was seen of one object: how it is now, or that it is gone and, if known, how it was last. */
export interface Observation {
  readonly path: string;
  readonly object: ObservedObject | undefined;
  readonly isGone: boolean;
  readonly learned: Learned;
}

/** How much of what was observed was new. */
export interface WrittenCounts {
  /** Events written, since what is counted began: a list, or a watch. */
  readonly added: number;
  /** Objects that have changed. */
  readonly modified: number;
  /** Objects that are gone. */
  readonly deleted: number;
}

/** The last record of a resource. */
export interface LastRecord {
  readonly version: ResourceVersion;
  readonly learned: Learned;
  /** The resourceVersion of the cluster. */
  readonly clusterVersion: string;
}

interface Known {
  readonly version: ResourceVersion;
  readonly uid: string;
}

interface Step {
  readonly type: EventType;
  readonly path: string;
  readonly uid: string;
  readonly json: Uint8Array;
  readonly fieldManager: string;
  readonly clusterVersion: string;
  readonly learned: Learned;
}

const VERSION_PREFIX = 'resourceVersion:';
const APPEND_STEPS_MAX = 1_000;
const APPEND_BYTES_MAX = 4 * 1024 * 1024;
const VERBS = { added: 'create', modified: 'update', deleted: 'delete' } as const;
const NOTHING: ReadonlyMap<string, Known> = new Map();

export interface BookParts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
}

/** Reads the whole log. @throws what reading throws. */
export async function openBook(parts: BookParts): Promise<RecordBook> {
  const newest = await parts.log.newest(0);
  const book = new RecordBook(parts, newest);
  if (newest === 0) return book;
  const stop = new AbortController();
  for await (const batch of parts.log.read(resourceVersion(1), stop.signal)) {
    for (const event of batch) book.fold(event);
    if ((batch.at(-1)?.resourceVersion ?? 0) >= newest) break;
  }
  stop.abort();
  return book;
}

/** The one writer of a recording's log; it knows the version of every object in it. */
export class RecordBook {
  readonly #parts: BookParts;
  readonly #writer: string;
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #last = new Map<string, LastRecord>();
  #newest: ResourceVersion;
  #sequence = 0;

  constructor(parts: BookParts, newest: ResourceVersion) {
    this.#parts = parts;
    this.#newest = newest;
    this.#writer = parts.random.uuid();
  }

  /** The last version of the log. */
  get newest(): ResourceVersion {
    return this.#newest;
  }

  last(resource: string): LastRecord | undefined {
    return this.#last.get(resource);
  }

  /** Every resource of which there is something in the log. */
  resources(): string[] {
    return [...this.#known.keys()];
  }

  /** The paths of all objects that are there, as far as it is known. */
  paths(resource: string): string[] {
    return [...(this.#known.get(resource) ?? NOTHING).keys()];
  }

  /** Takes over what the log says. To be called for each record, in order. */
  fold(event: LoggedEvent): void {
    if (!isChange(event)) return;
    const { resource, path, type, resourceVersion: version, uid, auditID, verb } = event;
    const known = this.#known.get(resource) ?? new Map<string, Known>();
    this.#known.set(resource, known);
    if (type === 'deleted') known.delete(path);
    else known.set(path, { version, uid });
    const learned = verb === 'list' || verb === 'relist' ? verb : 'watch';
    const clusterVersion = auditID.startsWith(VERSION_PREFIX)
      ? auditID.slice(VERSION_PREFIX.length)
      : '';
    this.#last.set(resource, { version, learned, clusterVersion });
  }

  /**
   * Writes what of this is new; resolves when it is durable. Not to be called for a resource
   * before its last call has resolved.
   *
   * @throws what the log throws: the book is of no use afterwards, and the log is as it was.
   */
  async write(resource: string, observations: readonly Observation[]): Promise<WrittenCounts> {
    const steps = this.#stepsFor(resource, observations);
    const counts = { added: 0, modified: 0, deleted: 0 };
    for (const portion of portionsOf(steps)) {
      await this.#append(resource, portion);
      for (const { type } of portion) counts[type] += 1;
    }
    return counts;
  }

  #stepsFor(resource: string, observations: readonly Observation[]): Step[] {
    // What the steps before it in this call will have made of an object.
    const pending = new Map<string, { uid: string; json: Uint8Array } | undefined>();
    return observations.flatMap((observation) => {
      const { path } = observation;
      const now = pending.has(path) ? pending.get(path) : this.#recorded(resource, path);
      const steps = stepsOf(observation, now);
      const last = steps.at(-1);
      if (last !== undefined) pending.set(path, last.type === 'deleted' ? undefined : last);
      return steps;
    });
  }

  #recorded(resource: string, path: string): { uid: string; json: Uint8Array } | undefined {
    const known = this.#known.get(resource)?.get(path);
    if (known === undefined) return undefined;
    const json = this.#parts.log.at(known.version)?.json;
    if (json === undefined) throw new Error(`${resource} ${path} is not in the log any more`);
    return { uid: known.uid, json };
  }

  async #append(resource: string, steps: readonly Step[]): Promise<void> {
    // There is no other writer, so the versions that they will have are known before.
    const first = resourceVersion(this.#newest + 1);
    this.#newest = resourceVersion(this.#newest + steps.length);
    const events = this.#eventsOf(resource, steps, first);
    const got = await this.#parts.log.append(events);
    if (got !== first) throw new Error('another writer appends to the log of this recording');
    for (const [index, event] of events.entries()) {
      this.fold({ ...event, resourceVersion: resourceVersion(first + index) });
    }
  }

  #eventsOf(resource: string, steps: readonly Step[], first: ResourceVersion): ProposedEvent[] {
    const versions = new Map<string, ResourceVersion>();
    const time = this.#parts.clock.now();
    return steps.map((step, index) => {
      const { type, path, uid, json, fieldManager, learned, clusterVersion } = step;
      const known = versions.get(path) ?? this.#known.get(resource)?.get(path)?.version;
      const version = resourceVersion(first + index);
      versions.set(path, type === 'deleted' ? resourceVersion(0) : version);
      this.#sequence += 1;
      return {
        writer: this.#writer,
        sequence: this.#sequence,
        type,
        resource,
        path,
        previousResourceVersion: known ?? resourceVersion(0),
        requires: [],
        json,
        time,
        uid,
        user: '',
        verb: learned === 'watch' ? VERBS[type] : learned,
        auditID: `${VERSION_PREFIX}${clusterVersion}`,
        fieldManager,
      };
    });
  }
}

/** What has to be recorded so that the object is as it was observed. */
function stepsOf(
  { path, object, isGone, learned }: Observation,
  now: { readonly uid: string; readonly json: Uint8Array } | undefined,
): Step[] {
  const clusterVersion = object?.resourceVersion ?? '';
  const seen = { path, learned, clusterVersion };
  if (isGone) {
    if (now === undefined) return [];
    const last = object?.uid === now.uid ? object : now;
    return [{ ...seen, type: 'deleted', uid: now.uid, json: last.json, fieldManager: '' }];
  }
  if (object === undefined) return [];
  const { uid, json, fieldManager } = object;
  const present = { ...seen, uid, json, fieldManager };
  if (now === undefined) return [{ ...present, type: 'added' }];
  if (now.uid !== uid) {
    // The object that was there has gone, and no event said so.
    const gone = { ...seen, uid: now.uid, json: now.json, fieldManager: '' };
    return [
      { ...gone, type: 'deleted', learned: 'relist' },
      { ...present, type: 'added' },
    ];
  }
  return json.equals(now.json) ? [] : [{ ...present, type: 'modified' }];
}

function portionsOf(steps: readonly Step[]): Step[][] {
  const portions: Step[][] = [];
  let portion: Step[] = [];
  let bytes = 0;
  for (const step of steps) {
    const isFull =
      portion.length >= APPEND_STEPS_MAX || bytes + step.json.length > APPEND_BYTES_MAX;
    if (portion.length > 0 && isFull) {
      portions.push(portion);
      portion = [];
      bytes = 0;
    }
    portion.push(step);
    bytes += step.json.length;
  }
  if (portion.length > 0) portions.push(portion);
  return portions;
}
