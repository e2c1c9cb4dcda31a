/** All checkers over one history and one log. */
import { checkDurability } from './durability-check.ts';
import type { History, Operation } from './history.ts';
import { checkLinearizable, type Timed } from './linearizability.ts';
import { checkLists } from './list-check.ts';
import { RESOURCES } from './seen-object.ts';
import type { LogTruth } from './log-truth.ts';
import { isJudged, objectModel } from './object-model.ts';
import { checkSerialOrder } from './serial-order.ts';
import { describe, type Violation } from './violation.ts';
import { checkWatch } from './watch-check.ts';

export interface Judgement {
  readonly violations: readonly Violation[];
  readonly counts: {
    readonly objects: number;
    /** Of these, those whose lost answers were too many to try: judged with what the log knows of them. */
    readonly objectsWithTheLog: number;
    readonly lists: number;
    readonly watches: number;
    readonly watchEvents: number;
  };
}

/** @param prefix with which the ids of all operations of this run begin. */
export function judge(history: History, truth: LogTruth, prefix: string): Judgement {
  const { operations, watches } = history;
  const objects = checkObjects(operations, truth);
  const violations = [
    ...checkDurability(operations, truth, prefix),
    ...checkSerialOrder(history, truth),
    ...objects.violations,
    ...checkLists(operations, truth),
    ...watches.flatMap((watch) => checkWatch(watch, truth)),
    ...checkCounters(truth),
  ];
  const counts = {
    objects: objects.count,
    objectsWithTheLog: objects.withTheLog,
    lists: operations.filter(({ list }) => list !== undefined).length,
    watches: watches.length,
    watchEvents: watches.reduce((sum, { shown }) => sum + shown.length, 0),
  };
  return { violations, counts };
}

/** Tried without the log first, for then it depends on nothing but what clients were told. */
const STEPS_WITHOUT_THE_LOG = 100_000;

export function checkObjects(
  operations: readonly Operation[],
  truth: LogTruth,
): { violations: Violation[]; count: number; withTheLog: number } {
  const violations: Violation[] = [];
  const histories = byObject(operations);
  let withTheLog = 0;
  for (const [object, history] of histories) {
    let found = checkLinearizable(objectModel, history.map(timed), STEPS_WITHOUT_THE_LOG);
    if (found.kind === 'exhausted') {
      withTheLog += 1;
      const resolved = history.flatMap((one) => resolvedBy(truth, one));
      found = checkLinearizable(objectModel, resolved.map(timed));
    }
    if (found.kind === 'linearizable') continue;
    const what =
      found.kind === 'exhausted'
        ? `${object}: too much to try, so undecided`
        : [
            `${object}: behind`,
            ...found.longest.slice(-8).map((one) => `  ${describe(one)}`),
            'none of these can be next',
            ...found.stuck.map((one) => `  ${describe(one)}`),
          ].join('\n');
    violations.push({ promise: 'Linearizable', what });
  }
  return { violations, count: histories.size, withTheLog };
}

function byObject(operations: readonly Operation[]): ReadonlyMap<string, Operation[]> {
  const histories = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { request } = operation;
    if (request.kind === 'list' || !isJudged(operation)) continue;
    if (request.kind === 'get' && operation.outcome === 'unknown') continue;
    const key = `${request.resource} ${request.path}`;
    const history = histories.get(key) ?? [];
    history.push(operation);
    histories.set(key, history);
  }
  return histories;
}

function timed(operation: Operation): Timed<Operation> {
  return { operation, invoked: operation.invoked, returned: operation.returned ?? Infinity };
}

/** A lost answer as the log has it: what never took effect is left out. */
function resolvedBy(truth: LogTruth, operation: Operation): Operation[] {
  if (operation.outcome !== 'unknown') return [operation];
  const [change] = truth.ofOperation(operation.id);
  if (change === undefined) return [];
  // What goes is in the log as it was, and says nothing of what took it away.
  const isGone = change.type === 'deleted';
  return [{ ...operation, outcome: 'ok', ...(isGone ? {} : { object: change.object }) }];
}

/** Objects that are called so are written only by clients that add one to what they have read. */
export const COUNTER = 'counter';

function checkCounters(truth: LogTruth): Violation[] {
  return RESOURCES.flatMap((resource) => truth.changes(resource)).flatMap((change) => {
    const { path, type, object, previous, version } = change;
    if (!path.endsWith(`/${COUNTER}`) || type !== 'modified') return [];
    const [before, after] = [previous?.object.data['n'], object.data['n']];
    if (Number(after) === Number(before) + 1) return [];
    const what = `${path}@${String(version)} went from ${String(before)} to ${String(after)}`;
    return [{ promise: 'Counter', what }];
  });
}
