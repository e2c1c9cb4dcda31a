/**
 * One version of a definition: its schema, where the parts of an object lie that `scale` and tables show,
 * and the fields by which objects can be selected.
 *
 * In Kubernetes: validateCustomResourceDefinitionVersion, ValidateCustomResourceDefinitionSubresources,
 * ValidateCustomResourceColumnDefinition and ValidateCustomResourceSelectableFields.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { isPrintable } from '../../../json/go-escapes.ts';
import {
  duplicateValue,
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
  tooMany,
} from '../../../field/field-errors.ts';
import { childPath, indexPath } from '../../../field/field-path.ts';
import { structuralProblem } from '../../../structural-schema/structural-rules.ts';
import { invalidFor } from '../../rules/value-validation.ts';
import type { Leniency } from './leniency.ts';
import { structuralForm } from './schema-parts.ts';
import { type SchemaRules, validateSchema } from './schema-validation.ts';
import { resolveFieldPath } from '../../../cel/schema/schema-field-path.ts';
import type { StructuralSchema } from '../../../structural-schema/structural-schema.ts';

const WARNING_BYTES_MAX = 256;
const UNPRINTABLE = 'must only contain printable UTF-8 characters';

/** `path` is that of the version. */
export function validateVersion(
  version: CustomResourceDefinitionVersion,
  path: string,
  rules: Omit<SchemaRules, 'path'>,
): FieldErrors {
  return [
    ...validateWarning(version, path),
    ...validateSchema(version.schema, { ...rules, path: childPath(path, 'schema') }),
    ...validateSubresources(version.subresources, childPath(path, 'subresources')),
    ...validateColumns(items(version.additionalPrinterColumns), path),
    ...validateFields(version, path, rules.leniency),
  ];
}

/** The columns of tables, of a version or of all, whose path is given. */
export function validateColumns(
  columns: readonly CustomResourceColumnDefinition[],
  path: string,
): FieldErrors {
  return columns.flatMap((column, index) =>
    validateColumn(column, indexPath(childPath(path, 'additionalPrinterColumns'), index)),
  );
}

function validateWarning(
  { deprecated, deprecationWarning: warning }: CustomResourceDefinitionVersion,
  path: string,
): FieldErrors {
  if (warning === undefined) return [];
  const at = childPath(path, 'deprecationWarning');
  return invalidFor(at, warning, warningProblems(warning, deprecated === true));
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

function validateFields(
  version: CustomResourceDefinitionVersion,
  path: string,
  leniency: Leniency,
): FieldErrors {
  const fields = items(version.selectableFields);
  if (fields.length === 0) return [];
  const schema = version.schema?.openAPIV3Schema;
  const at = childPath(path, 'selectableFields');
  if (schema === undefined) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [invalidValue(at, '', detail)];
  }
  const allowsTooMany = leniency.tooManyFields.has(version.name);
  return validateFieldsIn(schema, fields, {
    path: at,
    schemaPath: childPath(path, 'schema.openAPIV3Schema'),
    allowsTooMany,
  });
}

interface FieldsPlace {
  readonly path: string;
  readonly schemaPath: string;
  readonly allowsTooMany: boolean;
}

/** Each points to a scalar in the schema, where that can be read. */
export function validateFieldsIn(
  schema: JSONSchemaProps,
  fields: readonly SelectableField[],
  { path, schemaPath, allowsTooMany }: FieldsPlace,
): FieldErrors {
  const form = structuralForm(schema);
  if (form !== undefined) {
    return validateSelectableFields(fields, { path, schema: form, allowsTooMany });
  }
  return [invalidValue(schemaPath, '', structuralProblem(schema) ?? '')];
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
];

/** Paths of a `scale` begin in the spec or the status. */
export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: string,
): FieldErrors {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath: specReplicas, statusReplicasPath: statusReplicas } = scale;
  const selector = scale.labelSelectorPath ?? '';
  const at = (key: string): string => childPath(path, `scale.${key}`);
  return [
    ...(specReplicas === ''
      ? [required(at('specReplicasPath'))]
      : validateBelow(at('specReplicasPath'), specReplicas, ['.spec'])),
    ...(statusReplicas === ''
      ? [required(at('statusReplicasPath'))]
      : validateBelow(at('statusReplicasPath'), statusReplicas, ['.status'])),
    ...(selector === ''
      ? []
      : validateBelow(at('labelSelectorPath'), selector, ['.spec', '.status'])),
  ];
}

function validateBelow(field: string, path: string, roots: readonly string[]): FieldErrors {
  const problems = validateSimplePath(field, path);
  if (problems.length > 0 || roots.some((root) => path.startsWith(`${root}.`))) return problems;
  const where = roots.length > 1 ? `either ${roots.join(' or ')}` : roots.join();
  return [invalidValue(field, path, `should be a json path under ${where}`)];
}

function validateColumn(column: CustomResourceColumnDefinition, path: string): FieldErrors {
  const { name, type, format = '', jsonPath } = column;
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const formats = `must be one of ${COLUMN_FORMATS.join(',')}`;
  const isKnown = COLUMN_TYPES.includes(type);
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...(type === '' ? [required(`${path}.type`, types)] : []),
    ...(type === '' || isKnown ? [] : [invalidValue(`${path}.type`, type, types)]),
    ...(format === '' || COLUMN_FORMATS.includes(format)
      ? []
      : [invalidValue(`${path}.format`, format, formats)]),
    // The field is named so.
    ...(jsonPath === ''
      ? [required(`${path}.JSONPath`)]
      : validateSimplePath(`${path}.JSONPath`, jsonPath)),
  ];
}

function validateSimplePath(field: string, path: string): FieldErrors {
  return path.startsWith('.')
    ? []
    : [invalidValue(field, path, 'must be a simple json path starting with .')];
}

const FIELDS_MAX = 8;
const SELECTABLE_TYPES: readonly string[] = ['string', 'boolean', 'integer'];
const WRONG_TYPE =
  'must point to a field of type string, boolean or integer. ' +
  'Enum string fields and strings with formats are allowed.';

interface SelectableFieldRules {
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly allowsTooMany: boolean;
}

function validateSelectableFields(
  fields: readonly SelectableField[],
  { path, schema, allowsTooMany }: SelectableFieldRules,
): FieldErrors {
  const seen = new Set<string>();
  const errors = fields.flatMap((field, index) =>
    validateField(field.jsonPath, `${indexPath(path, index)}.jsonPath`, {
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
