/**
 * What of a job may change: little, since pods of it may run; more while it is suspended.
 *
 * In Kubernetes: ValidateJobSpecUpdate, pkg/apis/batch/validation.
 */
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import {
  immutable,
  isMissing,
  objectsAt,
  shownSelector,
  specOf,
  statusOf,
} from '../../rules/value-validation.ts';

/** Each with its type in Go, in which its value is shown. */
const FIXED: readonly (readonly [string, string])[] = [
  ['completionMode', '*string'],
  ['podFailurePolicy', '*PodFailurePolicy'],
  ['backoffLimitPerIndex', '*number'],
  ['managedBy', '*string'],
  ['successPolicy', '*SuccessPolicy'],
];

export function validateJobChange(job: KubeObject, old: KubeObject): FieldErrors {
  const spec = specOf(job);
  const oldSpec = specOf(old);
  return [
    ...validateCompletions(spec, oldSpec),
    ...(sameValue(spec['selector'], oldSpec['selector'])
      ? []
      : [invalidValue('spec.selector', shownSelector(spec['selector']), 'field is immutable')]),
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
function validateCompletions(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const { completions } = spec;
  const old = oldSpec['completions'];
  if (spec['completionMode'] !== 'Indexed') return immutable('spec.completions', completions, old);
  if (isMissing(completions) || sameValue(completions, old)) return [];
  if (completions === numberAt(spec, 'parallelism')) return [];
  const detail = 'can only be modified in tandem with spec.parallelism';
  return [invalidValue('spec.completions', completions, detail)];
}

function validateTemplate(spec: JsonObject, old: KubeObject): FieldErrors {
  const template = objectAt(spec, 'template') ?? {};
  const oldSpec = specOf(old);
  const oldTemplate = isOpenToChange(old)
    ? withNewPlacement(objectAt(oldSpec, 'template') ?? {}, template)
    : (objectAt(oldSpec, 'template') ?? {});
  if (oldSpec['suspend'] !== true || !isOpenToChange(old)) {
    const shown = internalForm('PodTemplateSpec', template);
    return sameValue(template, oldTemplate)
      ? []
      : [invalidValue('spec.template', shown, 'field is immutable')];
  }
  const podSpec = objectAt(template, 'spec') ?? {};
  const rest = withNewResources(objectAt(oldTemplate, 'spec') ?? {}, podSpec);
  const shown = internalForm('PodSpec', podSpec);
  return sameValue(podSpec, rest)
    ? []
    : [invalidValue('spec.template.spec', shown, 'field is immutable')];
}

/** It is suspended, and none of its pods runs. */
function isOpenToChange(job: KubeObject): boolean {
  const status = statusOf(job);
  const isSuspended = objectsAt(status, 'conditions').some(
    (one) => stringAt(one, 'type') === 'Suspended' && stringAt(one, 'status') === 'True',
  );
  const isIdle = (numberAt(status, 'active') ?? 0) === 0;
  const isNotStarted = isMissing(status['startTime']);
  return specOf(job)['suspend'] === true && (isNotStarted || isSuspended) && isIdle;
}

/** The old template with all that may change taken from the new one: where its pods run. */
function withNewPlacement(oldTemplate: JsonObject, template: JsonObject): JsonObject {
  const podSpec = objectAt(template, 'spec') ?? {};
  const oldPodSpec = { ...objectAt(oldTemplate, 'spec') };
  const metadata = { ...objectAt(oldTemplate, 'metadata') };
  for (const key of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    carryOver(oldPodSpec, podSpec, key);
  }
  for (const key of ['labels', 'annotations']) {
    carryOver(metadata, objectAt(template, 'metadata') ?? {}, key);
  }
  const affinity = { ...objectAt(oldPodSpec, 'affinity') };
  carryOver(affinity, objectAt(podSpec, 'affinity') ?? {}, 'nodeAffinity');
  const isNone = Object.keys(affinity).length === 0 && objectAt(podSpec, 'affinity') === undefined;
  if (isNone) carryOver(oldPodSpec, {}, 'affinity');
  else oldPodSpec['affinity'] = affinity;
  return { ...oldTemplate, metadata, spec: oldPodSpec };
}

/** The old pod spec with what its containers get taken from the new one. */
function withNewResources(oldPodSpec: JsonObject, podSpec: JsonObject): JsonObject {
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
