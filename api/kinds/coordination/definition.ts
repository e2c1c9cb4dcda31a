/**
 * Leases: which holder leads, and for how long; and LeaseCandidates, which would like to lead and say
 * which version they are (three numbers and what comes before a release: `1.36.0-beta.1`), so that the
 * server can choose among them.
 *
 * In Kubernetes: registry/coordination; pkg/apis/coordination/validation; Parse and Compare of
 * github.com/blang/semver/v4.
 */
import { parseUint64 } from '../../json/go-numbers.ts';
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
import { defineKind } from '../kind.ts';
import {
  configKeyProblems,
  immutable,
  invalidFor,
  isMissing,
  nonNegative,
} from '../rules/value-validation.ts';

/** The numbers, and the parts behind the hyphen. What stands behind a plus sign does not count. */
interface SemanticVersion {
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
}

const ZERO: SemanticVersion = { numbers: [0n, 0n, 0n], before: [] };

const NUMBER = /^(?:0|[1-9]\d*)$/;
const DIGITS = /^\d+$/;
const PART = /^[0-9A-Za-z-]+$/;

/** undefined: it is none. */
function semanticVersion(text: string): SemanticVersion | undefined {
  const [rest = '', ...builds] = splitOnce(text, '+');
  const [core = '', ...befores] = splitOnce(rest, '-');
  const numbers = core.split('.').map(numberOf);
  const before = befores.flatMap((part) => part.split('.'));
  const build = builds.flatMap((part) => part.split('.'));
  const known = numbers.filter((number) => number !== undefined);
  if (numbers.length !== 3 || known.length !== 3) return undefined;
  if (![...before, ...build].every((part) => PART.test(part))) return undefined;
  if (before.some((part) => DIGITS.test(part) && numberOf(part) === undefined)) return undefined;
  return { numbers: known, before };
}

function splitOnce(text: string, sign: string): string[] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function numberOf(text: string): bigint | undefined {
  const number = NUMBER.test(text) ? parseUint64(text) : undefined;
  return typeof number === 'bigint' ? number : undefined;
}

/** Whether `a` came before `b`. */
function isLess(a: SemanticVersion, b: SemanticVersion): boolean {
  return compare(a, b) < 0;
}

function compare(a: SemanticVersion, b: SemanticVersion): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (const [index, part] of a.before.entries()) {
    const other = b.before[index];
    if (other === undefined) return 1;
    const difference = comparePart(part, other);
    if (difference !== 0) return difference;
  }
  return a.before.length - b.before.length;
}

/** Numbers come before words. */
function comparePart(a: string, b: string): number {
  const [isNumberA, isNumberB] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

const STRATEGIES = ['OldestEmulationVersion'];

/** The kind Lease. */
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
  const binary = semanticVersion(binaryVersion);
  const emulated = semanticVersion(emulationVersion);
  const [binaryField, emulationField] = ['spec.binaryVersion', 'spec.emulationVersion'];
  const wrong = 'must be a valid semantic version';
  const isOlder = isLess(binary ?? ZERO, emulated ?? ZERO);
  const needed = "must be specified when `strategy` is 'OldestEmulationVersion'";
  return [
    ...(leaseName === '' ? [required('spec.leaseName')] : []),
    ...(emulationVersion !== '' && emulated === undefined
      ? [invalidValue(emulationField, emulationVersion, wrong)]
      : []),
    ...(binaryVersion === '' ? [required(binaryField)] : []),
    ...(binaryVersion !== '' && binary === undefined
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
    ...(strategy === 'OldestEmulationVersion' && !isLess(ZERO, emulated ?? ZERO)
      ? [required(emulationField, needed)]
      : []),
    ...(strategy === '' ? [] : validateStrategyName(strategy)),
  ];
}
