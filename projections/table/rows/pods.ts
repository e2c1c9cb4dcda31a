/**
 * The row of a pod. Its status is no field of the pod: it is the most telling reason among those of
 * the pod, its init containers and its containers, and the one that is looked at last wins. Hence
 * init containers are looked at from the first, containers from the last.
 *
 * In Kubernetes: printPod, pkg/printers/internalversion.
 */
import type {
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
} from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import {
  ageOf,
  type Cell,
  conditionOf,
  isBeingDeleted,
  millisecondsOf,
  nameOf,
  nonEmpty,
} from '../cells.ts';
import { humanDuration } from '../human-duration.ts';

/** What containers say of their pod. */
interface PodTally extends Restarts {
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

/** READY counts sidecars as containers; STATUS is found by looking at all of them. */
export function podCells(pod: Pod, now: number): Cell[] {
  const { spec, status } = pod;
  const tally = tallyOf(spec, status);
  return [
    nameOf(pod),
    `${String(tally.ready)}/${String(tally.total)}`,
    isBeingDeleted(pod) ? reasonWhileDeleted(status, tally.reason) : tally.reason,
    restartsCell(tally, now),
    ageOf(pod, now),
    nonEmpty(addressOf(status), '<none>'),
    nonEmpty(spec.nodeName, '<none>'),
    nonEmpty(status.nominatedNodeName, '<none>'),
    readinessGatesCell(spec, status),
  ];
}

/** Tells `kubectl get --watch` that the pod will not change any more. */
export function podConditions({ status }: Pod): JsonValue[] | undefined {
  const { phase } = status;
  if (phase === 'Succeeded') return [completed(phase, 'The pod has completed successfully.')];
  if (phase === 'Failed') return [completed(phase, 'The pod failed.')];
  return undefined;
}

function completed(reason: string, message: string): JsonObject {
  return { type: 'Completed', status: 'True', reason, message };
}

/** Of the two fields for it, `podIP` counts where they differ. */
function addressOf(status: PodStatus): string {
  return nonEmpty(status.podIP, items(status.podIPs)[0]?.ip ?? '');
}

function reasonWhileDeleted({ reason, phase }: PodStatus, found: string): string {
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? found : 'Terminating';
}

function restartsCell({ restarts, lastRestart }: PodTally, now: number): string {
  if (restarts === 0 || lastRestart === undefined) return String(restarts);
  return `${String(restarts)} (${humanDuration(now - lastRestart)} ago)`;
}

function readinessGatesCell({ readinessGates }: PodSpec, { conditions }: PodStatus): string {
  const gates = items(readinessGates);
  if (gates.length === 0) return '<none>';
  const open = gates.filter(
    ({ conditionType }) => conditionOf(conditions, conditionType)?.status === 'True',
  );
  return `${String(open.length)}/${String(gates.length)}`;
}

function tallyOf(spec: PodSpec, status: PodStatus): PodTally {
  const inits = items(spec.initContainers);
  const sidecars = inits.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const tally: PodTally = {
    reason: reasonOfPod(status),
    ready: 0,
    total: items(spec.containers).length + sidecars.length,
    restarts: 0,
    lastRestart: undefined,
  };
  // Of several with one name, which validation refuses, the last counts.
  const isSidecar = new Map(
    inits.map((container) => [container.name, sidecars.includes(container)]),
  );
  const ofSidecars: Restarts = { restarts: 0, lastRestart: undefined };
  let isInitializing = false;
  for (const [index, container] of items(status.initContainerStatuses).entries()) {
    const isOne = isSidecar.get(container.name) === true;
    countRestarts(tally, container);
    if (isOne) countRestarts(ofSidecars, container);
    if (hasInitialized(container, isOne)) {
      if (!hasSucceeded(container) && container.ready) tally.ready += 1;
      continue;
    }
    tally.reason = `Init:${initReason(container, `${String(index)}/${String(inits.length)}`)}`;
    isInitializing = true;
    break;
  }
  if (!isInitializing || conditionOf(status.conditions, 'Initialized')?.status === 'True') {
    Object.assign(tally, ofSidecars);
    tallyContainers(tally, status);
  }
  return tally;
}

function reasonOfPod({ conditions, reason, phase }: PodStatus): string {
  const isGated = items(conditions).some(
    (one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated',
  );
  return isGated ? 'SchedulingGated' : nonEmpty(reason, phase ?? '');
}

function countRestarts(counted: Restarts, { restartCount, lastState }: ContainerStatus): void {
  counted.restarts += restartCount;
  const endedAt = millisecondsOf(lastState.terminated?.finishedAt);
  if (endedAt === undefined) return;
  counted.lastRestart = Math.max(counted.lastRestart ?? endedAt, endedAt);
}

/** An ordinary init container has to end well; a sidecar only has to have started. */
function hasInitialized(container: ContainerStatus, isSidecar: boolean): boolean {
  return hasSucceeded(container) || (isSidecar && container.started === true);
}

function hasSucceeded({ state }: ContainerStatus): boolean {
  return state.terminated?.exitCode === 0;
}

function initReason({ state }: ContainerStatus, progress: string): string {
  if (state.terminated !== undefined) return reasonOfEnd(state.terminated);
  const waiting = state.waiting?.reason ?? '';
  return waiting === '' || waiting === 'PodInitializing' ? progress : waiting;
}

/** Goes from the last container to the first, so that the first has the last word. */
function tallyContainers(tally: PodTally, status: PodStatus): void {
  const statuses = items(status.containerStatuses);
  let hasRunning = false;
  let errorReason = '';
  for (let index = statuses.length - 1; index >= 0; index -= 1) {
    const container = statuses[index];
    if (container === undefined) continue;
    const { waiting, terminated, running } = container.state;
    countRestarts(tally, container);
    if ((waiting?.reason ?? '') !== '') {
      tally.reason = waiting?.reason ?? '';
    } else if (terminated !== undefined) {
      tally.reason = reasonOfEnd(terminated);
      if (terminated.exitCode !== 0) errorReason = tally.reason;
    } else if (container.ready && running !== undefined) {
      hasRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason !== 'Completed') return;
  if (hasRunning && isReady(status)) tally.reason = 'Running';
  else if (errorReason !== '') tally.reason = errorReason;
  else if (hasRunning) tally.reason = 'NotReady';
}

function reasonOfEnd({ reason, signal, exitCode }: ContainerStateTerminated): string {
  if (reason !== undefined && reason !== '') return reason;
  if (signal !== undefined && signal !== 0) return `Signal:${String(signal)}`;
  return `ExitCode:${String(exitCode)}`;
}

function isReady({ conditions }: PodStatus): boolean {
  return items(conditions).some(({ type, status }) => type === 'Ready' && status === 'True');
}
