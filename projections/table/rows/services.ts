/**
 * Rows of services and of where they lead.
 *
 * In Kubernetes: printService, printEndpoints and printEndpointSlice,
 * pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../../../api/json/json.ts';
import { ageOf, type Cell, labelsText, listOf, nameOf, nonEmpty, countAt } from '../cells.ts';

/** How many addresses or ports a cell shows. */
const SHOWN_MAX = 3;

export function serviceCells(service: JsonObject, now: number): Cell[] {
  const spec = objectAt(service, 'spec');
  return [
    nameOf(service),
    stringAt(spec, 'type'),
    textsAt(spec, 'clusterIPs')[0] ?? '<none>',
    externalAddress(spec, objectAt(service, 'status')),
    nonEmpty(itemsAt(spec, 'ports').map(servicePort).join(','), '<none>'),
    ageOf(service, now),
    labelsText(objectAt(spec, 'selector')),
  ];
}

export function endpointsCells(endpoints: JsonObject, now: number): Cell[] {
  const subsets = itemsAt(endpoints, 'subsets');
  const shown =
    subsets.length === 0 ? '<none>' : listOf(subsets.flatMap(subsetAddresses), SHOWN_MAX);
  return [nameOf(endpoints), shown, ageOf(endpoints, now)];
}

export function endpointSliceCells(slice: JsonObject, now: number): Cell[] {
  const addresses = itemsAt(slice, 'endpoints').flatMap((one) => textsAt(one, 'addresses'));
  return [
    nameOf(slice),
    stringAt(slice, 'addressType'),
    nonEmpty(listOf(itemsAt(slice, 'ports').map(slicePort), SHOWN_MAX), '<unset>'),
    nonEmpty(listOf(addresses, SHOWN_MAX), '<unset>'),
    ageOf(slice, now),
  ];
}

/** The addresses a load balancer has, sorted, each once. */
export function loadBalancerAddresses(status: JsonObject | undefined): string[] {
  const addresses = itemsAt(objectAt(status, 'loadBalancer'), 'ingress')
    .map((ingress) => nonEmpty(stringAt(ingress, 'ip'), stringAt(ingress, 'hostname')))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort();
}

function externalAddress(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const externalIPs = textsAt(spec, 'externalIPs');
  switch (stringAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.length > 0 ? externalIPs.join(',') : '<none>';
    case 'LoadBalancer': {
      const addresses = [...loadBalancerAddresses(status), ...externalIPs];
      return addresses.length > 0 ? addresses.join(',') : '<pending>';
    }
    case 'ExternalName':
      return stringAt(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function servicePort(port: JsonObject): string {
  const nodePort = countAt(port, 'nodePort');
  const outside = nodePort > 0 ? `:${String(nodePort)}` : '';
  return `${String(countAt(port, 'port'))}${outside}/${stringAt(port, 'protocol')}`;
}

/** `10.0.0.1:80` for each port and address; the bare address when the subset has no ports. */
function subsetAddresses(subset: JsonObject): string[] {
  const addresses = itemsAt(subset, 'addresses').map((address) => stringAt(address, 'ip'));
  const ports = itemsAt(subset, 'ports');
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) =>
    addresses.map((address) => `${hostOf(address)}:${String(countAt(port, 'port'))}`),
  );
}

function hostOf(address: string): string {
  return /[:%]/.test(address) ? `[${address}]` : address;
}

function slicePort(port: JsonObject): string {
  const number = port['port'];
  if (typeof number === 'number') return String(number);
  const name = port['name'];
  return typeof name === 'string' ? name : '*';
}
