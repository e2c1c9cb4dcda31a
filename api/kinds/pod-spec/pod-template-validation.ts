/**
 * The template of everything that runs pods, and the selector by which a workload finds them: it must
 * be there, ask for something, find the pods of the workload's own template, and it never changes.
 * Warnings about a template are those about pods.
 *
 * In Kubernetes: ValidatePodTemplateSpec, pkg/apis/core/validation; the beginning of
 * ValidateDeploymentSpec and its kin, pkg/apis/apps/validation; WarningsOnCreate of the strategies in
 * registry/{core,apps,batch}.
 */
import type {
  DaemonSet,
  Deployment,
  DeploymentSpec,
  ReplicaSet,
  ReplicaSetSpec,
  StatefulSetSpec,
} from '../../generated/kinds/apps-v1.ts';
import type { PodTemplateSpec } from '../../generated/kinds/core-v1.ts';
import type { LabelSelector } from '../../generated/kinds/meta-v1.ts';
import * as metadata from '../../validation/object-meta-validation-content.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import {
  isEmptySelector,
  selectorMatches,
  validateLabels,
  validateLabelSelector,
} from '../rules/label-selector-validation.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec-validation.ts';
import { templateRules } from './pod-rules.ts';
import { isMissing, shownMap, shownSelector } from '../rules/value-validation.ts';
import { sameValue } from '../rules/same-value.ts';
import { dns1123LabelProblems } from '../../meta/names.ts';
import type { ObjectMeta } from '../../meta/object-meta.ts';
import { templateWarnings } from './pod-warnings.ts';

/** What makes pods of a template; a replication controller may have none. */
interface TemplateHolder {
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

/** What a workload of pods warns of, whose template stands at `path`, as `spec.template`. */
export function workloadWarnings<T extends { metadata: ObjectMeta }>(
  path: string,
  templateOf: (object: T) => PodTemplateSpec | undefined,
) {
  const warningsIn = (object: T): readonly string[] => templateWarnings(path, templateOf(object));
  return {
    onCreate: warningsIn,
    /** Only where something changed that counts. */
    onUpdate: (object: T, old: T): readonly string[] =>
      object.metadata.generation === old.metadata.generation ? [] : warningsIn(object),
  };
}

/** `usedIn` is what the name becomes a part of. */
export function nameWarnings(
  object: { readonly metadata: ObjectMeta },
  usedIn: string,
): readonly string[] {
  const problems = dns1123LabelProblems(object.metadata.name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${usedIn}, which can result in surprising behavior; ` +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

const FIELD = 'spec.selector';

/** `kind` is the workload as the message about an empty selector calls it. */
export function validateWorkloadSelector(
  spec: DeploymentSpec | ReplicaSetSpec | StatefulSetSpec,
  kind: string,
): FieldErrors {
  const { selector } = spec;
  if (isMissing(selector)) return [required(FIELD)];
  return [
    ...validateLabelSelector(FIELD, selector),
    ...(isEmptySelector(selector)
      ? [invalidValue(FIELD, shownSelector(selector), `empty selector is invalid for ${kind}`)]
      : []),
  ];
}

/**
 * `validateTemplate` is asked only about a workload whose selector can be read at all; of another
 * one it is told `detail`, on top of what is wrong in particular.
 */
export function validateTemplateOfSelector(
  spec: DeploymentSpec | ReplicaSetSpec | StatefulSetSpec,
  detail: string,
  validateTemplate: () => FieldErrors,
): FieldErrors {
  const { selector } = spec;
  if (validateLabelSelector(FIELD, selector).length > 0) {
    return [invalidValue(FIELD, shownSelector(selector), detail)];
  }
  return [...validateTemplateMatches('spec.template', spec, selector), ...validateTemplate()];
}

/** The selector of a workload never changes. */
export function validateSelectorChange(
  object: DaemonSet | Deployment | ReplicaSet,
  old: DaemonSet | Deployment | ReplicaSet,
): FieldErrors {
  const { selector } = object.spec;
  return sameValue(selector, old.spec.selector)
    ? []
    : [invalidValue(FIELD, shownSelector(selector), 'field is immutable')];
}
