/**
 * Endpoint slices: where the pods of a service are. They count changes of their labels too.
 *
 * In Kubernetes: registry/discovery/endpointslice; SetDefaults_EndpointPort, pkg/apis/discovery/v1.
 */
import { items } from '../../json/go-values.ts';
import type { EndpointSlice } from '../../generated/kinds/discovery-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import { indexPath } from '../../field/field-path.ts';
import { ipWarnings } from '../rules/ip-validation.ts';
import { defineKind } from '../kind.ts';
import { sameMap, sameValue } from '../rules/same-value.ts';
import { isMissing, ofEach } from '../rules/value-validation.ts';
import { validateEndpointSlice, validateEndpointSliceChange } from './endpointslices/validation.ts';
import { forEachItem } from '../../json/work-in-slices.ts';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** They write addresses in their best form whatever they were given. */
const CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

/** The kind EndpointSlice; every change of it is a new generation. */
export const endpointSlices = defineKind('discovery.k8s.io/v1/endpointslices', {
  rules: {
    isNewGeneration: isAnyChange,
    prepareForCreate: dropTopology,
    prepareForUpdate(slice, old) {
      if (!sameValue(slice.endpoints, old.endpoints)) dropTopology(slice);
    },
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceChange,
    warningsOnCreate: (slice) => [
      ...(slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...addressWarnings(slice),
    ],
    warningsOnUpdate: addressWarnings,
  },
});

function isAnyChange(slice: EndpointSlice, old: EndpointSlice): boolean {
  const content = ({ metadata: _metadata, ...rest }: EndpointSlice): JsonObject => rest;
  return (
    !sameValue(content(slice), content(old)) || !sameMap(slice.metadata.labels, old.metadata.labels)
  );
}

/** The field is of an older version of the API; it only stays in endpoints that do not change. */
function dropTopology(slice: EndpointSlice): void {
  if (isMissing(slice.endpoints)) return;
  slice.endpoints = items(slice.endpoints).map(
    ({ deprecatedTopology: _topology, ...endpoint }) => endpoint,
  );
}

function addressWarnings(slice: EndpointSlice): readonly string[] {
  if (CONTROLLERS.includes(slice.metadata.labels?.[MANAGED_BY] ?? '')) return [];
  return ofEach(slice.endpoints, (endpoint, index) =>
    ofEach(endpoint.addresses, (address, at) =>
      ipWarnings(indexPath(`${indexPath('endpoints', index)}.addresses`, at), address),
    ),
  );
}

/** SetDefaults_EndpointPort: an empty name, and TCP. */
export function setEndpointSliceDefaults(slice: EndpointSlice): void {
  forEachItem(items(slice.ports), (port) => {
    port.name ??= '';
    port.protocol ??= 'TCP';
  });
}
