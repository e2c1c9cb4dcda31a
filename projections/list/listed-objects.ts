/** The objects of a list, as they are handed on: some in memory, and others that are looked up when they are shown. */
import type { StoredObject } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { ResourceObjects } from '../objects/object-view.ts';
import { PastObject } from '../objects/past-object.ts';
import { PastReads } from '../objects/past-reads.ts';
import type { HeldPaths } from '../objects/sorted-paths.ts';
import type { PathVersion } from '../store/object-history.ts';

/** Objects of a large list, some at a time. */
export type ObjectsInParts = Pick<HeldPaths<StoredObject>, 'at'> &
  Iterable<StoredObject> & {
    /** How many there are, or about so many where that is not known before they are listed. */
    readonly length: number;
    /** One behind the other. */
    readonly parts: Iterable<readonly StoredObject[]>;
  };

/** Objects of a list: those of a large one are the chunks in which they lie in order, and no copies. */
export type ListedObjects = readonly StoredObject[] | ObjectsInParts;

/**
 * All objects of a moment, of which the first were read. The others are looked up as they are listed, so none of them is held: a
 * million that live for seconds would be copied by the collector again and again, each time in one turn.
 */
export class PastList implements ObjectsInParts {
  readonly length: number;
  readonly #first: readonly StoredObject[];
  readonly #rest: () => Iterable<readonly StoredObject[]>;

  /** @param rest those behind the first, anew each time. @param about how many there are. */
  constructor(
    first: readonly StoredObject[],
    rest: () => Iterable<readonly StoredObject[]>,
    about: number,
  ) {
    this.#first = first;
    this.#rest = rest;
    this.length = about;
  }

  get parts(): Iterable<readonly StoredObject[]> {
    return this.#parts();
  }

  *#parts(): Generator<readonly StoredObject[]> {
    yield this.#first;
    yield* this.#rest();
  }

  *[Symbol.iterator](): Generator<StoredObject> {
    for (const part of this.#parts()) yield* part;
  }

  /** One of the first, as they are asked for as a sample. */
  at(index: number): StoredObject | undefined {
    return this.#first[index % this.#first.length];
  }
}

interface MomentParts {
  readonly resource: string;
  /** What there is now. */
  readonly objects: ResourceObjects;
  readonly log: EventReader;
}

/** Of more objects that were others then the later ones are read when they are shown: all of a million would be gigabytes. */
export const READ_FIRST_MAX = 16_384;

/**
 * The objects that had these versions. What has not changed since is the same value, which may be in memory. Where there is
 * undefined among them, it is passed on.
 *
 * @param isUnread all others are read when they are shown.
 */
export function* objectsAt(
  { resource, objects, log }: MomentParts,
  paths: Iterable<PathVersion | undefined>,
  isUnread: boolean,
): Generator<StoredObject | undefined> {
  const reads = new PastReads(log);
  let read = 0;
  for (const step of paths) {
    if (step === undefined) {
      yield undefined;
      continue;
    }
    const { path, resourceVersion } = step;
    const now = objects.get(path);
    if (now?.resourceVersion === resourceVersion) {
      yield now;
      continue;
    }
    if (isUnread || read === READ_FIRST_MAX) {
      yield new PastObject(log, { resource, path }, resourceVersion);
      continue;
    }
    read += 1;
    const then = reads.read({ resource, path }, resourceVersion);
    if (then !== undefined) yield then;
  }
}

/**
 * The objects in runs of so many. A run is shorter, or empty, where it is the last, or where there is undefined among the
 * objects and it has taken a turn.
 */
export function* runsOf(
  objects: Iterable<StoredObject | undefined>,
  length: number,
): Generator<readonly StoredObject[]> {
  let run: StoredObject[] = [];
  let endsAt = performance.now() + TURN_MS;
  for (const object of objects) {
    if (object !== undefined) run.push(object);
    if (object === undefined ? performance.now() < endsAt : run.length < length) continue;
    yield run;
    run = [];
    endsAt = performance.now() + TURN_MS;
  }
  if (run.length > 0) yield run;
}

/** A turn lasts so long, and then for as long as it takes to come to undefined. */
const TURN_MS = 5;
