/** Controller revisions: what a workload once looked like. In Kubernetes: registry/apps/controllerrevision. */
import type { ControllerRevision } from '../../generated/kinds/apps-v1.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { isEqualJson } from '../../json/json-tree.ts';
import { type FieldErrors, invalidValue, required } from '../../field/field-errors.ts';
import { defineKind } from '../kind.ts';
import { isMissing, nonNegative } from '../rules/value-validation.ts';

export const controllerRevisions = defineKind('apps/v1/controllerrevisions', {
  rules: {
    validate: (revision) => [
      ...nonNegative('revision', revision.revision),
      ...validateData(revision),
    ],
    validateUpdate: (revision, old) => [
      ...nonNegative('revision', revision.revision),
      ...validateSameData(revision.data, old.data),
    ],
  },
});

function validateData(revision: ControllerRevision): FieldErrors {
  const { data } = revision;
  if (isMissing(data)) return [required('data', 'data is mandatory')];
  return isJsonObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
}

/** The data is bytes to Kubernetes: a field that is null is another one than none. */
function validateSameData(data: JsonValue | undefined, old: JsonValue | undefined): FieldErrors {
  return isEqualJson(data ?? null, old ?? null)
    ? []
    : [invalidValue('data', data, 'field is immutable')];
}
