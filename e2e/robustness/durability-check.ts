/**
 * Answers against the log: what was acknowledged is in it, once and as it was shown; what was
 * refused is not; and nothing is in it that no client asked for.
 */
import type { Operation } from './history.ts';
import type { Change, LogTruth } from './log-truth.ts';
import { firstPlace, refusalHolds } from './serial-order.ts';
import { describe, type Violation } from './violation.ts';

/** What a server may say that cannot write what it has to, while one fault lets no file grow. */
const DISK_FULL = /File too large|No space left/;

/** @param prefix with which the ids of all operations of this run begin. */
export function checkDurability(
  operations: readonly Operation[],
  truth: LogTruth,
  prefix: string,
): Violation[] {
  const violations: Violation[] = [];
  const ids = new Set<string>();
  const says = (promise: string, operation: Operation, why: string): void => {
    violations.push({ promise, what: `${why}: ${describe(operation)}` });
  };
  for (const operation of operations) {
    ids.add(operation.id);
    const changes = truth.ofOperation(operation.id);
    if (changes.length > 1) {
      says('Once', operation, `took effect at ${changes.map(({ version }) => version).join()}`);
    }
    const why = faultOf(operation, changes[0], truth);
    if (why !== undefined) says('Durable', operation, why);
    if (operation.status === 500 && !DISK_FULL.test(operation.message ?? '')) {
      says('Answered', operation, 'an internal error');
    }
  }
  for (const id of truth.operations()) {
    if (id.startsWith(prefix) && !ids.has(id)) {
      violations.push({
        promise: 'Caused',
        what: `${id} is in the log, and no client asked for it`,
      });
    }
  }
  return [...violations, ...repeatedUids(truth)];
}

function faultOf(
  operation: Operation,
  change: Change | undefined,
  truth: LogTruth,
): string | undefined {
  const { request, outcome, object } = operation;
  if (request.kind === 'list' || outcome === 'unknown') return undefined;
  if (outcome !== 'ok') {
    if (change !== undefined)
      return `was answered with nothing written, and is at ${String(change.version)}`;
    return request.kind === 'get' ? pastFault(operation, truth) : undefined;
  }
  if (object === undefined)
    return change === undefined ? 'acknowledged, and not in the log' : undefined;
  const shown = truth.at(object.version);
  if (shown === undefined || shown.path !== object.path || shown.resource !== request.resource) {
    return 'shown at a version at which this object did not change';
  }
  // What goes with its last finalizer goes as it was: only its client has seen what it wrote.
  const isLetGo = change?.type === 'deleted' && request.kind !== 'delete';
  const expected = isLetGo ? change.previous?.object.digest : object.digest;
  if (shown.object.digest !== expected)
    return `shown otherwise than ${JSON.stringify(shown.object)}`;
  if (change !== undefined && change.version !== object.version) {
    return `acknowledged at another version than ${String(change.version)}`;
  }
  // A write without a record changed nothing: then it was shown what it wanted, already there.
  const isRead = request.kind === 'get' || change !== undefined || isUnchanged(operation, shown);
  return isRead ? pastFault(operation, truth) : 'acknowledged, and not in the log';
}

function isUnchanged({ request, object }: Operation, shown: Change): boolean {
  if (request.kind === 'delete') return object?.isDeleting === true;
  if (request.kind !== 'update' && request.kind !== 'patch') return false;
  return Object.entries(request.content.data).every(
    ([key, text]) => shown.object.data[key] === text,
  );
}

/** Of a read at a version: it may show what is newer, never what is older. */
function pastFault({ request, status, object }: Operation, truth: LogTruth): string | undefined {
  if (request.kind !== 'get' || request.moment === '') return undefined;
  const isRight =
    object === undefined
      ? refusalHolds(request, status)
      : (now: Change | undefined) => now?.version === object.version;
  if (isRight === undefined) return undefined;
  const history = truth.historyOf(request.resource, request.path);
  return firstPlace(history, Number(request.moment), isRight) === undefined
    ? `is older than ${request.moment}`
    : undefined;
}

function repeatedUids(truth: LogTruth): Violation[] {
  const uids = new Map<string, Change>();
  const violations: Violation[] = [];
  for (const change of [...truth.changes('configmaps'), ...truth.changes('secrets')]) {
    if (change.type !== 'added') continue;
    const first = uids.get(change.object.uid);
    uids.set(change.object.uid, change);
    if (first === undefined) continue;
    const where = `${first.path}@${String(first.version)} and ${change.path}@${String(change.version)}`;
    violations.push({ promise: 'Unique uid', what: where });
  }
  return violations;
}
