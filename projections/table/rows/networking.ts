/**
 * Rows of the kinds of networking.k8s.io.
 *
 * In Kubernetes: printIngress, printNetworkPolicy and their neighbours,
 * pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../../../api/json/json.ts';
import { ageOf, annotationOf, type Cell, nameOf, selectorCell, stringOr } from '../cells.ts';
import { loadBalancerAddresses } from './services.ts';

const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** How many hosts a cell shows. */
const HOSTS_MAX = 3;

export function ingressCells(ingress: JsonObject, now: number): Cell[] {
  const spec = objectAt(ingress, 'spec');
  return [
    nameOf(ingress),
    stringOr(spec, 'ingressClassName', '<none>'),
    hostsOf(itemsAt(spec, 'rules')),
    loadBalancerAddresses(objectAt(ingress, 'status')).join(','),
    itemsAt(spec, 'tls').length > 0 ? '80, 443' : '80',
    ageOf(ingress, now),
  ];
}

export function ingressClassCells(ingressClass: JsonObject, now: number): Cell[] {
  const spec = objectAt(ingressClass, 'spec');
  const isDefault = annotationOf(ingressClass, DEFAULT_CLASS_ANNOTATION) === 'true';
  return [
    `${nameOf(ingressClass)}${isDefault ? ' (default)' : ''}`,
    stringAt(spec, 'controller'),
    parametersOf(objectAt(spec, 'parameters')),
    ageOf(ingressClass, now),
  ];
}

export function networkPolicyCells(policy: JsonObject, now: number): Cell[] {
  // A policy without a selector selects every pod: in Go the selector is always there.
  const selector = objectAt(objectAt(policy, 'spec'), 'podSelector') ?? {};
  return [nameOf(policy), selectorCell(selector), ageOf(policy, now)];
}

export function serviceCidrCells(serviceCidr: JsonObject, now: number): Cell[] {
  const cidrs = textsAt(objectAt(serviceCidr, 'spec'), 'cidrs').join(',');
  return [nameOf(serviceCidr), cidrs, ageOf(serviceCidr, now)];
}

/** One cell more than there are columns, as upstream has it. */
export function ipAddressCells(ipAddress: JsonObject, now: number): Cell[] {
  const parent = objectAt(objectAt(ipAddress, 'spec'), 'parentRef');
  const shown = parent === undefined ? '<none>' : parentOf(parent);
  return [nameOf(ipAddress), shown, ageOf(ipAddress, now)];
}

/** Rules without a host take a place, but show nothing. */
function hostsOf(rules: readonly JsonObject[]): string {
  const hosts: string[] = [];
  let isCut = false;
  for (const rule of rules) {
    if (hosts.length === HOSTS_MAX) isCut = true;
    const host = stringAt(rule, 'host');
    if (!isCut && host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  const shown = hosts.join(',');
  return isCut ? `${shown} + ${String(rules.length - HOSTS_MAX)} more...` : shown;
}

function parametersOf(parameters: JsonObject | undefined): string {
  if (parameters === undefined) return '<none>';
  const group = parameters['apiGroup'];
  const suffix = typeof group === 'string' ? `.${group}` : '';
  return `${stringAt(parameters, 'kind')}${suffix}/${stringAt(parameters, 'name')}`;
}

/** `services/default/web` or `gateways.example.com/name`. */
function parentOf(parent: JsonObject): string {
  const group = stringAt(parent, 'group');
  const namespace = stringAt(parent, 'namespace');
  const resource = stringAt(parent, 'resource') + (group === '' ? '' : `.${group}`);
  const path = [resource.toLowerCase(), namespace, stringAt(parent, 'name')];
  return (namespace === '' ? [path[0], path[2]] : path).join('/');
}
