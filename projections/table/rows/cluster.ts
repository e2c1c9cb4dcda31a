/**
 * Rows of the kinds by which a cluster is run: priorities, flow control, leases, devices, runtime
 * classes, disruption budgets and aggregated APIs.
 *
 * In Kubernetes: printPriorityClass, printFlowSchema and their neighbours,
 * pkg/printers/internalversion; ConvertToTable, kube-aggregator/pkg/registry/apiservice.
 */
import {
  itemsAt,
  type JsonObject,
  type JsonValue,
  objectAt,
  stringAt,
} from '../../../api/json/json.ts';
import {
  ageOf,
  booleanAt,
  type Cell,
  conditionOf,
  isBeingDeleted,
  nameOf,
  countAt,
} from '../cells.ts';

export function priorityClassCells(priorityClass: JsonObject, now: number): Cell[] {
  return [
    nameOf(priorityClass),
    countAt(priorityClass, 'value'),
    booleanAt(priorityClass, 'globalDefault'),
    ageOf(priorityClass, now),
    stringAt(priorityClass, 'preemptionPolicy'),
  ];
}

export function podDisruptionBudgetCells(budget: JsonObject, now: number): Cell[] {
  const spec = objectAt(budget, 'spec');
  return [
    nameOf(budget),
    amountOrShare(spec?.['minAvailable']),
    amountOrShare(spec?.['maxUnavailable']),
    countAt(objectAt(budget, 'status'), 'disruptionsAllowed'),
    ageOf(budget, now),
  ];
}

export function leaseCells(lease: JsonObject, now: number): Cell[] {
  const holder = stringAt(objectAt(lease, 'spec'), 'holderIdentity');
  return [nameOf(lease), holder, ageOf(lease, now)];
}

export function forkCells(fork: JsonObject, now: number): Cell[] {
  const revision = stringAt(objectAt(fork, 'spec'), 'revision');
  return [nameOf(fork), revision, ageOf(fork, now), stringAt(objectAt(fork, 'status'), 'phase')];
}

export function runtimeClassCells(runtimeClass: JsonObject, now: number): Cell[] {
  return [nameOf(runtimeClass), stringAt(runtimeClass, 'handler'), ageOf(runtimeClass, now)];
}

export function flowSchemaCells(flowSchema: JsonObject, now: number): Cell[] {
  const spec = objectAt(flowSchema, 'spec');
  const distinguisher = objectAt(spec, 'distinguisherMethod');
  const dangling = conditionOf(objectAt(flowSchema, 'status'), 'Dangling');
  return [
    nameOf(flowSchema),
    stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name'),
    countAt(spec, 'matchingPrecedence'),
    distinguisher === undefined ? '<none>' : stringAt(distinguisher, 'type'),
    ageOf(flowSchema, now),
    dangling === undefined ? '?' : stringAt(dangling, 'status'),
  ];
}

/** A list of FlowSchemas is shown in the order in which they are tried. */
export function inOrderOfPrecedence(flowSchemas: readonly JsonObject[]): JsonObject[] {
  const precedence = (one: JsonObject): number =>
    countAt(objectAt(one, 'spec'), 'matchingPrecedence');
  return [...flowSchemas].sort(
    (a, b) => precedence(a) - precedence(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
}

export function priorityLevelConfigurationCells(level: JsonObject, now: number): Cell[] {
  const spec = objectAt(level, 'spec');
  const limited = objectAt(spec, 'limited');
  const queuing = objectAt(objectAt(limited, 'limitResponse'), 'queuing');
  return [
    nameOf(level),
    stringAt(spec, 'type'),
    numberOrNone(limited, 'nominalConcurrencyShares'),
    numberOrNone(queuing, 'queues'),
    numberOrNone(queuing, 'handSize'),
    numberOrNone(queuing, 'queueLengthLimit'),
    ageOf(level, now),
  ];
}

export function resourceClaimCells(claim: JsonObject, now: number): Cell[] {
  return [nameOf(claim), claimState(claim), ageOf(claim, now)];
}

export function resourceSliceCells(slice: JsonObject, now: number): Cell[] {
  const spec = objectAt(slice, 'spec');
  return [
    nameOf(slice),
    stringAt(spec, 'nodeName'),
    stringAt(spec, 'driver'),
    stringAt(objectAt(spec, 'pool'), 'name'),
    ageOf(slice, now),
  ];
}

export function apiServiceCells(apiService: JsonObject, now: number): Cell[] {
  const service = objectAt(objectAt(apiService, 'spec'), 'service');
  const path = `${stringAt(service, 'namespace')}/${stringAt(service, 'name')}`;
  const shown = service === undefined ? 'Local' : path;
  return [nameOf(apiService), shown, availability(apiService), ageOf(apiService, now)];
}

function amountOrShare(value: JsonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';
}

function numberOrNone(owner: JsonObject | undefined, key: string): Cell {
  return owner === undefined ? '<none>' : countAt(owner, key);
}

function claimState(claim: JsonObject): string {
  const status = objectAt(claim, 'status');
  const isDeleted = isBeingDeleted(claim);
  const states = isDeleted ? ['deleted'] : [];
  if (objectAt(status, 'allocation') === undefined) return isDeleted ? 'deleted' : 'pending';
  states.push('allocated');
  if (itemsAt(status, 'reservedFor').length > 0) states.push('reserved');
  return states.join(',');
}

function availability(apiService: JsonObject): string {
  const condition = conditionOf(objectAt(apiService, 'status'), 'Available');
  if (condition === undefined) return 'Unknown';
  const status = stringAt(condition, 'status');
  const reason = stringAt(condition, 'reason');
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}
