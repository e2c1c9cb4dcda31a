/**
 * What an endpoint slice may say. Endpoints that do not change may be as wrong as they are.
 *
 * In Kubernetes: ValidateEndpointSlice, pkg/apis/discovery/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  EndpointSlice,
  EndpointPort,
  Endpoint,
  EndpointHints,
  ForZone,
  ForNode,
} from '../../../generated/kinds/discovery-v1.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { familyOf, parseIp } from '../../rules/ip-address.ts';
import { validateEndpointIp, validateIp, validateLegacyIp } from '../../rules/ip-validation.ts';
import { validateLabels } from '../../rules/label-selector-validation.ts';
import {
  immutable,
  invalidFor,
  isMissing,
  repeatsIn,
  ofEach,
} from '../../rules/value-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { validateFullyQualifiedDomain } from '../../rules/text-validation.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TOPOLOGY_LABELS_MAX = 16;
const ADDRESSES_MAX = 100;
const PORTS_MAX = 20_000;
const ENDPOINTS_MAX = 1000;
const HINTS_MAX = 8;

/** ValidateEndpointSliceCreate: type, ports and endpoints. */
export function validateEndpointSlice(slice: EndpointSlice): FieldErrors {
  return [...validateHead(slice), ...validateEndpoints(slice)];
}

/** ValidateEndpointSliceUpdate: endpoints that are as they were are not judged again. */
export function validateEndpointSliceChange(slice: EndpointSlice, old: EndpointSlice): FieldErrors {
  return [
    ...validateHead(slice),
    ...(sameValue(slice.endpoints, old.endpoints) ? [] : validateEndpoints(slice)),
    ...immutable('addressType', slice.addressType, old.addressType),
  ];
}

function validateHead(slice: EndpointSlice): FieldErrors {
  const type = slice.addressType;
  return [
    ...(type === '' ? [required('addressType')] : []),
    ...(type === '' || ADDRESS_TYPES.includes(type)
      ? []
      : [notSupported('addressType', type, ADDRESS_TYPES)]),
    ...validatePorts(items(slice.ports)),
  ];
}

function validatePorts(ports: readonly EndpointPort[]): FieldErrors {
  if (ports.length > PORTS_MAX) return [tooMany('ports', ports.length, PORTS_MAX)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = indexPath('ports', index);
    const name = port.name ?? '';
    const isSecond = names.has(name);
    names.add(name);
    return [
      ...(name === '' ? [] : invalidFor(`${field}.name`, name, dns1123LabelProblems(name))),
      ...(isSecond ? [duplicateValue(`${field}.name`, name)] : []),
      ...validateProtocols(field, port),
    ];
  });
}

function validateProtocols(field: string, port: EndpointPort): FieldErrors {
  const protocol = port.protocol ?? '';
  const application = port.appProtocol ?? '';
  return [
    ...(isMissing(port.protocol) ? [required(`${field}.protocol`)] : []),
    ...(isMissing(port.protocol) || PROTOCOLS.includes(protocol)
      ? []
      : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ...(isMissing(port.appProtocol)
      ? []
      : invalidFor(`${field}.appProtocol`, application, qualifiedNameProblems(application))),
  ];
}

function validateEndpoints(slice: EndpointSlice): FieldErrors {
  const endpoints = items(slice.endpoints);
  if (endpoints.length > ENDPOINTS_MAX) {
    return [tooMany('endpoints', endpoints.length, ENDPOINTS_MAX)];
  }
  const type = slice.addressType;
  return ofEach(endpoints, (endpoint, index) => {
    const field = indexPath('endpoints', index);
    return [
      ...validateAddresses(`${field}.addresses`, items(endpoint.addresses), type),
      ...validateEndpoint(field, endpoint),
    ];
  });
}

function validateAddresses(field: string, addresses: readonly string[], type: string): FieldErrors {
  return [
    ...(addresses.length === 0 ? [required(field, 'must contain at least 1 address')] : []),
    ...(addresses.length > ADDRESSES_MAX ? [tooMany(field, addresses.length, ADDRESSES_MAX)] : []),
    ...ofEach(addresses, (address, index) => {
      const path = indexPath(field, index);
      if (type === 'FQDN') return validateFullyQualifiedDomain(path, address);
      if (type !== 'IPv4' && type !== 'IPv6') return [];
      const errors = type === 'IPv4' ? validateLegacyIp(path, address) : validateIp(path, address);
      return errors.length > 0 ? errors : validateFamily({ field, path, address, type });
    }),
  ];
}

interface TypedAddress {
  /** The list, of which upstream complains when the family is wrong. */
  readonly field: string;
  readonly path: string;
  readonly address: string;
  readonly type: 'IPv4' | 'IPv6';
}

function validateFamily({ field, path, address, type }: TypedAddress): FieldErrors {
  const parsed = parseIp(address);
  const isRight = parsed !== undefined && familyOf(parsed) === type;
  return [
    ...(isRight ? [] : [invalidValue(field, address, `must be an ${type} address`)]),
    ...validateEndpointIp(path, address),
  ];
}

function validateEndpoint(field: string, endpoint: Endpoint): FieldErrors {
  const nodeName = endpoint.nodeName ?? '';
  const hostname = endpoint.hostname ?? '';
  const topology = endpoint.deprecatedTopology;
  const labelCount = Object.keys(topology ?? {}).length;
  const topologyField = `${field}.deprecatedTopology`;
  return [
    ...(isMissing(endpoint.nodeName)
      ? []
      : invalidFor(`${field}.nodeName`, nodeName, dns1123SubdomainProblems(nodeName))),
    ...(labelCount > TOPOLOGY_LABELS_MAX
      ? [tooMany(topologyField, labelCount, TOPOLOGY_LABELS_MAX)]
      : []),
    ...validateLabels(topologyField, topology),
    ...(isMissing(endpoint.hostname)
      ? []
      : invalidFor(`${field}.hostname`, hostname, dns1123LabelProblems(hostname))),
    ...validateHints(`${field}.hints`, endpoint.hints),
  ];
}

/** With too many zones, upstream does not look at the nodes. */
function validateHints(field: string, hints: EndpointHints | undefined): FieldErrors {
  const zones = items(hints?.forZones);
  const zoneErrors = validateHintNames(`${field}.forZones`, zones, labelValueProblems);
  if (zones.length > HINTS_MAX) return zoneErrors;
  const nodes = items(hints?.forNodes);
  return [
    ...zoneErrors,
    ...validateHintNames(`${field}.forNodes`, nodes, dns1123SubdomainProblems),
  ];
}

function validateHintNames(
  field: string,
  hints: readonly (ForZone | ForNode)[],
  problemsOf: (name: string) => readonly string[],
): FieldErrors {
  if (hints.length > HINTS_MAX) return [tooMany(field, hints.length, HINTS_MAX)];
  const names = hints.map((hint) => hint.name);
  const repeats = repeatsIn(names);
  return names.flatMap((name, index) => {
    const path = `${indexPath(field, index)}.name`;
    return [
      ...(repeats[index] === true ? [duplicateValue(path, name)] : []),
      ...invalidFor(path, name, problemsOf(name)),
    ];
  });
}
