/**
 * Leases: which holder leads, and for how long; and LeaseCandidates, which would like to lead and say
 * which version they are, so that the server can choose among them.
 *
 * In Kubernetes: registry/coordination; pkg/apis/coordination/validation.
 */
import type { Lease, LeaseSpec } from '../../generated/kinds/coordination-v1.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import type {
  LeaseCandidate,
  LeaseCandidateSpec,
} from '../../generated/kinds/coordination-v1beta1.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { defineKind, type Kind } from '../kind.ts';
import {
  configKeyProblems,
  immutable,
  invalidFor,
  isMissing,
  nonNegative,
} from '../rules/value-validation.ts';
import { compareVersions, isSemanticVersion } from './semantic-version.ts';

const STRATEGIES = ['OldestEmulationVersion'];

/** `isCoordinated`: whether the server chooses leaders, so that a Lease may say how. */
export function leases(isCoordinated: boolean): Kind {
  const prepare = (lease: Lease, oldSpec: LeaseSpec): void => {
    if (!isCoordinated) dropGatedFields(lease, oldSpec);
  };
  return defineKind('coordination.k8s.io/v1/leases', {
    rules: {
      allowsCreateOnUpdate: true,
      allowsUnconditionalUpdate: false,
      takesAnyFinalizer: true,
      prepareForCreate: (lease) => {
        prepare(lease, {});
      },
      prepareForUpdate: (lease, old) => {
        prepare(lease, old.spec);
      },
      validate: validateLease,
    },
  });
}

/** What was written while the feature was on stays. */
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
  const isHolderAlone = (spec.preferredHolder ?? '') !== '' && strategy === '';
  const detail = 'may only be specified if `strategy` is defined';
  return [
    ...(isMissing(spec.strategy) ? [] : validateStrategyName(strategy)),
    ...(isHolderAlone ? [forbiddenField('spec.preferredHolder', detail)] : []),
  ];
}

function validateStrategyName(strategy: string): FieldErrors {
  const field = 'spec.strategy.strategy';
  if (STRATEGIES.includes(strategy)) return [];
  return strategy.includes('/')
    ? invalidFor(field, strategy, qualifiedNameProblems(strategy))
    : [notSupported(field, strategy, STRATEGIES)];
}

/** Off by default: `--runtime-config=coordination.k8s.io/v1beta1/leasecandidates=true`. */
export const leaseCandidates = defineKind('coordination.k8s.io/v1beta1/leasecandidates', {
  rules: {
    validateName: configKeyProblems,
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    validate: ({ spec }) => validateCandidate(spec),
    validateChange: ({ spec }: LeaseCandidate, old) =>
      immutable('spec.leaseName', spec.leaseName, old.spec.leaseName),
  },
});

function validateCandidate(spec: LeaseCandidateSpec): FieldErrors {
  const { leaseName, binaryVersion, emulationVersion = '', strategy = '' } = spec;
  const [binaryField, emulationField] = ['spec.binaryVersion', 'spec.emulationVersion'];
  const wrong = 'must be a valid semantic version';
  const isOlder = compareVersions(binaryVersion, emulationVersion) < 0;
  const needed = "must be specified when `strategy` is 'OldestEmulationVersion'";
  return [
    ...(leaseName === '' ? [required('spec.leaseName')] : []),
    ...(emulationVersion !== '' && !isSemanticVersion(emulationVersion)
      ? [invalidValue(emulationField, emulationVersion, wrong)]
      : []),
    ...(binaryVersion === '' ? [required(binaryField)] : []),
    ...(binaryVersion !== '' && !isSemanticVersion(binaryVersion)
      ? [invalidValue(binaryField, binaryVersion, wrong)]
      : []),
    ...(binaryVersion !== '' && emulationVersion !== '' && isOlder
      ? [
          invalidValue(
            binaryField,
            binaryVersion,
            'must be greater than or equal to `emulationVersion`',
          ),
        ]
      : []),
    ...(strategy === '' ? [required('spec.strategy')] : []),
    ...(strategy === 'OldestEmulationVersion' && compareVersions('0.0.0', emulationVersion) >= 0
      ? [required(emulationField, needed)]
      : []),
    ...(strategy === '' ? [] : validateStrategyName(strategy)),
  ];
}
