/** Leases: who leads, and for how long. In Kubernetes: registry/coordination/lease. */
import type { JsonObject } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import { strategyOf } from '../strategy-of.ts';
import { isMissing, nonNegative, numberAt, specOf } from '../value-validation.ts';

export const leases: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  strategy: strategyOf({
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    prepareForCreate: (lease) => dropGatedFields(lease, {}),
    prepareForUpdate: (lease, old) => dropGatedFields(lease, specOf(old)),
    validate: validateLease,
  }),
};

/** Coordinated leader election is off by default; its fields stay where they already are. */
function dropGatedFields(lease: KubeObject, oldSpec: JsonObject): void {
  const spec = specOf(lease);
  const dropped = ['strategy', 'preferredHolder'].filter(
    (key) => !isMissing(spec[key]) && isMissing(oldSpec[key]),
  );
  if (dropped.length === 0) return;
  const rest = { ...spec };
  for (const key of dropped) Reflect.deleteProperty(rest, key);
  lease['spec'] = rest;
}

function validateLease(lease: KubeObject): FieldErrors {
  const spec = specOf(lease);
  const seconds = numberAt(spec, 'leaseDurationSeconds');
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...nonNegative('spec.leaseTransitions', spec['leaseTransitions']),
  ];
}
