/**
 * One page of the objects of a resource, now or as they were at a revision.
 *
 * The past is cheap while it is near: the window knows what was changed since, so the page is the
 * present with those objects put back. Further back, the history is read.
 */
import { SharedTurns } from '../../api/meta/shared-turns.ts';
import { pathOf, type StoredObject } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectHistory, PathVersion } from '../store/object-history.ts';
import type { ResourceObjects } from '../objects/object-view.ts';
import {
  type ListedObjects,
  objectsAt,
  PastList,
  READ_FIRST_MAX,
  runsOf,
} from './listed-objects.ts';
import { tooOld } from '../store/too-old.ts';
import type { EventWindow } from '../watch/event-window.ts';
import {
  isUnfiltered,
  selectsByLabels,
  selectsContent,
  selectsName,
  type Selection,
} from '../objects/selection.ts';

/** What a page is to hold. */
export interface PageQuery {
  readonly selection: Selection;
  /** The page begins behind this path; '' is the beginning. */
  readonly after: string;
  /** 0: everything. */
  readonly limit: number;
  /** The client does not ask how many are behind the page, which costs a walk over all of them in the far past. */
  readonly isUncounted?: boolean;
  /** The page may end where a turn has to, before it is full. */
  readonly mayPause?: boolean;
  /** Few of the objects are going to be looked at: those of the far past are read when they are. */
  readonly isUnread?: boolean;
}

export interface ListPage {
  /** In order of their paths. */
  readonly items: ListedObjects;
  /** The path of the last object looked at, when there are more behind it; else ''. */
  readonly lastPath: string;
  /** How many are behind it; undefined when a selector makes that unknowable. */
  readonly remaining: number | undefined;
  /** How many objects were looked at for it. */
  readonly looked: number;
  /** Where these were. */
  readonly source: 'memory' | 'log';
  /** The rest of the page is to be made, behind `lastPath`. */
  readonly isPaused?: true;
}

/** What the objects of one resource were, told by what remembers them. */
export interface ResourcePast {
  /** As the log names it: `apps/deployments`. */
  readonly resource: string;
  /** What there is now. */
  readonly objects: ResourceObjects;
  /** The recent events, from which the near past is told without the log. */
  readonly window: EventWindow;
  /** Which version each object had at any moment. */
  readonly history: ObjectHistory;
  /** Gives the bytes of those versions. */
  readonly log: EventReader;
}

/** A turn lasts so long, and then for as long as one more object takes. */
const TURN_MS = 5;

/** The page as of what is applied now, from memory. At most `limit` objects, behind `after`. */
export function pageNow(objects: ResourceObjects, query: PageQuery): ListPage {
  const { selection, after } = query;
  if (selection.namespace !== '' && selection.name !== '') {
    const path = pathOf(selection.namespace, selection.name);
    const object = path > after ? objects.get(path) : undefined;
    return pageOf(object === undefined ? [] : [object], query, () => 0);
  }
  if (isUnfiltered(selection)) return wholePageNow(objects, query);
  const labelled = labelledPageNow(objects, query);
  if (labelled !== undefined) return labelled;
  const { namespace } = selection;
  const page = new PageInMaking(query, (path) => objects.countAfter(namespace, path));
  const range = { namespace, from: after === '' ? '' : `${after}\0` };
  objects.visitSelected(selection.labels, range, (object) => page.take(object));
  return page.made(() => objects.countAfter(namespace, page.lastPath) > 0);
}

/** Of objects that are all wanted, so none of them is looked at. */
function wholePageNow(objects: ResourceObjects, query: PageQuery): ListPage {
  const { after, limit, isUncounted } = query;
  const { namespace } = query.selection;
  const from = after === '' ? '' : `${after}\0`;
  const items = limit === 0 ? objects.all(namespace, from) : objects.range(namespace, from, limit);
  const last = items.length === limit ? items.at(-1) : undefined;
  const behind = last === undefined ? 0 : objects.countAfter(namespace, last.path);
  return {
    items,
    lastPath: last !== undefined && behind > 0 ? last.path : '',
    remaining: behind === 0 || isUncounted === true ? undefined : behind,
    looked: items.length,
    source: 'memory',
  };
}

/** Of objects that all have a label, so none of them is looked at; undefined: it is not known which have, or too many. */
function labelledPageNow(objects: ResourceObjects, query: PageQuery): ListPage | undefined {
  const { selection, after, limit } = query;
  const { labels, namespace } = selection;
  if (labels === undefined || !selectsByLabels(selection)) return undefined;
  const range = { namespace, from: after === '' ? '' : `${after}\0` };
  const max = limit === 0 ? LABELLED_MAX : Math.min(limit, LABELLED_MAX);
  const items = objects.selected(labels, range, max);
  if (items === undefined || (items.length === max && max !== limit)) return undefined;
  const last = items.length === limit ? items.at(-1) : undefined;
  const isMore = last !== undefined && objects.countAfter(namespace, last.path) > 0;
  const lastPath = isMore ? last.path : '';
  return { items, lastPath, remaining: undefined, looked: items.length, source: 'memory' };
}

