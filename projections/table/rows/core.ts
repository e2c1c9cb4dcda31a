/**
 * Rows of the other kinds of the legacy group.
 *
 * In Kubernetes: printNode, printSecret and their neighbours, pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { ageOf, amountAt, booleanAt, type Cell, conditionOf, nameOf, nonEmpty } from '../cells.ts';

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

export function namespaceCells(namespace: JsonObject, now: number): Cell[] {
  const phase = stringAt(objectAt(namespace, 'status'), 'phase');
  return [nameOf(namespace), phase, ageOf(namespace, now)];
}

export function secretCells(secret: JsonObject, now: number): Cell[] {
  return [nameOf(secret), stringAt(secret, 'type'), sizeAt(secret, 'data'), ageOf(secret, now)];
}

export function configMapCells(configMap: JsonObject, now: number): Cell[] {
  const size = sizeAt(configMap, 'data') + sizeAt(configMap, 'binaryData');
  return [nameOf(configMap), size, ageOf(configMap, now)];
}

export function nameAndAgeCells(object: JsonObject, now: number): Cell[] {
  return [nameOf(object), ageOf(object, now)];
}

export function nodeCells(node: JsonObject, now: number): Cell[] {
  const info = objectAt(objectAt(node, 'status'), 'nodeInfo');
  const architecture = stringAt(info, 'architecture');
  const kernel = nonEmpty(stringAt(info, 'kernelVersion'), '<unknown>');
  return [
    nameOf(node),
    nodeStatus(node),
    nonEmpty(nodeRoles(node).join(','), '<none>'),
    ageOf(node, now),
    stringAt(info, 'kubeletVersion'),
    nodeAddress(node, 'InternalIP'),
    nodeAddress(node, 'ExternalIP'),
    nonEmpty(stringAt(info, 'osImage'), '<unknown>'),
    architecture === '' ? kernel : `${kernel} (${architecture})`,
    nonEmpty(stringAt(info, 'containerRuntimeVersion'), '<unknown>'),
  ];
}

/** What is limited by a resource named `limits.…` goes into the second column. */
export function resourceQuotaCells(quota: JsonObject, now: number): Cell[] {
  const status = objectAt(quota, 'status');
  const hard = objectAt(status, 'hard') ?? {};
  const used = objectAt(status, 'used');
  const requests: string[] = [];
  const limits: string[] = [];
  for (const name of Object.keys(hard).sort()) {
    const column = name.startsWith('limits.') ? limits : requests;
    column.push(`${name}: ${amountAt(used, name)}/${amountAt(hard, name)}`);
  }
  return [nameOf(quota), requests.join(', '), limits.join(', '), ageOf(quota, now)];
}

export function componentStatusCells(component: JsonObject): Cell[] {
  const condition = conditionOf(component, 'Healthy');
  if (condition === undefined) return [nameOf(component), 'Unknown', '', ''];
  const status = condition['status'] === 'True' ? 'Healthy' : 'Unhealthy';
  return [nameOf(component), status, stringAt(condition, 'message'), stringAt(condition, 'error')];
}

function sizeAt(parent: JsonObject, key: string): number {
  return Object.keys(objectAt(parent, key) ?? {}).length;
}

/** Of several conditions of one type the last counts. */
function nodeStatus(node: JsonObject): string {
  const ready = itemsAt(objectAt(node, 'status'), 'conditions').findLast(
    (condition) => condition['type'] === 'Ready',
  );
  const readiness = ready?.['status'] === 'True' ? 'Ready' : 'NotReady';
  const status = ready === undefined ? 'Unknown' : readiness;
  const isClosed = booleanAt(objectAt(node, 'spec'), 'unschedulable');
  return isClosed ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: JsonObject): string[] {
  const labels = objectAt(objectAt(node, 'metadata'), 'labels') ?? {};
  const roles = Object.entries(labels).map(([label, value]) => {
    if (label.startsWith(ROLE_LABEL_PREFIX)) return label.slice(ROLE_LABEL_PREFIX.length);
    return label === ROLE_LABEL && typeof value === 'string' ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort();
}

function nodeAddress(node: JsonObject, type: string): string {
  const addresses = itemsAt(objectAt(node, 'status'), 'addresses');
  const found = addresses.find((address) => address['type'] === type);
  return found === undefined ? '<none>' : stringAt(found, 'address');
}
