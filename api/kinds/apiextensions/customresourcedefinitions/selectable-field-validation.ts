/** The fields by which objects can be selected. In Kubernetes: ValidateCustomResourceSelectableFields. */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import {
  duplicateValue,
  invalidValue,
  required,
  tooMany,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { resolveFieldPath } from '../../../cel/schema-field-path.ts';
import { indexPath } from '../../../field/field-path.ts';
import type { StructuralSchema } from '../../../structural-schema/structural-schema.ts';

const FIELDS_MAX = 8;
const SELECTABLE_TYPES: readonly string[] = ['string', 'boolean', 'integer'];
const WRONG_TYPE =
  'must point to a field of type string, boolean or integer. ' +
  'Enum string fields and strings with formats are allowed.';

export interface SelectableFieldRules {
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly allowsTooMany: boolean;
}

export function validateSelectableFields(
  fields: readonly JsonObject[],
  { path, schema, allowsTooMany }: SelectableFieldRules,
): FieldErrors {
  const seen = new Set<string>();
  const errors = fields.flatMap((field, index) =>
    validateField(stringAt(field, 'jsonPath'), `${indexPath(path, index)}.jsonPath`, {
      schema,
      seen,
    }),
  );
  if (seen.size <= FIELDS_MAX || allowsTooMany) return errors;
  return [...errors, tooMany(path, seen.size, FIELDS_MAX)];
}

function validateField(
  jsonPath: string,
  at: string,
  { schema, seen }: { readonly schema: StructuralSchema; readonly seen: Set<string> },
): FieldErrors {
  if (jsonPath === '') return [required(at)];
  const found = resolveFieldPath(jsonPath, schema, { isWithoutBrackets: true });
  if (!found.ok) return [invalidValue(at, jsonPath, `is an invalid path: ${found.message}`)];
  const errors: FieldError[] = [];
  if (/^metadata(?:[.[]|$)/.test(found.path)) {
    errors.push(invalidValue(at, jsonPath, 'must not point to fields in metadata'));
  }
  if (!SELECTABLE_TYPES.includes(found.schema.type)) {
    errors.push(invalidValue(at, jsonPath, WRONG_TYPE));
  }
  if (seen.has(found.path)) errors.push(duplicateValue(at, jsonPath));
  seen.add(found.path);
  return errors;
}
