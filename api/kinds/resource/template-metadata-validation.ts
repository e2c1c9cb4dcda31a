/**
 * Metadata of what a template makes: labels and annotations, and nothing else.
 *
 * In Kubernetes: ValidateTemplateObjectMeta, pkg/apis/core/validation.
 */
import { objectAt, type JsonObject } from '../../json/json.ts';
import type { StringMap } from '../../meta/object-meta.ts';
import * as metadata from '../../validation/object-meta-validation-content.ts';
import { forbiddenField, type FieldErrors } from '../../field/field-errors.ts';
import { validateLabels } from '../rules/label-selector-validation.ts';

/** In Go's order, with the names that Go's fields have. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
];

export function validateTemplateMetadata(field: string, meta: JsonObject | undefined): FieldErrors {
  // Decoding has made sure that this is a map of strings.
  const annotations = (objectAt(meta, 'annotations') ?? {}) as StringMap;
  return [
    ...metadata.validateAnnotations(annotations, `${field}.annotations`),
    ...validateLabels(`${field}.labels`, meta?.['labels']),
    ...FORBIDDEN.filter(([key]) => meta?.[key] !== undefined && meta[key] !== null).map(
      ([, shown]) => forbiddenField(`${field}.${shown}`, 'cannot be set'),
    ),
  ];
}
