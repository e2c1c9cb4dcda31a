/**
 * What a claim may ask for. It is fixed once it is made, but for the size and the attributes of one
 * that is bound.
 *
 * In Kubernetes: ValidatePersistentVolumeClaim and ValidatePersistentVolumeClaimUpdate,
 * pkg/apis/core/validation.
 */
import { items, type Quantity } from '../../../json/go-values.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  VolumeResourceRequirements,
} from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { validateClaimSpec } from '../../rules/claim-spec-validation.ts';
import {
  isNative,
  nanosOf,
  quantityAt,
  validateAmount,
  wholeOf,
} from '../../rules/resource-names.ts';
import { immutable, invalidFor, isMissing } from '../../rules/value-validation.ts';
import { internalDiff } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';

const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function validateClaim(
  claim: PersistentVolumeClaim,
  old?: PersistentVolumeClaim,
): FieldErrors {
  return validateClaimSpec('spec', claim.spec, old === undefined ? undefined : old.spec);
}

/** The rules of the `status` subresource. */
export function validateClaimStatus(claim: PersistentVolumeClaim): FieldErrors {
  const status = claim.status;
  return [
    ...((claim.metadata.resourceVersion ?? '') === '' ? [required('resourceVersion')] : []),
    ...(items(claim.spec.accessModes).length === 0 ? [required('Spec.accessModes')] : []),
    ...Object.entries(status.capacity ?? {}).flatMap(([name, amount]) =>
      validateWhole(keyPath('status.capacity', name), amount),
    ),
    ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, value]) =>
      validateResizeStatus('status.allocatedResourceStatuses', name, value),
    ),
    ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, amount]) =>
      validateAllocated('status.allocatedResources', name, amount),
    ),
  ];
}

function validateWhole(field: string, amount: Quantity): FieldErrors {
  const whole = wholeOf(quantityAt(amount));
  return whole < 0n
    ? [invalidValue(field, Number(whole), 'must be a valid resource quantity')]
    : [];
}

function validateResizeStatus(field: string, name: string, value: string): FieldErrors {
  const isKnown = RESIZE_STATUSES.includes(value);
  return [
    ...validateStorageName(field, name),
    ...(isKnown ? [] : [notSupported(field, name, RESIZE_STATUSES)]),
  ];
}

function validateAllocated(field: string, name: string, amount: Quantity): FieldErrors {
  const errors = validateStorageName(field, name);
  if (errors.length > 0) return errors;
  const path = keyPath(field, name);
  const wrong = validateWhole(path, amount);
  return wrong.length > 0 ? wrong : validateAmount(path, 'storage', amount);
}

/** Of Kubernetes' own resources a claim has storage only. */
function validateStorageName(field: string, name: string): FieldErrors {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return invalidFor(field, name, problems);
  return isNative(name) && name !== 'storage' ? [notSupported(field, name, ['storage'])] : [];
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const STORAGE = 'spec.resources.requests.storage';
const ATTRIBUTES = 'volumeAttributesClassName';

export function validateClaimChange(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldErrors {
  return [
    ...validateClassAnnotation(claim, old),
    ...validateFixedSpec(comparableSpec(claim, old), comparableOldSpec(claim, old)),
    ...validateSize(claim, old),
    ...immutable('volumeMode', claim.spec.volumeMode ?? null, old.spec.volumeMode ?? null),
    ...validateAttributes(claim, old),
  ];
}

function validateFixedSpec(
  spec: PersistentVolumeClaimSpec,
  oldSpec: PersistentVolumeClaimSpec,
): FieldErrors {
  if (sameValue(spec, oldSpec)) return [];
  const detail =
    'spec is immutable after creation except resources.requests and ' +
    'volumeAttributesClassName for bound claims\n';
  const difference = internalDiff('PersistentVolumeClaimSpec', oldSpec, spec);
  return [forbiddenField('spec', detail + difference)];
}

/** The binder writes the volume's name, once. */
function comparableOldSpec(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): PersistentVolumeClaimSpec {
  const spec = { ...old.spec };
  if ((spec.volumeName ?? '') === '') carryOver(spec, claim.spec, 'volumeName');
  return spec;
}

/** The new spec with everything taken back that may change. */
function comparableSpec(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): PersistentVolumeClaimSpec {
  const spec = { ...claim.spec };
  const oldSpec = old.spec;
  if ((claim.status.phase ?? '') === 'Bound') {
    spec.resources = withOldStorage(spec, oldSpec);
    carryOver(spec, oldSpec, ATTRIBUTES);
  }
  if (isClassMovedFromAnnotation(claim, old) || isClassGiven(claim, old)) {
    carryOver(spec, oldSpec, 'storageClassName');
  }
  return spec;
}

function withOldStorage(
  { resources }: PersistentVolumeClaimSpec,
  oldSpec: PersistentVolumeClaimSpec,
): VolumeResourceRequirements {
  if (resources.requests === undefined) return resources;
  const requests = { ...resources.requests };
  carryOver(requests, oldSpec.resources.requests ?? {}, 'storage');
  return { ...resources, requests };
}

/** The class may move from the annotation, where it stood long ago, into the field. */
function isClassMovedFromAnnotation(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): boolean {
  const oldClass = annotationOf(old);
  const annotation = annotationOf(claim);
  return (
    oldClass !== undefined &&
    isMissing(old.spec.storageClassName) &&
    claim.spec.storageClassName === oldClass &&
    (annotation === undefined || annotation === oldClass)
  );
}

/** A claim that had no class may get one, as when there is a new default. */
function isClassGiven(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const name = claim.spec.storageClassName;
  const oldAnnotation = annotationOf(old);
  return (
    !isMissing(name) &&
    isMissing(old.spec.storageClassName) &&
    (oldAnnotation === undefined || name === oldAnnotation)
  );
}

function validateClassAnnotation(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldErrors {
  if (isClassMovedFromAnnotation(claim, old)) return [];
  const value = annotationOf(claim) ?? '';
  if (value === (annotationOf(old) ?? '')) return [];
  const field = `metadata.annotations.${CLASS_ANNOTATION}`;
  return [invalidValue(field, value, 'field is immutable')];
}

function annotationOf(claim: PersistentVolumeClaim): string | undefined {
  const annotations = claim.metadata.annotations ?? {};
  return Object.hasOwn(annotations, CLASS_ANNOTATION) ? annotations[CLASS_ANNOTATION] : undefined;
}

/** A claim may shrink back to what it really has while growing it has not succeeded. */
function validateSize(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldErrors {
  const size = nanosOf(requestOf(claim));
  const capacity = nanosOf(old.status.capacity?.['storage']);
  if (size >= nanosOf(requestOf(old)) || size > capacity) return [];
  return [forbiddenField(STORAGE, 'field can not be less than status.capacity')];
}

function validateAttributes(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldErrors {
  const field = `spec.${ATTRIBUTES}`;
  const value = claim.spec[ATTRIBUTES];
  const hasCurrent = !isMissing(old.status.currentVolumeAttributesClassName);
  if (!hasCurrent || sameValue(value, old.spec[ATTRIBUTES])) return [];
  if (!isMissing(value) && value !== '') return [];
  const what = value === '' ? 'empty string' : 'nil';
  const when = 'status.currentVolumeAttributesClassName is not nil';
  return [forbiddenField(field, `update to ${what} is forbidden when ${when}`)];
}

function requestOf(claim: PersistentVolumeClaim): Quantity | undefined {
  return claim.spec.resources.requests?.['storage'];
}
