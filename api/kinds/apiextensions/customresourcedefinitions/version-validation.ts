/** One version of a definition. In Kubernetes: validateCustomResourceDefinitionVersion. */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { isPrintable } from '../../../json/go-format.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { childPath, indexPath } from '../../../field/field-path.ts';
import { structuralProblem } from '../../../structural-schema/structural-rules.ts';
import { invalidFor, objectsAt } from '../../rules/value-validation.ts';
import type { Leniency } from './leniency.ts';
import { structuralForm } from './schema-structure.ts';
import { validateSchema, type SchemaRules } from './schema-validation.ts';
import { validateSelectableFields } from './selectable-field-validation.ts';
import { validateColumn, validateSubresources } from './subresource-validation.ts';

const WARNING_BYTES_MAX = 256;
const UNPRINTABLE = 'must only contain printable UTF-8 characters';

export function validateVersion(
  version: JsonObject,
  path: string,
  rules: Omit<SchemaRules, 'path'>,
): FieldErrors {
  return [
    ...validateWarning(version, path),
    ...validateSchema(objectAt(version, 'schema'), { ...rules, path: childPath(path, 'schema') }),
    ...validateSubresources(objectAt(version, 'subresources'), childPath(path, 'subresources')),
    ...validateColumns(objectsAt(version, 'additionalPrinterColumns'), path),
    ...validateFields(version, path, rules.leniency),
  ];
}

export function validateColumns(columns: readonly JsonObject[], path: string): FieldErrors {
  return columns.flatMap((column, index) =>
    validateColumn(column, indexPath(childPath(path, 'additionalPrinterColumns'), index)),
  );
}

function validateWarning(version: JsonObject, path: string): FieldErrors {
  const { deprecationWarning: warning } = version;
  if (typeof warning !== 'string') return [];
  const at = childPath(path, 'deprecationWarning');
  return invalidFor(at, warning, warningProblems(warning, version['deprecated'] === true));
}

function warningProblems(warning: string, isDeprecated: boolean): readonly string[] {
  if (!isDeprecated) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > WARNING_BYTES_MAX) {
    problems.push('must be <= 256 characters long');
  }
  if (warning === '') problems.push('must not be an empty string');
  const before = printableBytes(warning);
  if (before !== undefined) {
    problems.push(`${UNPRINTABLE}; non-printable character found at index ${String(before)}`);
  }
  return problems;
}

/** How many bytes stand before the first character that cannot be printed, if there is one. */
function printableBytes(text: string): number | undefined {
  let bytes = 0;
  for (const character of text) {
    if (!isPrintable(character)) return bytes;
    bytes += Buffer.byteLength(character);
  }
  return undefined;
}

function validateFields(version: JsonObject, path: string, leniency: Leniency): FieldErrors {
  const fields = objectsAt(version, 'selectableFields');
  if (fields.length === 0) return [];
  const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
  const at = childPath(path, 'selectableFields');
  if (schema === undefined) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [invalidValue(at, '', detail)];
  }
  const allowsTooMany = leniency.tooManyFields.has(stringAt(version, 'name'));
  return validateFieldsIn(schema, fields, {
    path: at,
    schemaPath: childPath(path, 'schema.openAPIV3Schema'),
    allowsTooMany,
  });
}

export interface FieldsPlace {
  readonly path: string;
  readonly schemaPath: string;
  readonly allowsTooMany: boolean;
}

export function validateFieldsIn(
  schema: JsonObject,
  fields: readonly JsonObject[],
  { path, schemaPath, allowsTooMany }: FieldsPlace,
): FieldErrors {
  const form = structuralForm(schema);
  if (form !== undefined) {
    return validateSelectableFields(fields, { path, schema: form, allowsTooMany });
  }
  return [invalidValue(schemaPath, '', structuralProblem(schema) ?? '')];
}
