/**
 * Rows of nodes, of namespaces and of what is kept in them: data, quotas and events.
 *
 * In Kubernetes: printNode, printEvent and their neighbours, pkg/printers/internalversion.
 */
import type {
  ComponentStatus,
  ConfigMap,
  Event,
  Namespace,
  Node,
  ObjectReference,
  ResourceQuota,
  Secret,
} from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import {
  ageOf,
  amountAt,
  type Cell,
  conditionOf,
  millisecondsOf,
  nameOf,
  nonEmpty,
  since,
} from '../cells.ts';

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

/** Name, Status, Age. */
export function namespaceCells(namespace: Namespace, now: number): Cell[] {
  return [nameOf(namespace), namespace.status.phase ?? '', ageOf(namespace, now)];
}

/** Name, Type, Data, Age. */
export function secretCells(secret: Secret, now: number): Cell[] {
  return [nameOf(secret), secret.type ?? '', sizeOf(secret.data), ageOf(secret, now)];
}

/** Name, Data, Age. */
export function configMapCells(configMap: ConfigMap, now: number): Cell[] {
  const size = sizeOf(configMap.data) + sizeOf(configMap.binaryData);
  return [nameOf(configMap), size, ageOf(configMap, now)];
}

function sizeOf(data: object | undefined): number {
  return data === undefined ? 0 : Object.keys(data).length;
}

/** What is limited by a resource named `limits.…` goes into the second column. */
export function resourceQuotaCells(quota: ResourceQuota, now: number): Cell[] {
  const { hard = {}, used } = quota.status;
  const requests: string[] = [];
  const limits: string[] = [];
  for (const name of Object.keys(hard).sort()) {
    const column = name.startsWith('limits.') ? limits : requests;
    column.push(`${name}: ${amountAt(used, name)}/${amountAt(hard, name)}`);
  }
  return [nameOf(quota), requests.join(', '), limits.join(', '), ageOf(quota, now)];
}

/** Name, Status, Message, Error. */
export function componentStatusCells(component: ComponentStatus): Cell[] {
  const condition = conditionOf(component.conditions, 'Healthy');
  if (condition === undefined) return [nameOf(component), 'Unknown', '', ''];
  const { status, message = '', error = '' } = condition;
  return [nameOf(component), status === 'True' ? 'Healthy' : 'Unhealthy', message, error];
}

/**
 * Name, Status, Roles, Age, Version; with `-o wide` Internal-IP, External-IP, OS-Image,
 * Kernel-Version, Container-Runtime.
 */
export function nodeCells(node: Node, now: number): Cell[] {
  const info = node.status.nodeInfo;
  const kernel = nonEmpty(info.kernelVersion, '<unknown>');
  return [
    nameOf(node),
    nodeStatus(node),
    nonEmpty(nodeRoles(node).join(','), '<none>'),
    ageOf(node, now),
    info.kubeletVersion,
    nodeAddress(node, 'InternalIP'),
    nodeAddress(node, 'ExternalIP'),
    nonEmpty(info.osImage, '<unknown>'),
    info.architecture === '' ? kernel : `${kernel} (${info.architecture})`,
    nonEmpty(info.containerRuntimeVersion, '<unknown>'),
  ];
}

/** Of several conditions of one type the last counts. */
function nodeStatus({ spec, status }: Node): string {
  const ready = items(status.conditions).findLast(({ type }) => type === 'Ready');
  const readiness = ready?.status === 'True' ? 'Ready' : 'NotReady';
  const shown = ready === undefined ? 'Unknown' : readiness;
  return spec.unschedulable === true ? `${shown},SchedulingDisabled` : shown;
}

function nodeRoles({ metadata }: Node): string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([label, value]) => {
    if (label.startsWith(ROLE_LABEL_PREFIX)) return label.slice(ROLE_LABEL_PREFIX.length);
    return label === ROLE_LABEL ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort();
}

function nodeAddress({ status }: Node, wanted: string): string {
  return items(status.addresses).find(({ type }) => type === wanted)?.address ?? '<none>';
}

/** An event of either group: both are stored in the form of the legacy one. */
export function eventCells(event: Event, now: number): Cell[] {
  const { involvedObject, type = '', reason = '', message = '' } = event;
  const first = sinceFirst(event, now);
  return [
    sinceLast(event, now) ?? first,
    type,
    reason,
    targetOf(involvedObject),
    involvedObject.fieldPath ?? '',
    sourceOf(event),
    message.trim(),
    first,
    event.series === undefined ? event.count || 1 : (event.series.count ?? 0),
    nameOf(event),
  ];
}

function sinceFirst({ firstTimestamp, eventTime }: Event, now: number): string {
  return since(millisecondsOf(firstTimestamp) === undefined ? eventTime : firstTimestamp, now);
}

/** undefined: it was seen once, so the last time is the first. */
function sinceLast({ series, lastTimestamp }: Event, now: number): string | undefined {
  if (series !== undefined) return since(series.lastObservedTime, now);
  return millisecondsOf(lastTimestamp) === undefined ? undefined : since(lastTimestamp, now);
}

/** `pod/web-1`, or the kind alone. */
function targetOf({ kind = '', name = '' }: ObjectReference): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceOf({ source, reportingComponent, reportingInstance }: Event): string {
  const component = nonEmpty(source.component, reportingComponent);
  const host = nonEmpty(source.host, reportingInstance);
  return host === '' ? component : `${component}, ${host}`;
}
