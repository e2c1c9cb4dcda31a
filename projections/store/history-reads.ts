/**
 * How the history is read: every question is a short walk over keys that lie side by side.
 * Walks are done in pieces and hold nothing open between them. That is safe because versions
 * only ever come to the end: what was true at a version stays true.
 */
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { PathChange, PathFate, PathRange, PathVersion } from './object-history.ts';
import {
  comparePaths,
  TYPE_AFTER_ALL,
  TYPE_CODES,
  typeOfCode,
  type HistoryEntry,
  type ObjectName,
  type StoreKey,
} from './store-key.ts';

/** Sorted keys without values. `start` is included, `end` is not, whichever way it goes. */
export interface SortedKeys<Entry> {
  getKeys(range: {
    start: StoreKey;
    end: StoreKey;
    reverse?: boolean;
    limit?: number;
  }): Iterable<Entry>;
}

/** How much is read at a time. */
const PIECE = 256;
/** Of changes at first, since most readers take a portion of 64 and no more. */
const FIRST_PIECE = 66;
/** So many objects are looked at in a row at most, where most of them were not there then. */
const LOOKED_MAX = 1_024;
/** So many versions of one object are read in a row before the rest of them is leapt over. */
const VERSIONS_IN_A_ROW = 16;
/** So many objects behind two that have more are taken to have more as well: to look costs as much as to leap. */
const LEAPS = 64;
const LEAPT_IN_A_ROW = 2;

const LAST_VERSION = resourceVersion(Number.MAX_SAFE_INTEGER);
const FIRST_VERSION = resourceVersion(0);

interface Piece {
  readonly found: PathFate[];
  /** How many objects were looked at, whether they were there then or not; one whose versions are leapt over counts as some. */
  readonly looked: number;
  /** Where to read on; undefined when there is no more. */
  readonly next: StoreKey | undefined;
  /** The last object has many versions. */
  readonly hasLeapt?: true;
}

export class HistoryReads {
  readonly #history: SortedKeys<HistoryEntry>;
  readonly #changes: SortedKeys<ResourceVersion>;

  constructor(history: SortedKeys<HistoryEntry>, changes: SortedKeys<ResourceVersion>) {
    this.#history = history;
    this.#changes = changes;
  }

  /** See {@link ObjectHistory.versionAt}. */
  versionAt(name: ObjectName, version: ResourceVersion): ResourceVersion | undefined {
    const entry = this.#lastEntry(name, version);
    return entry === undefined ? undefined : standingOf(entry);
  }

