/**
 * The template of everything that runs pods, and the selector that must find what it makes.
 *
 * In Kubernetes: ValidatePodTemplateSpec, pkg/apis/core/validation.
 */
import type { PodTemplateSpec } from '../../generated/kinds/core-v1.ts';
import type { LabelSelector } from '../../generated/kinds/meta-v1.ts';
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

/** What makes pods of a template; a replication controller may have none. */
export interface TemplateHolder {
  readonly template?: PodTemplateSpec;
}

const NO_TEMPLATE: PodTemplateSpec = { metadata: {}, spec: { containers: null } };

/** `parent` holds the template under the key `template`, as `oldParent` does in the stored object. */
export function validatePodTemplate(
  field: string,
  { template = NO_TEMPLATE }: TemplateHolder,
  oldParent?: TemplateHolder,
): FieldErrors {
  const { metadata: meta, spec } = template;
  const { annotations = {} } = meta;
  const rules = templateRules(oldParent?.template?.spec);
  return [
    ...validateLabels(`${field}.labels`, meta.labels),
    ...metadata.validateAnnotations(annotations, `${field}.annotations`),
    ...validatePodAnnotations(`${field}.annotations`, annotations, spec, rules),
    ...validatePodSpec(`${field}.spec`, spec, rules),
    ...(isMissing(spec.ephemeralContainers)
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
  { template }: TemplateHolder,
  selector: LabelSelector | null | undefined,
): FieldErrors {
  const labels = template?.metadata.labels;
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
export function validateLongRunning(
  field: string,
  { template = NO_TEMPLATE }: TemplateHolder,
  kind: string,
): FieldErrors {
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  return [
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(`${field}.spec.restartPolicy`, restartPolicy ?? '', ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          forbiddenField(
            `${field}.spec.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}