/** So many are found in less than a turn. */
const LABELLED_MAX = 16_384;

/**
 * The page as of `version`, which is applied. At once where memory reaches back that far.
 *
 * @throws {LogTrimmedError} as a rejection: the log was cut behind the version.
 */
export function pageAt(
  past: ResourcePast,
  version: ResourceVersion,
  query: PageQuery,
): ListPage | Promise<ListPage> {
  // Where memory reaches back further: what was cut is gone for all alike.
  const problem = tooOld(past.history, past.resource, version);
  if (problem !== undefined) return Promise.reject(problem);
  if (past.objects.changedAt <= version) return pageNow(past.objects, query);
  if (past.window.reachesBackTo(version)) return pageFromWindow(past, version, query);
  return pageFromHistory(past, version, query);
}

function pageFromWindow(past: ResourcePast, version: ResourceVersion, query: PageQuery): ListPage {
  const { namespace } = query.selection;
  const from = query.after === '' ? '' : `${query.after}\0`;
  // The first event behind the revision says what its object was at the revision.
  const then = new Map<string, StoredObject | undefined>();
  for (const { path, previous } of past.window.after(version)) {
    if (!then.has(path)) then.set(path, previous);
  }
  const inRange = (path: string): boolean =>
    path >= from && (namespace === '' || path.startsWith(`${namespace}/`));
  const gone = [...then.values()]
    .filter((object) => object !== undefined && inRange(object.path))
    .filter((object) => object !== undefined)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const same = past.objects.inOrder(namespace, from);
  const countAfter = (path: string): number => {
    const changed = [...then].filter(([key]) => key > path && inRange(key));
    const existed = changed.filter(([, object]) => object !== undefined).length;
    const exist = changed.filter(([key]) => past.objects.get(key) !== undefined).length;
    return past.objects.countAfter(namespace, path) - exist + existed;
  };
  return pageOf(merged(unchanged(same, then), gone), query, countAfter);
}

async function pageFromHistory(
  past: ResourcePast,
  version: ResourceVersion,
  query: PageQuery,
): Promise<ListPage> {
  await past.history.settled();
  await FAR_PAST.next();
  const problem = tooOld(past.history, past.resource, version);
  if (problem !== undefined) throw problem;
  const { namespace, name } = query.selection;
  // A question for one name has its path, and with it only what begins alike.
  const prefix = namespace === '' ? '' : pathOf(namespace, name);
  const pathsFrom = (from: string) =>
    past.history.stepsAt(past.resource, { prefix, from }, version);
  const countAfter = (path: string): number => {
    const now = past.objects.countAfter(namespace, path);
    if (now > ESTIMATED_FROM) return now;
    let [count, steps] = [0, 0];
    for (const step of pathsFrom(`${path}\0`)) {
      if (step === undefined) steps += 1;
      else count += 1;
      // Clients are told that it is no more than an estimate, and it would cost a walk over all there was.
      if (count > COUNTED_MAX || steps > STEPS_MAX) return Math.max(count, now, 1);
    }
    return count;
  };
  const from = query.after === '' ? prefix : `${query.after}\0`;
  // Of a page that takes what comes, no more than that is read, and one by which it is known to be full.
  const isWhole = query.limit > 0 && isUnfiltered(query.selection);
  const length = isWhole ? Math.min(query.limit + 1, RUN_OBJECTS) : RUN_OBJECTS;
  const isUnread = query.isUnread === true && isUnfiltered(query.selection);
  const runs = runsOf(objectsAt(past, pathsFrom(from), isUnread), length);
  const restAfter = (path: string): Iterable<readonly StoredObject[]> =>
    restOfMoment(past, version, pathsFrom(`${path}\0`));
  return pageOfRuns(past, version, { query, countAfter, runs, restAfter });
}

/** Of all pages of the far past, so that a request waits for a part of one of them, however many there are. */
const FAR_PAST = new SharedTurns();
/** So many objects of the far past are read in a row before others get their turn. */
const RUN_OBJECTS = 256;
/** What is behind a page of the far past is counted so far; beyond that there are as many as there are now. */
const COUNTED_MAX = 64;
/** And no further than so many steps of the history, where most objects were not there then. */
const STEPS_MAX = 8;
/** Where there are more than this now, nothing is counted: it would end as the same estimate, but where most of them are new. */
const ESTIMATED_FROM = 256;

interface Runs {
  readonly query: PageQuery;
  readonly countAfter: (path: string) => number;
  readonly runs: Iterable<readonly StoredObject[]>;
  /** What lies behind a path, none of which is read before it is shown. */
  readonly restAfter: (path: string) => Iterable<readonly StoredObject[]>;
}

