/**
 * A claim is fixed once it is made, but for the size and the attributes of one that is bound.
 *
 * In Kubernetes: ValidatePersistentVolumeClaimUpdate, pkg/apis/core/validation.
 */
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { forbiddenField, invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { nanosOf } from '../../rules/amount.ts';
import { internalDiff } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import { immutable, isMissing, specOf, statusOf } from '../../rules/value-validation.ts';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const STORAGE = 'spec.resources.requests.storage';
const ATTRIBUTES = 'volumeAttributesClassName';

export function validateClaimChange(claim: KubeObject, old: KubeObject): FieldErrors {
  return [
    ...validateClassAnnotation(claim, old),
    ...validateFixedSpec(comparableSpec(claim, old), comparableOldSpec(claim, old)),
    ...validateSize(claim, old),
    ...immutable(
      'volumeMode',
      specOf(claim)['volumeMode'] ?? null,
      specOf(old)['volumeMode'] ?? null,
    ),
    ...validateAttributes(claim, old),
  ];
}

function validateFixedSpec(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  if (sameValue(spec, oldSpec)) return [];
  const detail =
    'spec is immutable after creation except resources.requests and ' +
    'volumeAttributesClassName for bound claims\n';
  const difference = internalDiff('PersistentVolumeClaimSpec', oldSpec, spec);
  return [forbiddenField('spec', detail + difference)];
}

/** The binder writes the volume's name, once. */
function comparableOldSpec(claim: KubeObject, old: KubeObject): JsonObject {
  const spec = { ...specOf(old) };
  if (stringAt(spec, 'volumeName') === '') carryOver(spec, specOf(claim), 'volumeName');
  return spec;
}

/** The new spec with everything taken back that may change. */
function comparableSpec(claim: KubeObject, old: KubeObject): JsonObject {
  const spec = { ...specOf(claim) };
  const oldSpec = specOf(old);
  if (stringAt(statusOf(claim), 'phase') === 'Bound') {
    spec['resources'] = withOldStorage(spec, oldSpec);
    carryOver(spec, oldSpec, ATTRIBUTES);
  }
  if (isClassMovedFromAnnotation(claim, old) || isClassGiven(claim, old)) {
    carryOver(spec, oldSpec, 'storageClassName');
  }
  return spec;
}

function withOldStorage(spec: JsonObject, oldSpec: JsonObject): JsonObject | undefined {
  const resources = objectAt(spec, 'resources');
  const requests = objectAt(resources, 'requests');
  if (requests === undefined) return resources;
  const oldRequests = objectAt(objectAt(oldSpec, 'resources'), 'requests') ?? {};
  const copy = { ...requests };
  carryOver(copy, oldRequests, 'storage');
  return { ...resources, requests: copy };
}

/** The class may move from the annotation, where it stood long ago, into the field. */
function isClassMovedFromAnnotation(claim: KubeObject, old: KubeObject): boolean {
  const oldClass = annotationOf(old);
  const annotation = annotationOf(claim);
  return (
    oldClass !== undefined &&
    isMissing(specOf(old)['storageClassName']) &&
    specOf(claim)['storageClassName'] === oldClass &&
    (annotation === undefined || annotation === oldClass)
  );
}

/** A claim that had no class may get one, as when there is a new default. */
function isClassGiven(claim: KubeObject, old: KubeObject): boolean {
  const name = specOf(claim)['storageClassName'];
  const oldAnnotation = annotationOf(old);
  return (
    !isMissing(name) &&
    isMissing(specOf(old)['storageClassName']) &&
    (oldAnnotation === undefined || name === oldAnnotation)
  );
}

function validateClassAnnotation(claim: KubeObject, old: KubeObject): FieldErrors {
  if (isClassMovedFromAnnotation(claim, old)) return [];
  const value = annotationOf(claim) ?? '';
  if (value === (annotationOf(old) ?? '')) return [];
  const field = `metadata.annotations.${CLASS_ANNOTATION}`;
  return [invalidValue(field, value, 'field is immutable')];
}

function annotationOf(claim: KubeObject): string | undefined {
  const annotations = claim.metadata.annotations ?? {};
  return Object.hasOwn(annotations, CLASS_ANNOTATION) ? annotations[CLASS_ANNOTATION] : undefined;
}

/** A claim may shrink back to what it really has while growing it has not succeeded. */
function validateSize(claim: KubeObject, old: KubeObject): FieldErrors {
  const size = nanosOf(requestOf(claim));
  const capacity = nanosOf(objectAt(statusOf(old), 'capacity')?.['storage']);
  if (size >= nanosOf(requestOf(old)) || size > capacity) return [];
  return [forbiddenField(STORAGE, 'field can not be less than status.capacity')];
}

function validateAttributes(claim: KubeObject, old: KubeObject): FieldErrors {
  const field = `spec.${ATTRIBUTES}`;
  const value = specOf(claim)[ATTRIBUTES];
  const hasCurrent = !isMissing(statusOf(old)['currentVolumeAttributesClassName']);
  if (!hasCurrent || sameValue(value, specOf(old)[ATTRIBUTES])) return [];
  if (!isMissing(value) && value !== '') return [];
  const what = value === '' ? 'empty string' : 'nil';
  const when = 'status.currentVolumeAttributesClassName is not nil';
  return [forbiddenField(field, `update to ${what} is forbidden when ${when}`)];
}

function requestOf(claim: KubeObject): JsonValue | undefined {
  return objectAt(objectAt(specOf(claim), 'resources'), 'requests')?.['storage'];
}
