/** Leases: which holder leads, and for how long. In Kubernetes: registry/coordination/lease. */
import type { Lease, LeaseSpec } from '../../generated/kinds/coordination-v1.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
} from '../../field/field-errors.ts';
import { defineKind } from '../kind.ts';
import { invalidFor, isMissing, nonNegative } from '../rules/value-validation.ts';

const STRATEGIES = ['OldestEmulationVersion'];

export const leases = defineKind('coordination.k8s.io/v1/leases', {
  rules: {
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    prepareForCreate: (lease) => dropGatedFields(lease, {}),
    prepareForUpdate: (lease, old) => dropGatedFields(lease, old.spec),
    validate: validateLease,
  },
});

/** Coordinated leader election is off by default; its fields stay where they already are. */
function dropGatedFields(lease: Lease, oldSpec: LeaseSpec): void {
  const spec = lease.spec;
  const dropped = (['strategy', 'preferredHolder'] as const).filter(
    (key) => !isMissing(spec[key]) && isMissing(oldSpec[key]),
  );
  if (dropped.length === 0) return;
  const rest = { ...spec };
  for (const key of dropped) Reflect.deleteProperty(rest, key);
  lease.spec = rest;
}

function validateLease(lease: Lease): FieldErrors {
  const spec = lease.spec;
  const seconds = spec.leaseDurationSeconds;
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...nonNegative('spec.leaseTransitions', spec.leaseTransitions),
    ...validateStrategy(spec),
  ];
}

/** Upstream's path of a wrong strategy names the field twice. */
function validateStrategy(spec: LeaseSpec): FieldErrors {
  const strategy = spec.strategy ?? '';
  const field = 'spec.strategy.strategy';
  const isHolderAlone = (spec.preferredHolder ?? '') !== '' && strategy === '';
  const detail = 'may only be specified if `strategy` is defined';
  return [
    ...(isMissing(spec.strategy) || STRATEGIES.includes(strategy)
      ? []
      : strategy.includes('/')
        ? invalidFor(field, strategy, qualifiedNameProblems(strategy))
        : [notSupported(field, strategy, STRATEGIES)]),
    ...(isHolderAlone ? [forbiddenField('spec.preferredHolder', detail)] : []),
  ];
}
