/**
 * Endpoint slices: where the pods of a service are. They count changes of their labels too.
 *
 * In Kubernetes: registry/discovery/endpointslice.
 */
import { stringAt, type JsonObject } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { notSupported, required, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import { sameMap, sameValue } from '../same-value.ts';
import { strategyOf } from '../strategy-of.ts';
import { immutable, isMissing, objectsAt } from '../value-validation.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSlices: Kind = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  strategy: strategyOf({
    isNewGeneration: isAnyChange,
    prepareForCreate: dropTopology,
    prepareForUpdate(slice, old) {
      if (!sameValue(slice['endpoints'], old['endpoints'])) dropTopology(slice);
    },
    validate: validateAddressType,
    validateChange: (slice, old) =>
      immutable('addressType', slice['addressType'], old['addressType']),
    warningsOnCreate: (slice) =>
      slice['addressType'] === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
  }),
};

function isAnyChange(slice: KubeObject, old: KubeObject): boolean {
  const content = ({ metadata: _metadata, ...rest }: KubeObject): JsonObject => rest;
  return (
    !sameValue(content(slice), content(old)) || !sameMap(slice.metadata.labels, old.metadata.labels)
  );
}

/** The field is of an older version of the API; it only stays in endpoints that do not change. */
function dropTopology(slice: KubeObject): void {
  if (isMissing(slice['endpoints'])) return;
  slice['endpoints'] = objectsAt(slice, 'endpoints').map(
    ({ deprecatedTopology: _topology, ...endpoint }) => endpoint,
  );
}

function validateAddressType(slice: KubeObject): FieldErrors {
  const type = stringAt(slice, 'addressType');
  if (type === '') return [required('addressType')];
  return ADDRESS_TYPES.includes(type) ? [] : [notSupported('addressType', type, ADDRESS_TYPES)];
}
