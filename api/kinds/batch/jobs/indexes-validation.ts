/** Which indexes of a job are done and which have failed. In Kubernetes: validateJobStatus, pkg/apis/batch/validation. */
import { stringAt } from '../../../json/json.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { countIndexes, overlapOf } from '../job-indexes.ts';
import { isMissing } from '../../rules/value-validation.ts';
import type { JobChange } from './job-state.ts';

const COMPLETED = 'completedIndexes';
const FAILED = 'failedIndexes';

export function validateIndexes(change: JobChange): FieldErrors {
  const { spec, status, changes } = change;
  const isIndexed = spec.completionMode === 'Indexed';
  const hasFailed = !isMissing(status[FAILED]);
  const hasLimit = !isMissing(spec.backoffLimitPerIndex);
  const completed = stringAt(status, COMPLETED);
  const failed = stringAt(status, FAILED);
  const notIndexed = 'cannot set non-empty completedIndexes when non-indexed completion mode';
  const unlimited = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
  return [
    ...(changes(COMPLETED) ? validateFormat(change, COMPLETED) : []),
    ...(changes(FAILED) && hasLimit && hasFailed ? validateFormat(change, FAILED) : []),
    ...(changes(COMPLETED) && completed !== '' && !isIndexed
      ? [invalidValue(`status.${COMPLETED}`, completed, notIndexed)]
      : []),
    ...(changes(FAILED) && !hasLimit && hasFailed
      ? [invalidValue(`status.${FAILED}`, failed, unlimited)]
      : []),
    ...(changes(COMPLETED, FAILED) ? validateOverlap(change) : []),
  ];
}

function validateFormat({ spec, status }: JobChange, key: string): FieldErrors {
  const completions = spec.completions;
  if (completions === undefined) return [];
  const text = stringAt(status, key);
  const parsed = countIndexes(text, completions);
  return parsed.ok
    ? []
    : [invalidValue(`status.${key}`, text, `error parsing ${key}: ${parsed.why}`)];
}

function validateOverlap({ spec, status }: JobChange): FieldErrors {
  const completions = spec.completions;
  if (completions === undefined || isMissing(status[FAILED])) return [];
  const failed = stringAt(status, FAILED);
  const index = overlapOf(stringAt(status, COMPLETED), failed, completions);
  if (index === undefined) return [];
  const detail = `failedIndexes and completedIndexes overlap at index: ${String(index)}`;
  return [invalidValue(`status.${FAILED}`, failed, detail)];
}
