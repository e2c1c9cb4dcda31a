/**
 * What a job may say, the labels by which it finds its pods, each under an old and a new name, and what of
 * it may change: little, since pods of it may run; more while it is suspended.
 *
 * In Kubernetes: ValidateJob and ValidateJobSpecUpdate, pkg/apis/batch/validation; generateSelector,
 * registry/batch/job.
 */
import type { Job, JobSpec } from '../../../generated/kinds/batch-v1.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { type FieldErrors, invalidValue, required } from '../../../field/field-errors.ts';
import { validateJobSpec } from '../job-spec-validation.ts';
import { selectorMatches, validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { validateTemplateMatches } from '../../pod-spec/pod-template-validation.ts';
import { immutable, isMissing, shownMap, shownSelector } from '../../rules/value-validation.ts';
import type { StringMap } from '../../../meta/object-meta.ts';
import { keyPath } from '../../../field/field-path.ts';
import type { PodSpec, PodTemplateSpec } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';

/** `old` is undefined on create. */
export function validateJob(job: Job, old?: Job): FieldErrors {
  const spec = job.spec;
  return [
    ...validateUidSelector(job, old),
    ...validateJobSpec('spec', spec, old === undefined ? undefined : old.spec),
    ...validateSelector(spec),
    ...validateLongestName(job, spec),
  ];
}

function validateSelector(spec: JobSpec): FieldErrors {
  const { selector } = spec;
  const problems = validateLabelSelector('spec.selector', selector);
  return [
    ...(isMissing(selector) ? [required('spec.selector')] : problems),
    ...(problems.length > 0 ? [] : validateTemplateMatches('spec.template', spec, selector)),
  ];
}

/** Each pod of an indexed job has its index in its host name. */
function validateLongestName(job: Job, spec: JobSpec): FieldErrors {
  const completions = spec.completions ?? 0;
  if (spec.completionMode !== 'Indexed' || completions <= 0) return [];
  const { name = '' } = job.metadata;
  const hostname = `${name}-${String(completions - 1)}`;
  if (dns1123LabelProblems(hostname).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalidValue('metadata.name', name, detail)];
}

const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
/** The old names come first. */
const EXPECTED_ORDER = [0, 1].flatMap((index) => [
  UID_LABELS[index] ?? '',
  NAME_LABELS[index] ?? '',
]);
const OLD_LABELS = EXPECTED_ORDER.slice(0, 2);
const UID_LABEL = 'batch.kubernetes.io/controller-uid';

/** Changes the spec, unless the client chose to select by itself. What is there already stays. */
export function addUidSelector(job: Job): void {
  const { spec } = job;
  if (spec.manualSelector === true) return;
  const { name = '', uid = '' } = job.metadata;
  const template = spec.template;
  const metadata = template.metadata;
  const selector = spec.selector ?? {};
  const own = Object.fromEntries([
    ...NAME_LABELS.map((label) => [label, name]),
    ...UID_LABELS.map((label) => [label, uid]),
  ]) as StringMap;
  const labels = { ...own, ...metadata.labels };
  // In Go both are one map, so what is put into one is in the other; a job whose name is generated is copied before.
  const { labels: adopted, generateName = '' } = job.metadata;
  const isOneMap = adopted !== undefined && adopted === metadata.labels && generateName === '';
  if (isOneMap) job.metadata.labels = labels;
  job.spec = {
    ...spec,
    selector: {
      ...selector,
      matchLabels: { [UID_LABEL]: uid, ...selector.matchLabels },
    },
    template: {
      ...template,
      metadata: { ...metadata, labels },
    },
  };
}

/**
 * Labels that a client gave must be those it would have got. Jobs that were made before there
 * were the new names need only have the old ones: `old` is undefined on create.
 */
function validateUidSelector(job: Job, old: Job | undefined): FieldErrors {
  const { spec } = job;
  const { selector } = spec;
  if (spec.manualSelector === true || selector === undefined) return [];
  const { name = '', uid = '' } = job.metadata;
  const expected: StringMap = {};
  const needed = old === undefined || hasNewLabels(old) ? EXPECTED_ORDER : OLD_LABELS;
  for (const label of needed) expected[label] = NAME_LABELS.includes(label) ? name : uid;
  return [
    ...needed.flatMap((label) => validateLabel(spec, label, expected[label] ?? '')),
    ...(validateLabelSelector('', selector).length > 0 || selectorMatches(selector, expected)
      ? []
      : [invalidValue('spec.selector', shownSelector(selector), '`selector` not auto-generated')]),
  ];
}

function hasNewLabels(job: Job): boolean {
  const template = job.spec.template;
  const labels = template.metadata.labels ?? {};
  return EXPECTED_ORDER.slice(2).every((label) => Object.hasOwn(labels, label));
}

function validateLabel(spec: JobSpec, label: string, expected: string): FieldErrors {
  const labels = spec.template.metadata.labels ?? {};
  const field = keyPath('spec.template.metadata.labels', label);
  if (!Object.hasOwn(labels, label)) return [required(field, `must be '${expected}'`)];
  return labels[label] === expected
    ? []
    : [invalidValue(field, shownMap(labels), `must be '${expected}'`)];
}

/** Each with its type in Go, in which its value is shown. */
const FIXED: readonly (readonly [keyof JobSpec, string])[] = [
  ['completionMode', '*string'],
  ['podFailurePolicy', '*PodFailurePolicy'],
  ['backoffLimitPerIndex', '*number'],
  ['managedBy', '*string'],
  ['successPolicy', '*SuccessPolicy'],
];

/** Of the spec, beyond what a new job must pass. */
export function validateJobChange({ spec }: Job, old: Job): FieldErrors {
  const { spec: oldSpec } = old;
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
  const rest = withNewResources(oldTemplate.spec, podSpec);
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
function withNewPlacement(
  oldTemplate: PodTemplateSpec,
  template: PodTemplateSpec,
): PodTemplateSpec {
  const podSpec = template.spec;
  const oldPodSpec = { ...oldTemplate.spec };
  const metadata = { ...oldTemplate.metadata };
  for (const key of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    carryOver(oldPodSpec, podSpec, key);
  }
  for (const key of ['labels', 'annotations']) {
    carryOver(metadata, template.metadata, key);
  }
  const affinity = { ...oldPodSpec.affinity };
  carryOver(affinity, podSpec.affinity ?? {}, 'nodeAffinity');
  const isNone = Object.keys(affinity).length === 0 && podSpec.affinity === undefined;
  if (isNone) delete oldPodSpec.affinity;
  else oldPodSpec.affinity = affinity;
  return { ...oldTemplate, metadata, spec: oldPodSpec };
}

/** The old pod spec with what its containers get taken from the new one. */
function withNewResources(oldPodSpec: PodSpec, podSpec: PodSpec): PodSpec {
  const rest = { ...oldPodSpec };
  for (const key of ['containers', 'initContainers'] as const) {
    const containers = items(podSpec[key]);
    const oldContainers = items(oldPodSpec[key]);
    if (containers.length === 0 || containers.length !== oldContainers.length) continue;
    rest[key] = oldContainers.map((old, index) => {
      const container = containers[index];
      return container?.name === old.name ? { ...old, resources: container.resources } : old;
    });
  }
  return rest;
}
