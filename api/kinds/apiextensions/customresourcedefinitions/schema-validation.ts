/**
 * The schema of a definition, or of one of its versions.
 *
 * In Kubernetes: validateCustomResourceDefinitionValidation.
 */
import { remembered } from '../../../json/work-in-slices.ts';
import type {
  CustomResourceValidation,
  JSONSchemaProps,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { checkSchemaRules } from '../../../cel/schema/schema-rule-check.ts';
import {
  ERRORS_SHOWN_MAX,
  type FieldErrors,
  forbiddenField,
  invalidValue,
} from '../../../field/field-errors.ts';
import { childPath } from '../../../field/field-path.ts';
import {
  structuralProblem,
  validateStructural,
} from '../../../structural-schema/structural-rules.ts';
import { validateDefaults } from './default-validation.ts';
import { isSet, SCHEMA_FIELDS, shownSchema } from './internal-form.ts';
import type { Leniency } from './leniency.ts';
import { validateOpenApiSchema } from './open-api-validation.ts';
import { readableForm } from './schema-parts.ts';

/** What applies to one of the schemas of a definition. */
export interface SchemaRules {
  readonly path: string;
  /** Whether objects of it have a status that is validated apart. */
  readonly hasStatus: boolean;
  readonly leniency: Leniency;
  readonly needsStructure: boolean;
  /** Its rules are those that were there before. */
  readonly ignoresRuleCost: boolean;
}

/** In Go's names, which is how they are told. */
const AT_ROOT = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** @param validation `schema` of a version. */
export function validateSchema(
  validation: CustomResourceValidation | undefined,
  rules: SchemaRules,
): FieldErrors {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const { hasStatus, leniency, needsStructure } = rules;
  const path = childPath(rules.path, 'openAPIV3Schema');
  const problem = needsStructure ? remembered(() => structuralProblem(schema)) : undefined;
  const isReadable = needsStructure && problem === undefined;
  const place = { path, isRoot: true, isInMeta: false, noDefaults: undefined, leniency };
  const structure = isReadable ? remembered(() => validateStructure(schema, path, leniency)) : [];
  const parts = remembered(() => validateOpenApiSchema(schema, place));
  // Each place with rules asks all of them, and more of them are not told.
  const isRuled = isReadable && structure.length === 0 && parts.length < ERRORS_SHOWN_MAX;
  const ruled = isRuled ? validateRules(schema, path, { parts, rules }) : [];
  const errors = [
    ...(hasStatus ? validateRoot(schema, path) : []),
    ...(schema.nullable === true
      ? [forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root')]
      : []),
    ...structure,
    ...parts,
    ...ruled,
  ];
  // Whatever it cannot be read for has mostly been told by then, and better.
  return errors.length > 0 || problem === undefined ? errors : [invalidValue(path, '', problem)];
}

/** Rules are looked at where nothing else is wrong with what they are about. */
function validateRules(
  schema: JSONSchemaProps,
  path: string,
  { parts, rules }: { readonly parts: FieldErrors; readonly rules: SchemaRules },
): FieldErrors {
  const { ignoresRuleCost } = rules;
  const isWrong = (at: string): boolean => parts.some(({ field }) => isAtOrBelow(field, at));
  return checkSchemaRules(readableForm(schema), path, { ignoresRuleCost, isWrong });
}

function isAtOrBelow(field: string, path: string): boolean {
  if (!field.startsWith(path)) return false;
  const next = field.charAt(path.length);
  return next === '' || next === '.' || next === '[';
}

/** The first thing that may not stand at the root, since the status is taken out of it. */
function validateRoot(schema: JSONSchemaProps, path: string): FieldErrors {
  for (const [name, key] of SCHEMA_FIELDS) {
    if (!isSet(schema[key])) continue;
    const { type = '' } = schema;
    if (name === 'Type' && type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema ' +
        'if the status subresource is enabled';
      return [invalidValue(`${path}.type`, type, detail)];
    }
    if (AT_ROOT.includes(name)) continue;
    const detail =
      `only [${AT_ROOT.join(' ')}] fields are allowed at the root of the schema ` +
      'if the status subresource is enabled';
    return [invalidValue(path, shownSchema(schema), detail)];
  }
  return [];
}

/** Defaults are looked at where the structure is right. */
function validateStructure(schema: JSONSchemaProps, path: string, leniency: Leniency): FieldErrors {
  const errors = validateStructural(schema, path);
  if (errors.length > 0) return errors;
  return validateDefaults(readableForm(schema), path, {
    needsPruned: leniency.needsPrunedDefaults,
  });
}
