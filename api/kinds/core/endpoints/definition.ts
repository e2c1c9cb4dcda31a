/**
 * Endpoints: where a service led before there were slices; their defaults, and what they may say.
 *
 * In Kubernetes: registry/core/endpoint; SetDefaults_Endpoints, pkg/apis/core/v1; ValidateEndpoints,
 * pkg/apis/core/validation.
 */
import { defineKind } from '../../kind.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
} from '../../../generated/kinds/core-v1.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  qualifiedNameProblems,
} from '../../../meta/names.ts';
import { type FieldErrors, required } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipWarnings, validateEndpointIp, validateLegacyIp } from '../../rules/ip-validation.ts';
import { PORT_PROTOCOLS } from '../../pod-spec/containers/container-ports-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import {
  invalidFor,
  isMissing,
  ofEach,
  oneOf,
  portNumberProblems,
} from '../../rules/value-validation.ts';

/** The kind Endpoints; every request is warned that it is deprecated. */
export const endpoints = defineKind('v1/endpoints', {
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  rules: {
    allowsCreateOnUpdate: true,
    validate: validateEndpoints,
    validateUpdate: validateEndpointsChange,
    warningsOnCreate: addressWarnings,
    warningsOnUpdate: addressWarnings,
  },
});

/** SetDefaults_Endpoints: TCP for ports without a protocol. */
export function setEndpointsDefaults(endpoints: Endpoints): void {
  forEachItem(items(endpoints.subsets), (subset) => {
    forEachItem(items(subset.ports), (port) => {
      port.protocol ||= 'TCP';
    });
  });
}

/** What did not change was valid once, and is not looked at again. */
function validateEndpointsChange(endpoints: Endpoints, old: Endpoints): FieldErrors {
  return sameValue(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints);
}

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';

/** The controller writes no address as others would not. */
function addressWarnings({ metadata, subsets }: Endpoints): readonly string[] {
  if (metadata.labels?.[MANAGED_BY] === 'endpoint-controller') return [];
  const keys = ['addresses', 'notReadyAddresses'] as const;
  return ofEach(subsets, (subset, index) =>
    keys.flatMap((key) =>
      ofEach(subset[key], ({ ip }, at) =>
        ipWarnings(`${indexPath(`${indexPath('subsets', index)}.${key}`, at)}.ip`, ip),
      ),
    ),
  );
}

function validateEndpoints(endpoints: Endpoints): FieldErrors {
  return items(endpoints.subsets).flatMap((subset, index) =>
    validateSubset(indexPath('subsets', index), subset),
  );
}

function validateSubset(field: string, subset: EndpointSubset): FieldErrors {
  const keys = ['addresses', 'notReadyAddresses'] as const;
  const ports = items(subset.ports);
  const isEmpty = keys.every((key) => items(subset[key]).length === 0);
  return [
    ...(isEmpty ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...keys.flatMap((key) =>
      items(subset[key]).flatMap((address, index) =>
        validateAddress(indexPath(`${field}.${key}`, index), address),
      ),
    ),
    ...ports.flatMap((port, index) =>
      validatePort(indexPath(`${field}.ports`, index), port, ports.length > 1),
    ),
  ];
}

function validateAddress(field: string, address: EndpointAddress): FieldErrors {
  const { ip, hostname = '', nodeName: node } = address;
  return [
    ...validateLegacyIp(`${field}.ip`, ip),
    ...(hostname === ''
      ? []
      : invalidFor(`${field}.hostname`, hostname, dns1123LabelProblems(hostname))),
    ...(node === undefined
      ? []
      : invalidFor(`${field}.nodeName`, node, dns1123SubdomainProblems(node))),
    ...validateEndpointIp(`${field}.ip`, ip),
  ];
}

function validatePort(field: string, port: EndpointPort, isNamed: boolean): FieldErrors {
  const name = port.name ?? '';
  const number = port.port;
  const protocol = port.appProtocol ?? '';
  return [
    ...(isNamed && name === '' ? [required(`${field}.name`)] : []),
    ...(name === '' ? [] : invalidFor(`${field}.name`, name, dns1123LabelProblems(name))),
    ...invalidFor(`${field}.port`, number, portNumberProblems(number)),
    ...oneOf(`${field}.protocol`, port.protocol, PORT_PROTOCOLS),
    ...(isMissing(port.appProtocol)
      ? []
      : invalidFor(`${field}.appProtocol`, protocol, qualifiedNameProblems(protocol))),
  ];
}
