/**
 * Puts all objects back to what they were at an earlier version: a test suite begins each test so. What came
 * since is deleted, what was deleted returns with the uid that it had, and what changed gets its content
 * back. These are changes in the log like others, so versions rise, watchers are told, and the past stays as it was.
 * Nothing judges them: no admission, no finalizer and no grace period.
 *
 * Other writers may go on meanwhile. An object that one of them changed in between is looked at again, and so is
 * what they make; what they do to an object that was put back comes after, as a lease that its server renews.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import type { ObjectHistory } from '../../../projections/store/object-history.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { storedObject } from '../../../projections/objects/stored-object.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import type { EventReader } from '../../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import {
  type Change,
  type Commit,
  type Companion,
  type Origin,
  OVERTAKEN,
} from '../commit/change.ts';
import type { Committer } from '../commit/committer.ts';

/** Of a control plane. */
export interface PutBackParts {
  /** Takes the changes. */
  readonly committer: Pick<Committer, 'commit'>;
  /** Has the bytes of then. */
  readonly log: Pick<EventReader, 'at'>;
  /** Says what has changed since, and which versions there were. */
  readonly history: Pick<
    ObjectHistory,
    'settled' | 'resourcesEver' | 'changesAfter' | 'versionAt' | 'readableSince'
  >;
  /** As they are now. */
  readonly objects: ObjectReads;
  /** For the deadlines of changes. */
  readonly clock: Pick<Clock, 'now'>;
}

/** `gone`: the past does not reach back so far any more. */
export type PutBack =
  | { readonly kind: 'done'; readonly changes: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly commit: Commit };

type Step = Omit<Companion, 'requires'>;

const ROUNDS_MAX = 10;
/** So that the queue that others wait in too is not filled. */
const AT_ONCE = 1_000;
const PATIENCE_MS = 30_000;
const ABSENT = resourceVersion(0);
const NAMESPACES = 'core/namespaces';
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

/** @param to a version that is applied. @param by the request, for the records. */
export async function putBack(
  parts: PutBackParts,
  to: ResourceVersion,
  by: Omit<Origin, 'deadline'>,
): Promise<PutBack> {
  const done = new Set<string>();
  let changes = 0;
  let overtaken: Step[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await parts.history.settled();
    const steps = (await stepsBack(parts, to))?.filter((one) => !done.has(nameOf(one)));
    if (steps === undefined) return { kind: 'gone' };
    if (steps.length === 0) return { kind: 'done', changes };
    overtaken = [];
    for (let at = 0; at < steps.length; at += AT_ONCE) {
      const origin = { ...by, deadline: parts.clock.now() + PATIENCE_MS };
      const some = steps.slice(at, at + AT_ONCE);
      const commits = await taken(parts.committer, some, origin);
      const failed = commits.find(hasFailed);
      if (failed !== undefined) return { kind: 'failed', commit: failed };
      overtaken.push(...some.filter((_, n) => commits[n]?.kind === 'overtaken'));
    }
    changes += steps.length - overtaken.length;
    for (const one of steps) done.add(nameOf(one));
    for (const one of overtaken) done.delete(nameOf(one));
  }
  return overtaken.length > 0 ? { kind: 'failed', commit: OVERTAKEN } : { kind: 'done', changes };
}

function nameOf({ resource, path }: ObjectKey): string {
  return `${resource} ${path}`;
}

/** What was overtaken is another step in the next round; what failed would fail again. */
function hasFailed({ kind }: Commit): boolean {
  return kind !== 'committed' && kind !== 'overtaken';
}

function taken(
  committer: PutBackParts['committer'],
  steps: readonly Step[],
  origin: Origin,
): Promise<readonly Commit[]> {
  return Promise.all(
    steps.map((step) => {
      const change: Change = { ...step, requires: [], origin };
      return new Promise<Commit>((reply) => {
        committer.commit(change, reply);
      });
    }),
  );
}

/**
 * In the order in which nothing is there without what it belongs to: first returns what others lie in, and last
 * goes what others lie in.
 *
 * @returns undefined: the past does not reach back so far.
 */
async function stepsBack(
  parts: PutBackParts,
  to: ResourceVersion,
): Promise<readonly Step[] | undefined> {
  const { history, log } = parts;
  const steps: Step[] = [];
  // What was cut meanwhile is not there to be read any more.
  const isGone = (resource: string): boolean => history.readableSince(resource) > to;
  for (const resource of [...history.resourcesEver()]) {
    if (isGone(resource)) return undefined;
    const paths = new Set<string>();
    for (const some of portionsOf([...history.changesAfter(resource, to)])) {
      if (isGone(resource)) return undefined;
      for (const version of some) paths.add(recordAt(log, version).path);
      await othersTurn();
    }
    for (const some of portionsOf([...paths])) {
      if (isGone(resource)) return undefined;
      for (const path of some) steps.push(...stepsOf(parts, { resource, path }, to));
      await othersTurn();
    }
  }
  return steps.sort((one, other) => rankOf(one) - rankOf(other));
}

/** Records that are read before others have their turn. */
const SLICE = 500;

function* portionsOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}

type ObjectKey = Pick<Step, 'resource' | 'path'>;

function stepsOf(
  { history, objects, log }: PutBackParts,
  key: ObjectKey,
  to: ResourceVersion,
): readonly Step[] {
  const { resource, path } = key;
  const thenAt = history.versionAt(resource, path, to);
  const nowAt = objects.get(resource, path)?.resourceVersion;
  const then = thenAt === undefined ? undefined : recordAt(log, thenAt);
  const now = nowAt === undefined ? undefined : recordAt(log, nowAt);
  if (now === undefined || nowAt === undefined) {
    return then === undefined ? [] : [step(key, 'added', then, ABSENT)];
  }
  if (then === undefined) return [step(key, 'deleted', now, nowAt)];
  if (then.uid !== now.uid) {
    return [step(key, 'deleted', now, nowAt), step(key, 'added', then, ABSENT)];
  }
  const isSame = Buffer.compare(then.json, now.json) === 0;
  return isSame ? [] : [step(key, 'modified', then, nowAt)];
}

function step(
  { resource, path }: ObjectKey,
  type: Step['type'],
  record: LoggedEvent,
  previousResourceVersion: ResourceVersion,
): Step {
  const { json, uid } = record;
  const labels = storedObject(record).labels ?? {};
  return { type, resource, path, previousResourceVersion, json, uid, labels };
}

const OUTERMOST = [NAMESPACES, DEFINITIONS];

/** The two steps of an object that is replaced have one rank, and keep their order. */
function rankOf({ type, resource }: Step): number {
  const depth = OUTERMOST.indexOf(resource);
  if (depth < 0) return 0;
  return type === 'deleted' ? OUTERMOST.length - depth : depth - OUTERMOST.length;
}

function recordAt(log: PutBackParts['log'], version: ResourceVersion): LoggedEvent {
  const record = log.at(version);
  if (record === undefined) throw new Error(`there is no record at ${String(version)}`);
  return record;
}
