/**
 * Rows of the kinds by which a cluster is run: priorities, flow control, leases, devices, runtime
 * classes, disruption budgets, aggregated APIs and forks.
 *
 * In Kubernetes: printPriorityClass, printFlowSchema and their neighbours,
 * pkg/printers/internalversion; ConvertToTable, kube-aggregator/pkg/registry/apiservice.
 */
import type { APIService } from '../../../api/generated/kinds/apiregistration-v1.ts';
import type { Lease } from '../../../api/generated/kinds/coordination-v1.ts';
import type { Fork } from '../../../api/generated/kinds/everwatch-v1alpha1.ts';
import type {
  FlowSchema,
  PriorityLevelConfiguration,
} from '../../../api/generated/kinds/flowcontrol-v1.ts';
import type { RuntimeClass } from '../../../api/generated/kinds/node-v1.ts';
import type { PodDisruptionBudget } from '../../../api/generated/kinds/policy-v1.ts';
import type { ResourceClaim, ResourceSlice } from '../../../api/generated/kinds/resource-v1.ts';
import type { PriorityClass } from '../../../api/generated/kinds/scheduling-v1.ts';
import { items, type IntOrString } from '../../../api/json/go-values.ts';
import { ageOf, type Cell, conditionOf, isBeingDeleted, nameOf } from '../cells.ts';

/** Name, Value, Global-Default, Age, PreemptionPolicy. */
export function priorityClassCells(priorityClass: PriorityClass, now: number): Cell[] {
  return [
    nameOf(priorityClass),
    priorityClass.value,
    priorityClass.globalDefault ?? false,
    ageOf(priorityClass, now),
    priorityClass.preemptionPolicy ?? '',
  ];
}

/** Name, Min Available, Max Unavailable, Allowed Disruptions, Age. */
export function podDisruptionBudgetCells(budget: PodDisruptionBudget, now: number): Cell[] {
  const { spec, status } = budget;
  return [
    nameOf(budget),
    amountOrShare(spec.minAvailable),
    amountOrShare(spec.maxUnavailable),
    status.disruptionsAllowed,
    ageOf(budget, now),
  ];
}

function amountOrShare(value: IntOrString | undefined): string {
  return value === undefined ? 'N/A' : String(value);
}

/** Name, Holder, Age. */
export function leaseCells(lease: Lease, now: number): Cell[] {
  return [nameOf(lease), lease.spec.holderIdentity ?? '', ageOf(lease, now)];
}

/** Name, Revision, Age, Phase. */
export function forkCells(fork: Fork, now: number): Cell[] {
  return [nameOf(fork), fork.spec.revision ?? '', ageOf(fork, now), fork.status.phase ?? ''];
}

/** Name, Handler, Age. */
export function runtimeClassCells(runtimeClass: RuntimeClass, now: number): Cell[] {
  return [nameOf(runtimeClass), runtimeClass.handler, ageOf(runtimeClass, now)];
}

/** Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL. */
export function flowSchemaCells(flowSchema: FlowSchema, now: number): Cell[] {
  const { spec, status } = flowSchema;
  const dangling = conditionOf(status.conditions, 'Dangling');
  return [
    nameOf(flowSchema),
    spec.priorityLevelConfiguration.name,
    spec.matchingPrecedence,
    spec.distinguisherMethod?.type ?? '<none>',
    ageOf(flowSchema, now),
    dangling === undefined ? '?' : (dangling.status ?? ''),
  ];
}

/** A list of FlowSchemas is shown in the order in which they are tried. */
export function inOrderOfPrecedence(flowSchemas: readonly FlowSchema[]): FlowSchema[] {
  return [...flowSchemas].sort(
    (a, b) =>
      a.spec.matchingPrecedence - b.spec.matchingPrecedence || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
}

/** Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age. */
export function priorityLevelConfigurationCells(
  level: PriorityLevelConfiguration,
  now: number,
): Cell[] {
  const { type, limited } = level.spec;
  const queuing = limited?.limitResponse.queuing;
  return [
    nameOf(level),
    type,
    limited === undefined ? '<none>' : (limited.nominalConcurrencyShares ?? 0),
    queuing?.queues ?? '<none>',
    queuing?.handSize ?? '<none>',
    queuing?.queueLengthLimit ?? '<none>',
    ageOf(level, now),
  ];
}

/** Name, State, Age. */
export function resourceClaimCells(claim: ResourceClaim, now: number): Cell[] {
  return [nameOf(claim), claimState(claim), ageOf(claim, now)];
}

function claimState(claim: ResourceClaim): string {
  const isDeleted = isBeingDeleted(claim);
  const states = isDeleted ? ['deleted'] : [];
  if (claim.status.allocation === undefined) return isDeleted ? 'deleted' : 'pending';
  states.push('allocated');
  if (items(claim.status.reservedFor).length > 0) states.push('reserved');
  return states.join(',');
}

/** Name, Node, Driver, Pool, Age. */
export function resourceSliceCells(slice: ResourceSlice, now: number): Cell[] {
  const { nodeName = '', driver, pool } = slice.spec;
  return [nameOf(slice), nodeName, driver, pool.name, ageOf(slice, now)];
}

/** Name, Service, Available, Age. */
export function apiServiceCells(apiService: APIService, now: number): Cell[] {
  const { service } = apiService.spec;
  const path = `${service?.namespace ?? ''}/${service?.name ?? ''}`;
  const shown = service === undefined ? 'Local' : path;
  return [nameOf(apiService), shown, availability(apiService), ageOf(apiService, now)];
}

function availability(apiService: APIService): string {
  const condition = conditionOf(apiService.status.conditions, 'Available');
  if (condition === undefined) return 'Unknown';
  const { status, reason = '' } = condition;
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}
