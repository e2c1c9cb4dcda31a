/**
 * What of a job may change: little, since pods of it may run; more while it is suspended.
 *
 * In Kubernetes: ValidateJobSpecUpdate, pkg/apis/batch/validation.
 */
import type { PodTemplateSpec, PodSpec } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { Job, JobSpec } from '../../../generated/kinds/batch-v1.ts';
import { type JsonObject, objectAt, stringAt } from '../../../json/json.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import { immutable, isMissing, objectsAt, shownSelector } from '../../rules/value-validation.ts';

/** Each with its type in Go, in which its value is shown. */
const FIXED: readonly (readonly [keyof JobSpec, string])[] = [
  ['completionMode', '*string'],
  ['podFailurePolicy', '*PodFailurePolicy'],
  ['backoffLimitPerIndex', '*number'],
  ['managedBy', '*string'],
  ['successPolicy', '*SuccessPolicy'],
];

export function validateJobChange(job: Job, old: Job): FieldErrors {
  const spec = job.spec;
  const oldSpec = old.spec;
  return [
    ...validateCompletions(spec, oldSpec),
    ...(sameValue(spec.selector, oldSpec.selector)
      ? []
      : [invalidValue('spec.selector', shownSelector(spec.selector), 'field is immutable')]),
    ...validateTemplate(spec, old),
    ...FIXED.flatMap(([key, type]) => {
      const shown = internalForm(type, spec[key]);
      return sameValue(spec[key], oldSpec[key])
        ? []
        : [invalidValue(`spec.${key}`, shown, 'field is immutable')];
    }),
  ];
}

/** An indexed job may grow and shrink as long as all its indexes run at once. */
function validateCompletions(spec: JobSpec, oldSpec: JobSpec): FieldErrors {
  const { completions } = spec;
  const old = oldSpec.completions;
  if (spec.completionMode !== 'Indexed') return immutable('spec.completions', completions, old);
  if (isMissing(completions) || sameValue(completions, old)) return [];
  if (completions === spec.parallelism) return [];
  const detail = 'can only be modified in tandem with spec.parallelism';
  return [invalidValue('spec.completions', completions, detail)];
}

function validateTemplate(spec: JobSpec, old: Job): FieldErrors {
  const template = spec.template;
  const oldSpec = old.spec;
  const oldTemplate = isOpenToChange(old)
    ? withNewPlacement(oldSpec.template, template)
    : oldSpec.template;
  if (oldSpec.suspend !== true || !isOpenToChange(old)) {
    const shown = internalForm('PodTemplateSpec', template);
    return sameValue(template, oldTemplate)
      ? []
      : [invalidValue('spec.template', shown, 'field is immutable')];
  }
  const podSpec = template.spec;
  const rest = withNewResources(objectAt(oldTemplate, 'spec') ?? {}, podSpec);
  const shown = internalForm('PodSpec', podSpec);
  return sameValue(podSpec, rest)
    ? []
    : [invalidValue('spec.template.spec', shown, 'field is immutable')];
}

/** It is suspended, and none of its pods runs. */
function isOpenToChange(job: Job): boolean {
  const status = job.status;
  const isSuspended = items(status.conditions).some(
    (one) => one.type === 'Suspended' && one.status === 'True',
  );
  const isIdle = (status.active ?? 0) === 0;
  const isNotStarted = isMissing(status.startTime);
  return job.spec.suspend === true && (isNotStarted || isSuspended) && isIdle;
}

/** The old template with all that may change taken from the new one: where its pods run. */
function withNewPlacement(oldTemplate: PodTemplateSpec, template: PodTemplateSpec): JsonObject {
  const podSpec = template.spec;
  const oldPodSpec = { ...oldTemplate.spec };
  const metadata = { ...oldTemplate.metadata };
  for (const key of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    carryOver(oldPodSpec, podSpec, key);
  }
  for (const key of ['labels', 'annotations']) {
    carryOver(metadata, template.metadata, key);
  }
  const affinity = { ...objectAt(oldPodSpec, 'affinity') };
  carryOver(affinity, podSpec.affinity ?? {}, 'nodeAffinity');
  const isNone = Object.keys(affinity).length === 0 && podSpec.affinity === undefined;
  if (isNone) carryOver(oldPodSpec, {}, 'affinity');
  else oldPodSpec['affinity'] = affinity;
  return { ...oldTemplate, metadata, spec: oldPodSpec };
}

/** The old pod spec with what its containers get taken from the new one. */
function withNewResources(oldPodSpec: JsonObject, podSpec: PodSpec): JsonObject {
  const rest = { ...oldPodSpec };
  for (const key of ['containers', 'initContainers']) {
    const containers = objectsAt(podSpec, key);
    const oldContainers = objectsAt(oldPodSpec, key);
    if (containers.length === 0 || containers.length !== oldContainers.length) continue;
    rest[key] = oldContainers.map((old, index) => {
      const container = containers[index] ?? {};
      const copy = { ...old };
      if (stringAt(old, 'name') === stringAt(container, 'name')) {
        carryOver(copy, container, 'resources');
      }
      return copy;
    });
  }
  return rest;
}
