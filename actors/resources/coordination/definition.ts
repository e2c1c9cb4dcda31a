/** Leases: who leads, and for how long. In Kubernetes: registry/coordination/lease. */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import { strategyOf } from '../strategy-of.ts';
import { nonNegative, numberAt, specOf } from '../value-validation.ts';

export const leases: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  strategy: strategyOf({
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    prepareForCreate: dropStrategy,
    prepareForUpdate: dropStrategy,
    validate: validateLease,
  }),
};

/** Coordinated leader election is off by default, and its fields with it. */
function dropStrategy(lease: KubeObject): void {
  const spec = specOf(lease);
  if (!('strategy' in spec) && !('preferredHolder' in spec)) return;
  const { strategy: _strategy, preferredHolder: _preferredHolder, ...rest } = spec;
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
