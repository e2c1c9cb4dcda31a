/**
 * What of a job may change: little, since pods of it may run; more while it is suspended.
 *
 * In Kubernetes: ValidateJobSpecUpdate, pkg/apis/batch/validation.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { sameValue } from '../../same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import {
  immutable,
  isMissing,
  numberAt,
  objectsAt,
  shownSelector,
  specOf,
  statusOf,
} from '../../value-validation.ts';

const FIXED = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
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
    ...FIXED.flatMap((key) => immutable(`spec.${key}`, spec[key], oldSpec[key])),
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
  const oldTemplate = objectAt(specOf(old), 'template') ?? {};
  if (!isOpenToChange(old)) return immutable('spec.template', template, oldTemplate);
  const podSpec = objectAt(template, 'spec') ?? {};
  const rest = withoutChangeable(podSpec, objectAt(oldTemplate, 'spec') ?? {});
  const isSame = sameValue(rest, objectAt(oldTemplate, 'spec') ?? {});
  return isSame ? [] : [invalidValue('spec.template.spec', podSpec, 'field is immutable')];
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

/** The new pod spec with all that may change taken back: where it runs, and how much it gets. */
function withoutChangeable(podSpec: JsonObject, oldPodSpec: JsonObject): JsonObject {
  const rest = { ...podSpec };
  for (const key of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    carryOver(rest, oldPodSpec, key);
  }
  const affinity = { ...objectAt(rest, 'affinity') };
  carryOver(affinity, objectAt(oldPodSpec, 'affinity') ?? {}, 'nodeAffinity');
  if (Object.keys(affinity).length > 0) rest['affinity'] = affinity;
  else carryOver(rest, {}, 'affinity');
  for (const key of ['containers', 'initContainers']) takeBackResources(rest, oldPodSpec, key);
  return rest;
}

function takeBackResources(rest: JsonObject, oldPodSpec: JsonObject, key: string): void {
  const containers = objectsAt(rest, key);
  const oldContainers = objectsAt(oldPodSpec, key);
  if (containers.length === 0 || containers.length !== oldContainers.length) return;
  rest[key] = containers.map((container, index) => {
    const old = oldContainers[index] ?? {};
    const copy = { ...container };
    if (stringAt(old, 'name') === stringAt(copy, 'name')) carryOver(copy, old, 'resources');
    return copy;
  });
}
