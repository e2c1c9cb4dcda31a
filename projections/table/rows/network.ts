/**
 * Rows of services, of where they lead, and of the kinds of networking.k8s.io.
 *
 * In Kubernetes: printService, printEndpoints, printIngress and their neighbours,
 * pkg/printers/internalversion.
 */
import type {
  Endpoints,
  EndpointSubset,
  LoadBalancerStatus,
  Service,
  ServicePort,
} from '../../../api/generated/kinds/core-v1.ts';
import type { EndpointPort, EndpointSlice } from '../../../api/generated/kinds/discovery-v1.ts';
import type {
  Ingress,
  IngressClass,
  IngressClassParametersReference,
  IngressLoadBalancerStatus,
  IngressRule,
  IPAddress,
  NetworkPolicy,
  ParentReference,
  ServiceCIDR,
} from '../../../api/generated/kinds/networking-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import {
  ageOf,
  annotationOf,
  type Cell,
  labelsText,
  listOf,
  nameOf,
  nonEmpty,
  selectorCell,
} from '../cells.ts';

/** How many addresses, ports or hosts a cell shows. */
const SHOWN_MAX = 3;

const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** Name, Type, Cluster-IP, External-IP, Port(s), Age; with `-o wide` Selector. */
export function serviceCells(service: Service, now: number): Cell[] {
  const { spec } = service;
  return [
    nameOf(service),
    spec.type ?? '',
    items(spec.clusterIPs)[0] ?? '<none>',
    externalAddress(service),
    nonEmpty(items(spec.ports).map(servicePort).join(','), '<none>'),
    ageOf(service, now),
    labelsText(spec.selector),
  ];
}

/** Name, Endpoints, Age. */
export function endpointsCells(endpoints: Endpoints, now: number): Cell[] {
  const subsets = items(endpoints.subsets);
  const shown =
    subsets.length === 0 ? '<none>' : listOf(subsets.flatMap(subsetAddresses), SHOWN_MAX);
  return [nameOf(endpoints), shown, ageOf(endpoints, now)];
}

/** Name, AddressType, Ports, Endpoints, Age. */
export function endpointSliceCells(slice: EndpointSlice, now: number): Cell[] {
  const addresses = items(slice.endpoints).flatMap((one) => items(one.addresses));
  return [
    nameOf(slice),
    slice.addressType,
    nonEmpty(listOf(items(slice.ports).map(slicePort), SHOWN_MAX), '<unset>'),
    nonEmpty(listOf(addresses, SHOWN_MAX), '<unset>'),
    ageOf(slice, now),
  ];
}

/** Name, Class, Hosts, Address, Ports, Age. */
export function ingressCells(ingress: Ingress, now: number): Cell[] {
  const { spec, status } = ingress;
  return [
    nameOf(ingress),
    spec.ingressClassName ?? '<none>',
    hostsOf(items(spec.rules)),
    loadBalancerAddresses(status.loadBalancer).join(','),
    items(spec.tls).length > 0 ? '80, 443' : '80',
    ageOf(ingress, now),
  ];
}

/** Name, Controller, Parameters, Age. */
export function ingressClassCells(ingressClass: IngressClass, now: number): Cell[] {
  const { controller = '', parameters } = ingressClass.spec;
  const isDefault = annotationOf(ingressClass, DEFAULT_CLASS_ANNOTATION) === 'true';
  return [
    `${nameOf(ingressClass)}${isDefault ? ' (default)' : ''}`,
    controller,
    parameters === undefined ? '<none>' : parametersOf(parameters),
    ageOf(ingressClass, now),
  ];
}

/** Name, Pod-Selector, Age. */
export function networkPolicyCells(policy: NetworkPolicy, now: number): Cell[] {
  return [nameOf(policy), selectorCell(policy.spec.podSelector), ageOf(policy, now)];
}

/** Name, CIDRs, Age. */
export function serviceCidrCells(serviceCidr: ServiceCIDR, now: number): Cell[] {
  const cidrs = items(serviceCidr.spec.cidrs).join(',');
  return [nameOf(serviceCidr), cidrs, ageOf(serviceCidr, now)];
}

/** One cell more than there are columns, as upstream has it. */
export function ipAddressCells(ipAddress: IPAddress, now: number): Cell[] {
  const { parentRef } = ipAddress.spec;
  const shown = parentRef === undefined ? '<none>' : parentOf(parentRef);
  return [nameOf(ipAddress), shown, ageOf(ipAddress, now)];
}

/** The addresses a load balancer has, sorted, each once. */
function loadBalancerAddresses({
  ingress,
}: LoadBalancerStatus | IngressLoadBalancerStatus): string[] {
  const addresses = (ingress ?? [])
    .map(({ ip, hostname = '' }) => nonEmpty(ip, hostname))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort();
}

function externalAddress({ spec, status }: Service): string {
  const externalIPs = items(spec.externalIPs);
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.length > 0 ? externalIPs.join(',') : '<none>';
    case 'LoadBalancer': {
      const addresses = [...loadBalancerAddresses(status.loadBalancer), ...externalIPs];
      return addresses.length > 0 ? addresses.join(',') : '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function servicePort({ port, nodePort = 0, protocol = '' }: ServicePort): string {
  const outside = nodePort > 0 ? `:${String(nodePort)}` : '';
  return `${String(port)}${outside}/${protocol}`;
}

/** `10.0.0.1:80` for each port and address; the bare address when the subset has no ports. */
function subsetAddresses(subset: EndpointSubset): string[] {
  const addresses = items(subset.addresses).map(({ ip }) => ip);
  const ports = items(subset.ports);
  if (ports.length === 0) return addresses;
  return ports.flatMap(({ port }) =>
    addresses.map((address) => `${hostOf(address)}:${String(port)}`),
  );
}

function hostOf(address: string): string {
  return /[:%]/.test(address) ? `[${address}]` : address;
}

function slicePort({ port, name }: EndpointPort): string {
  return port === undefined ? (name ?? '*') : String(port);
}

/** Rules without a host take a place, but show nothing. */
function hostsOf(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let isCut = false;
  for (const { host = '' } of rules) {
    if (hosts.length === SHOWN_MAX) isCut = true;
    if (!isCut && host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  const shown = hosts.join(',');
  return isCut ? `${shown} + ${String(rules.length - SHOWN_MAX)} more...` : shown;
}

function parametersOf({ apiGroup, kind, name }: IngressClassParametersReference): string {
  const suffix = apiGroup === undefined ? '' : `.${apiGroup}`;
  return `${kind}${suffix}/${name}`;
}

/** `services/default/web` or `gateways.example.com/name`. */
function parentOf({ group = '', namespace = '', resource = '', name = '' }: ParentReference) {
  const groupResource = (resource + (group === '' ? '' : `.${group}`)).toLowerCase();
  return (namespace === '' ? [groupResource, name] : [groupResource, namespace, name]).join('/');
}
