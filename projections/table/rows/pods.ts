/**
 * The row of a pod.
 *
 * In Kubernetes: printPod, pkg/printers/internalversion.
 */
import {
  itemsAt,
  type JsonObject,
  type JsonValue,
  objectAt,
  stringAt,
} from '../../../api/json/json.ts';
import { ageOf, type Cell, isBeingDeleted, nameOf, nonEmpty } from '../cells.ts';
import { humanDuration } from '../human-duration.ts';
import { type PodTally, tallyOf } from './pod-tally.ts';

export function podCells(pod: JsonObject, now: number): Cell[] {
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const tally = tallyOf(spec, status);
  return [
    nameOf(pod),
    `${String(tally.ready)}/${String(tally.total)}`,
    isBeingDeleted(pod) ? reasonWhileDeleted(status, tally.reason) : tally.reason,
    restartsCell(tally, now),
    ageOf(pod, now),
    nonEmpty(addressOf(status), '<none>'),
    nonEmpty(stringAt(spec, 'nodeName'), '<none>'),
    nonEmpty(stringAt(status, 'nominatedNodeName'), '<none>'),
    readinessGatesCell(spec, status),
  ];
}

/** Tells `kubectl get --watch` that the pod will not change any more. */
export function podConditions(pod: JsonObject): JsonValue[] | undefined {
  const phase = stringAt(objectAt(pod, 'status'), 'phase');
  if (phase === 'Succeeded') return [completed(phase, 'The pod has completed successfully.')];
  if (phase === 'Failed') return [completed(phase, 'The pod failed.')];
  return undefined;
}

function completed(reason: string, message: string): JsonObject {
  return { type: 'Completed', status: 'True', reason, message };
}

/** Of the two fields for it, `podIP` counts where they differ. */
function addressOf(status: JsonObject | undefined): string {
  return nonEmpty(stringAt(status, 'podIP'), stringAt(itemsAt(status, 'podIPs')[0], 'ip'));
}

function reasonWhileDeleted(status: JsonObject | undefined, reason: string): string {
  if (stringAt(status, 'reason') === 'NodeLost') return 'Unknown';
  const phase = stringAt(status, 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function restartsCell({ restarts, lastRestart }: PodTally, now: number): string {
  if (restarts === 0 || lastRestart === undefined) return String(restarts);
  return `${String(restarts)} (${humanDuration(now - lastRestart)} ago)`;
}

function readinessGatesCell(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = itemsAt(spec, 'readinessGates');
  if (gates.length === 0) return '<none>';
  const conditions = itemsAt(status, 'conditions');
  const open = gates.filter((gate) => {
    const condition = conditions.find((one) => one['type'] === gate['conditionType']);
    return condition?.['status'] === 'True';
  });
  return `${String(open.length)}/${String(gates.length)}`;
}
