/**
 * What is wrong with an object's metadata when it takes the place of `old`. The name is not judged
 * again, only compared; finalizers only while the object is being deleted.
 *
 * In Kubernetes: ValidateObjectMetaUpdate, apimachinery/pkg/api/validation/objectmeta.go.
 */
import { compareGoStrings, goJson, goQuote } from '../json/go-format.ts';
import { type FieldError, type FieldErrors, forbiddenField } from '../field/field-errors.ts';
import { childPath } from '../field/field-path.ts';
import { formatTime } from '../meta/clock.ts';
import {
  hasPlainContent,
  invalidJson,
  invalidText,
  NO_ERRORS,
  validateContent,
  validateManagedFields,
} from './object-meta-validation-content.ts';
import { otherThan } from '../meta/identity.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';

const IMMUTABLE = 'field is immutable';

/** `path` is where the metadata stands in the object. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path = 'metadata',
): FieldErrors {
  if (passesFirstLook(meta, old)) return NO_ERRORS;
  return [
    ...validateNoNewFinalizers(meta, old, path),
    ...validateVersions(meta, old, path),
    ...validateImmutableStrings(meta, old, path),
    ...validateImmutableTimes(meta, old, path),
    ...validateContent(meta, path),
    ...validateManagedFields(meta, childPath(path, 'managedFields')),
  ];
}

function passesFirstLook(meta: ObjectMeta, old: ObjectMeta): boolean {
  return (
    (meta.resourceVersion ?? '') !== '' &&
    (meta.generation ?? 0) >= (old.generation ?? 0) &&
    meta.name === old.name &&
    meta.namespace === old.namespace &&
    meta.uid === old.uid &&
    meta.creationTimestamp === old.creationTimestamp &&
    meta.deletionTimestamp === old.deletionTimestamp &&
    meta.deletionGracePeriodSeconds === old.deletionGracePeriodSeconds &&
    hasPlainContent(meta)
  );
}

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, path: string): FieldErrors {
  if (!isSet(old.deletionTimestamp)) return NO_ERRORS;
  const known = new Set(old.finalizers ?? []);
  const added = new Set((meta.finalizers ?? []).filter((name) => !known.has(name)));
  if (added.size === 0) return NO_ERRORS;
  const list = [...added].sort(compareGoStrings).map(goQuote).join(', ');
  const sentence =
    'no new finalizers can be added if the object is being deleted, ' +
    `found new finalizers []string{${list}}`;
  return [forbiddenField(childPath(path, 'finalizers'), sentence)];
}

function validateVersions(meta: ObjectMeta, old: ObjectMeta, path: string): FieldErrors {
  const errors: FieldError[] = [];
  if ((meta.resourceVersion ?? '') === '') {
    const at = childPath(path, 'resourceVersion');
    errors.push(invalidText(at, '', 'must be specified for an update'));
  }
  const { generation = 0 } = meta;
  if (generation < (old.generation ?? 0)) {
    const at = childPath(path, 'generation');
    errors.push(invalidJson(at, String(generation), 'must not be decremented'));
  }
  return errors;
}

function validateImmutableStrings(meta: ObjectMeta, old: ObjectMeta, path: string): FieldErrors {
  return (['name', 'namespace', 'uid'] as const).flatMap((field) => {
    const value = otherThan(old[field], meta, field);
    if (value === undefined) return [];
    // A UID is no plain string to Go, so it is printed as JSON.
    const shown = field === 'uid' ? goJson(value) : goQuote(value);
    return [invalidJson(childPath(path, field), shown, IMMUTABLE)];
  });
}

function validateImmutableTimes(meta: ObjectMeta, old: ObjectMeta, path: string): FieldErrors {
  const errors: FieldError[] = [];
  for (const field of ['creationTimestamp', 'deletionTimestamp'] as const) {
    if (isSameTime(meta[field], old[field])) continue;
    errors.push(invalidJson(childPath(path, field), timeJson(meta[field]), IMMUTABLE));
  }
  const seconds = meta.deletionGracePeriodSeconds;
  if (seconds !== old.deletionGracePeriodSeconds) {
    const at = childPath(path, 'deletionGracePeriodSeconds');
    errors.push(invalidJson(at, seconds === undefined ? 'null' : String(seconds), IMMUTABLE));
  }
  return errors;
}

type Time = string | null | undefined;

/** The same moment may be written in several ways. */
function isSameTime(one: Time, other: Time): boolean {
  if (one === other) return true;
  if (!isSet(one) || !isSet(other)) return isSet(one) === isSet(other);
  return Date.parse(one) === Date.parse(other);
}

function isSet(time: Time): time is string {
  return time !== undefined && time !== null;
}

function timeJson(time: Time): string {
  return isSet(time) ? `"${formatTime(Date.parse(time))}"` : 'null';
}
