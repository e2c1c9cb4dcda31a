/**
 * The template of everything that runs pods, and the selector that must find what it makes.
 *
 * In Kubernetes: ValidatePodTemplateSpec, pkg/apis/core/validation.
 */
import { objectAt, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { StringMap } from '../../meta/object-meta.ts';
import * as metadata from '../../validation/object-meta-validation-content.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  type FieldErrors,
} from '../../field/field-errors.ts';
import {
  isEmptySelector,
  selectorMatches,
  validateLabels,
} from '../rules/label-selector-validation.ts';
import { validatePodAnnotations } from './pod-annotations-validation.ts';
import { validatePodSpec } from './pod-spec-validation.ts';
import { templateRules } from './pod-rules.ts';
import { isMissing, shownMap } from '../rules/value-validation.ts';

/** `parent` holds the template under the key `template`, as `oldParent` does in the stored object. */
export function validatePodTemplate(
  field: string,
  parent: JsonObject,
  oldParent?: JsonObject,
): FieldErrors {
  const template = objectAt(parent, 'template');
  const spec = objectAt(template, 'spec') ?? {};
  const meta = objectAt(template, 'metadata');
  // Decoding has made sure that this is a map of strings.
  const annotations = (objectAt(meta, 'annotations') ?? {}) as StringMap;
  const rules = templateRules(objectAt(objectAt(oldParent, 'template'), 'spec'));
  return [
    ...validateLabels(`${field}.labels`, meta?.['labels']),
    ...metadata.validateAnnotations(annotations, `${field}.annotations`),
    ...validatePodAnnotations(`${field}.annotations`, annotations, spec, rules),
    ...validatePodSpec(`${field}.spec`, spec, rules),
    ...(isMissing(spec['ephemeralContainers'])
      ? []
      : [
          forbiddenField(
            `${field}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]),
  ];
}
/** A selector that selects everything matches any template. */
export function validateTemplateMatches(
  field: string,
  parent: JsonObject,
  selector: JsonValue | undefined,
): FieldErrors {
  const labels = objectAt(objectAt(objectAt(parent, 'template'), 'metadata'), 'labels');
  if (isEmptySelector(selector) || selectorMatches(selector, labels ?? {})) return [];
  return [
    invalidValue(
      `${field}.metadata.labels`,
      shownMap(labels),
      '`selector` does not match template `labels`',
    ),
  ];
}

/** Pods that are replaced when they end: they restart for ever and have no deadline. */
export function validateLongRunning(field: string, parent: JsonObject, kind: string): FieldErrors {
  const spec = objectAt(objectAt(parent, 'template'), 'spec') ?? {};
  return [
    ...(spec['restartPolicy'] === 'Always'
      ? []
      : [notSupported(`${field}.spec.restartPolicy`, spec['restartPolicy'] ?? '', ['Always'])]),
    ...(isMissing(spec['activeDeadlineSeconds'])
      ? []
      : [
          forbiddenField(
            `${field}.spec.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}
