/**
 * Walking through the schema of a definition, the types that it may name, and its structural form, which
 * is made once for each schema.
 *
 * In Kubernetes: SchemaHas, apiextensions-apiserver/pkg/apis/apiextensions/validation; NewStructural
 * and ValidateStructural, apiextensions-apiserver/pkg/apiserver/schema.
 */
import type { JSONSchemaProps } from '../../../generated/kinds/apiextensions-v1.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { remembered, someItem, someKey } from '../../../json/work-in-slices.ts';
import { parseStructuralSchema } from '../../../structural-schema/parse-structural-schema.ts';
import {
  structuralProblem,
  validateStructural,
} from '../../../structural-schema/structural-rules.ts';
import type { StructuralSchema } from '../../../structural-schema/structural-schema.ts';

/** Whose values are schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
const PARTS = [
  ...['items', 'allOf', 'anyOf', 'oneOf', 'not'],
  ...MAPS,
  ...['additionalProperties', 'additionalItems'],
];
const HAS_PARTS = new Set(PARTS);

/** Whether the schema or any inside of it is so; each is asked about once. */
export function someSchema(
  schema: JSONSchemaProps,
  isSo: (schema: JSONSchemaProps) => boolean,
): boolean {
  if (remembered(() => isSo(schema))) return true;
  // Most have none.
  if (!hasParts(schema)) return false;
  const isSoWithin = (part: JsonValue | undefined): boolean =>
    isJsonObject(part) && someSchema(part, isSo);
  return PARTS.some((key) => {
    const part = (schema as JsonObject)[key];
    if (Array.isArray(part)) return someItem(part, isSoWithin);
    if (!MAPS.has(key)) return isSoWithin(part);
    return isJsonObject(part) && someKey(part, (name) => isSoWithin(part[name]));
  });
}

function hasParts(schema: JSONSchemaProps): boolean {
  for (const key in schema) if (HAS_PARTS.has(key)) return true;
  return false;
}

const parsed = new WeakMap<JsonObject, StructuralSchema>();

/** The schema must not change any more. Undefined: it cannot be read as a structural one. */
export function structuralForm(schema: JsonObject): StructuralSchema | undefined {
  return remembered(() => {
    const known = parsed.get(schema);
    if (known !== undefined) return known;
    return structuralProblem(schema) === undefined ? readableForm(schema) : undefined;
  });
}

/** {@link structuralForm} of a schema that is known to have one. */
export function readableForm(schema: JsonObject): StructuralSchema {
  return remembered(() => {
    const known = parsed.get(schema);
    if (known !== undefined) return known;
    const made = parseStructuralSchema(schema);
    parsed.set(schema, made);
    return made;
  });
}

/** Whether its structural form is a right one. */
export function isStructural(schema: JsonObject): boolean {
  return structuralProblem(schema) === undefined && validateStructural(schema, '').length === 0;
}

/** The types that values can have. In Kubernetes: openapiV3Types. */
export const SCHEMA_TYPES: readonly string[] = [
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
];

/** Whether it is one of {@link SCHEMA_TYPES}, or none. */
export function isKnownType(type: string): boolean {
  return type === '' || SCHEMA_TYPES.includes(type);
}
