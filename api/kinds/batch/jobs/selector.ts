/**
 * The labels by which a job finds its pods, each under an old and a new name.
 * The uid and the name must have been given already.
 *
 * In Kubernetes: generateSelector, registry/batch/job.
 */
import type { StringMap } from '../../../meta/object-meta.ts';
import type { Job, JobSpec } from '../../../generated/kinds/batch-v1.ts';
import { stringAt, type JsonObject } from '../../../json/json.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { selectorMatches, validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { isMissing, shownMap, shownSelector } from '../../rules/value-validation.ts';

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
  const spec = job.spec;
  if (spec.manualSelector === true) return;
  const { name = '', uid = '' } = job.metadata;
  const template = spec.template;
  const metadata = template.metadata;
  const selector = spec.selector ?? {};
  const own = Object.fromEntries([
    ...NAME_LABELS.map((label) => [label, name]),
    ...UID_LABELS.map((label) => [label, uid]),
  ]) as StringMap;
  job.spec = {
    ...spec,
    selector: {
      ...selector,
      matchLabels: { [UID_LABEL]: uid, ...selector.matchLabels },
    },
    template: {
      ...template,
      metadata: { ...metadata, labels: { ...own, ...metadata.labels } },
    },
  };
}

/**
 * Labels that a client gave must be those it would have got. Jobs that were made before there
 * were the new names need only have the old ones: `old` is undefined on create.
 */
export function validateUidSelector(job: Job, old: Job | undefined): FieldErrors {
  const spec = job.spec;
  const { selector } = spec;
  if (spec.manualSelector === true || isMissing(selector)) return [];
  const { name = '', uid = '' } = job.metadata;
  const expected: JsonObject = {};
  const needed = old === undefined || hasNewLabels(old) ? EXPECTED_ORDER : OLD_LABELS;
  for (const label of needed) expected[label] = NAME_LABELS.includes(label) ? name : uid;
  return [
    ...needed.flatMap((label) => validateLabel(spec, label, stringAt(expected, label))),
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