/** @throws LogTrimmedError when the log was cut behind the version meanwhile. */
async function pageOfRuns(
  past: ResourcePast,
  version: ResourceVersion,
  { query, countAfter, runs, restAfter }: Runs,
): Promise<ListPage> {
  const { limit } = query;
  const items: StoredObject[] = [];
  let lastPath = '';
  let looked = 0;
  const source = 'log';
  for (const run of runs) {
    const space = limit - items.length;
    if (limit > 0 && space === 0 && run.length > 0) {
      const remaining = remainingAfter(lastPath, query, countAfter);
      return { items, lastPath, remaining, looked, source };
    }
    const page = pageOf(run, { ...query, limit: limit === 0 ? 0 : space }, countAfter);
    for (const item of page.items) items.push(item);
    looked += page.looked;
    if (page.lastPath !== '') return { ...page, items, looked, source };
    lastPath = run.at(-1)?.path ?? lastPath;
    if (limit === 0 && items.length >= READ_FIRST_MAX && isUnfiltered(query.selection)) {
      const behind = lastPath;
      const about = items.length + past.objects.countAfter(query.selection.namespace, behind);
      const all = new PastList(items, () => restAfter(behind), about);
      return { items: all, lastPath: '', remaining: undefined, looked: about, source };
    }
    await FAR_PAST.next();
    const problem = tooOld(past.history, past.resource, version);
    if (problem !== undefined) throw problem;
  }
  return { items, lastPath: '', remaining: undefined, looked, source };
}

/** @throws LogTrimmedError in the midst of it when the log was cut behind the version. */
function* restOfMoment(
  past: ResourcePast,
  version: ResourceVersion,
  paths: Iterable<PathVersion | undefined>,
): Generator<readonly StoredObject[]> {
  for (const run of runsOf(objectsAt(past, paths, true), RUN_OBJECTS)) {
    const problem = tooOld(past.history, past.resource, version);
    if (problem !== undefined) throw problem;
    yield run;
  }
}

function* unchanged(
  objects: Iterable<StoredObject>,
  changed: ReadonlyMap<string, unknown>,
): Generator<StoredObject> {
  for (const object of objects) if (!changed.has(object.path)) yield object;
}

/** Two runs in order of path become one. */
function* merged(
  left: Iterator<StoredObject> & Iterable<StoredObject>,
  right: readonly StoredObject[],
): Generator<StoredObject> {
  let next = 0;
  for (const object of left) {
    for (let other = right[next]; other !== undefined && other.path < object.path;) {
      yield other;
      next += 1;
      other = right[next];
    }
    yield object;
  }
  yield* right.slice(next);
}

function pageOf(
  candidates: Iterable<StoredObject>,
  query: PageQuery,
  countAfter: (path: string) => number,
): ListPage {
  const page = new PageInMaking(query, countAfter);
  for (const object of candidates) if (!page.take(object)) break;
  return page.made();
}

/** Takes candidates, which are of the right namespace, in order of their paths until it is full. */
class PageInMaking {
  readonly #query: PageQuery;
  readonly #countAfter: (path: string) => number;
  readonly #isUnfiltered: boolean;
  readonly #items: StoredObject[] = [];
  readonly #pausesAt: number;
  #lastPath = '';
  #looked = 0;
  #isFull = false;
  #isPaused = false;

  constructor(query: PageQuery, countAfter: (path: string) => number) {
    this.#query = query;
    this.#countAfter = countAfter;
    this.#isUnfiltered = isUnfiltered(query.selection);
    const pauses = query.mayPause === true && !this.#isUnfiltered;
    this.#pausesAt = pauses ? performance.now() + TURN_MS : Number.POSITIVE_INFINITY;
  }

  /** @returns false where there was no room for it any more, or no time. */
  take(object: StoredObject): boolean {
    const { selection, limit } = this.#query;
    if (limit > 0 && this.#items.length === limit) {
      this.#isFull = true;
      return false;
    }
    if (this.#looked > 0 && this.#isOverdue()) {
      this.#isPaused = true;
      return false;
    }
    this.#looked += 1;
    this.#lastPath = object.path;
    const isSelected =
      this.#isUnfiltered ||
      (selectsName(selection, object.path) && selectsContent(selection, object));
    if (isSelected) this.#items.push(object);
    return true;
  }

  get lastPath(): string {
    return this.#lastPath;
  }

  #isOverdue(): boolean {
    return this.#pausesAt !== Number.POSITIVE_INFINITY && performance.now() >= this.#pausesAt;
  }

  /** @param isMore whether there are objects behind the last one, where not all were shown to it. */
  made(isMore?: () => boolean): ListPage {
    const counts = { items: this.#items, looked: this.#looked, source: 'memory' } as const;
    if (this.#isPaused) {
      return { lastPath: this.#lastPath, remaining: undefined, isPaused: true, ...counts };
    }
    const isFull =
      this.#isFull ||
      (this.#query.limit > 0 && this.#items.length === this.#query.limit && isMore?.() === true);
    if (!isFull) return { lastPath: '', remaining: undefined, ...counts };
    const lastPath = this.#lastPath;
    return {
      lastPath,
      remaining: remainingAfter(lastPath, this.#query, this.#countAfter),
      ...counts,
    };
  }
}

function remainingAfter(
  path: string,
  { selection, isUncounted }: PageQuery,
  countAfter: (path: string) => number,
): number | undefined {
  return isUnfiltered(selection) && isUncounted !== true ? countAfter(path) : undefined;
}