  /** See {@link ObjectHistory.versionsOf}. @param since the object's state then comes first. */
  *versionsOf(name: ObjectName, since: ResourceVersion): Generator<PathChange> {
    const first = this.#lastEntry(name, since);
    if (first !== undefined && standingOf(first) !== undefined) yield changeOf(first);
    const { resource, path } = name;
    const end = behind(name);
    let last = since;
    for (;;) {
      const start = { resource, path, version: resourceVersion(last + 1) };
      const piece = [...this.#history.getKeys({ start, end, limit: PIECE })];
      yield* piece.map(changeOf);
      const behind = piece.at(-1);
      if (behind === undefined || piece.length < PIECE) return;
      last = behind.version;
    }
  }

  /** The last of what befell the object up to `version`. */
  #lastEntry({ resource, path }: ObjectName, version: ResourceVersion): HistoryEntry | undefined {
    const range = {
      start: { resource, path, version, type: TYPE_AFTER_ALL },
      end: { resource, path, version: FIRST_VERSION },
      reverse: true,
      limit: 1,
    };
    for (const entry of this.#history.getKeys(range)) return entry;
    return undefined;
  }

  /** See {@link ObjectHistory.pathsAt}. */
  *pathsAt(resource: string, where: PathRange, version: ResourceVersion): Generator<PathVersion> {
    for (const { path, resourceVersion: standing } of this.fatesAt(resource, where, version)) {
      if (standing !== undefined) yield { path, resourceVersion: standing };
    }
  }

  /** See {@link ObjectHistory.stepsAt}. */
  *stepsAt(
    resource: string,
    where: PathRange,
    version: ResourceVersion,
  ): Generator<PathVersion | undefined> {
    let looked = 0;
    for (const piece of this.#pieces(resource, where, version)) {
      for (const { path, resourceVersion: standing } of piece.found) {
        if (standing !== undefined) yield { path, resourceVersion: standing };
      }
      looked += piece.looked;
      // An object of many versions is a piece by itself.
      if (looked < PIECE) continue;
      looked = 0;
      yield undefined;
    }
  }

  /** See {@link FateReads.fatesAt}. */
  *fatesAt(resource: string, where: PathRange, version: ResourceVersion): Generator<PathFate> {
    for (const { found } of this.#pieces(resource, where, version)) yield* found;
  }

  *#pieces(resource: string, where: PathRange, version: ResourceVersion): Generator<Piece> {
    const { prefix, from } = where;
    const path = comparePaths(from, prefix) > 0 ? from : prefix;
    let [leaps, leapt] = [0, 0];
    let start: StoreKey | undefined = { resource, path, isPathOpen: true };
    while (start !== undefined) {
      const piece: Piece =
        leaps > 0 ? this.#objectAt(start, prefix, version) : this.#pieceAt(start, prefix, version);
      // Of a piece that begins with it: others before it were read in a row.
      leapt = piece.hasLeapt === true && piece.found.length <= 1 ? leapt + 1 : 0;
      if (leaps > 0) leaps -= 1;
      else if (leapt >= LEAPT_IN_A_ROW) leaps = LEAPS;
      yield piece;
      start = piece.next;
    }
  }

  /** See {@link ObjectHistory.changesAfter}. */
  *changesAfter(resource: string, version: ResourceVersion): Generator<ResourceVersion> {
    let last = version;
    for (let limit = FIRST_PIECE; ; limit = PIECE) {
      const piece = [
        ...this.#changes.getKeys({
          start: { resource, version: resourceVersion(last + 1) },
          end: { resource, version: LAST_VERSION },
          limit,
        }),
      ];
      yield* piece;
      const end = piece.at(-1);
      if (end === undefined || piece.length < limit) return;
      last = end;
    }
  }

  #pieceAt(start: StoreKey, prefix: string, version: ResourceVersion): Piece {
    const found: PathFate[] = [];
    const end = { resource: start.resource, isResourceEnd: true };
    let last: HistoryEntry | undefined;
    let inARow = 0;
    let looked = 0;
    for (const entry of this.#history.getKeys({ start, end })) {
      if (entry.name !== last?.name) {
        if (last !== undefined) this.#add(found, last, version);
        if (!entry.name.path.startsWith(prefix)) return { found, looked, next: undefined };
        const { resource, path } = entry.name;
        if (found.length >= PIECE || looked >= LOOKED_MAX)
          return { found, looked, next: { resource, path, isPathOpen: true } };
        looked += 1;
        inARow = 0;
        last = entry;
      }
      if (entry.version <= version) last = entry;
      inARow += 1;
      if (inARow > VERSIONS_IN_A_ROW) {
        const piece = this.#leapOver(found, entry.name, version);
        return { ...piece, looked: looked + piece.looked };
      }
    }
    if (last !== undefined) this.#add(found, last, version);
    return { found, looked, next: undefined };
  }

  /** @param entry the last of its object at `version` or before; else any of them. */
  #add(found: PathFate[], entry: HistoryEntry, version: ResourceVersion): void {
    if (entry.version > version) return;
    found.push({ path: entry.name.path, resourceVersion: standingOf(entry) });
  }

  /** The same of one object alone, whose versions are leapt over. */
  #objectAt(start: StoreKey, prefix: string, version: ResourceVersion): Piece {
    const end = { resource: start.resource, isResourceEnd: true };
    for (const { name, version: first } of this.#history.getKeys({ start, end, limit: 1 })) {
      if (!name.path.startsWith(prefix)) break;
      return first > version
        ? { found: [], looked: 1, next: behind(name) }
        : this.#leapOver([], name, version);
    }
    return { found: [], looked: 0, next: undefined };
  }

  #leapOver(found: PathFate[], name: ObjectName, version: ResourceVersion): Piece {
    const entry = this.#lastEntry(name, version);
    if (entry !== undefined) found.push({ path: name.path, resourceVersion: standingOf(entry) });
    return { found, looked: VERSIONS_IN_A_ROW, next: behind(name), hasLeapt: true };
  }
}

/** The end of all versions of an object. */
function behind({ resource, path }: ObjectName): StoreKey {
  return { resource, path, version: LAST_VERSION, type: TYPE_AFTER_ALL };
}

function changeOf({ version, type }: HistoryEntry): PathChange {
  return { resourceVersion: version, type: typeOfCode(type) };
}

/** The version which an object has from this entry on; undefined when it is gone. */
function standingOf(entry: HistoryEntry): ResourceVersion | undefined {
  return entry.type === TYPE_CODES.deleted ? undefined : entry.version;
}
