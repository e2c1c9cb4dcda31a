/**
 * What a pod's row is computed from. Its status is no field of the pod: it is the most telling
 * reason among those of the pod, its init containers and its containers, and the one that is looked
 * at last wins. Hence init containers are looked at from the first, containers from the last.
 *
 * In Kubernetes: the body of printPod, pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { conditionOf, millisecondsOf, nonEmpty, countAt } from '../cells.ts';

export interface PodTally extends Restarts {
  reason: string;
  /** Containers that are ready, sidecars among them. */
  ready: number;
  total: number;
}

interface Restarts {
  restarts: number;
  /** Milliseconds since 1970. */
  lastRestart: number | undefined;
}

export function tallyOf(spec: JsonObject | undefined, status: JsonObject | undefined): PodTally {
  const inits = itemsAt(spec, 'initContainers');
  const sidecars = inits.filter((container) => container['restartPolicy'] === 'Always');
  const tally: PodTally = {
    reason: reasonOfPod(status),
    ready: 0,
    total: itemsAt(spec, 'containers').length + sidecars.length,
    restarts: 0,
    lastRestart: undefined,
  };
  // Of several with one name, which validation refuses, the last counts.
  const isSidecar = new Map(
    inits.map((container) => [stringAt(container, 'name'), sidecars.includes(container)]),
  );
  const ofSidecars: Restarts = { restarts: 0, lastRestart: undefined };
  let isInitializing = false;
  for (const [index, container] of itemsAt(status, 'initContainerStatuses').entries()) {
    const isOne = isSidecar.get(stringAt(container, 'name')) === true;
    countRestarts(tally, container);
    if (isOne) countRestarts(ofSidecars, container);
    if (hasInitialized(container, isOne)) {
      if (!hasSucceeded(container) && container['ready'] === true) tally.ready += 1;
      continue;
    }
    tally.reason = `Init:${initReason(container, `${String(index)}/${String(inits.length)}`)}`;
    isInitializing = true;
    break;
  }
  if (!isInitializing || conditionOf(status, 'Initialized')?.['status'] === 'True') {
    Object.assign(tally, ofSidecars);
    tallyContainers(tally, status);
  }
  return tally;
}

function reasonOfPod(status: JsonObject | undefined): string {
  const isGated = itemsAt(status, 'conditions').some(
    (one) => one['type'] === 'PodScheduled' && one['reason'] === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return nonEmpty(stringAt(status, 'reason'), stringAt(status, 'phase'));
}

function countRestarts(counted: Restarts, container: JsonObject): void {
  counted.restarts += countAt(container, 'restartCount');
  const ended = objectAt(objectAt(container, 'lastState'), 'terminated');
  const endedAt = millisecondsOf(ended?.['finishedAt']);
  if (endedAt === undefined) return;
  counted.lastRestart = Math.max(counted.lastRestart ?? endedAt, endedAt);
}

/** An ordinary init container has to end well; a sidecar only has to have started. */
function hasInitialized(container: JsonObject, isSidecar: boolean): boolean {
  return hasSucceeded(container) || (isSidecar && container['started'] === true);
}

function hasSucceeded(container: JsonObject): boolean {
  const terminated = terminatedOf(container);
  return terminated !== undefined && countAt(terminated, 'exitCode') === 0;
}

function initReason(container: JsonObject, progress: string): string {
  const terminated = terminatedOf(container);
  if (terminated !== undefined) return reasonOfEnd(terminated);
  const waiting = waitingReason(container);
  return waiting === '' || waiting === 'PodInitializing' ? progress : waiting;
}

/** Goes from the last container to the first, so that the first has the last word. */
function tallyContainers(tally: PodTally, status: JsonObject | undefined): void {
  let hasRunning = false;
  let errorReason = '';
  for (const container of itemsAt(status, 'containerStatuses').reverse()) {
    countRestarts(tally, container);
    const waiting = waitingReason(container);
    const terminated = terminatedOf(container);
    if (waiting !== '') {
      tally.reason = waiting;
    } else if (terminated !== undefined) {
      tally.reason = reasonOfEnd(terminated);
      if (countAt(terminated, 'exitCode') !== 0) errorReason = tally.reason;
    } else if (container['ready'] === true && isRunning(container)) {
      hasRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason !== 'Completed') return;
  if (hasRunning && isReady(status)) tally.reason = 'Running';
  else if (errorReason !== '') tally.reason = errorReason;
  else if (hasRunning) tally.reason = 'NotReady';
}

function reasonOfEnd(terminated: JsonObject): string {
  const reason = stringAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = countAt(terminated, 'signal');
  if (signal !== 0) return `Signal:${String(signal)}`;
  return `ExitCode:${String(countAt(terminated, 'exitCode'))}`;
}

function isReady(status: JsonObject | undefined): boolean {
  return itemsAt(status, 'conditions').some(
    (one) => one['type'] === 'Ready' && one['status'] === 'True',
  );
}

function isRunning(container: JsonObject): boolean {
  return objectAt(objectAt(container, 'state'), 'running') !== undefined;
}

function waitingReason(container: JsonObject): string {
  return stringAt(objectAt(objectAt(container, 'state'), 'waiting'), 'reason');
}

function terminatedOf(container: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(container, 'state'), 'terminated');
}
