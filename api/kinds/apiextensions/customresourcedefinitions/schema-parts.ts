/**
 * Walking through the JSONSchemaProps of a schema.
 *
 * In Kubernetes: SchemaHas, apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json.ts';

/** Whose values are schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
const PARTS = [
  ...['items', 'allOf', 'anyOf', 'oneOf', 'not'],
  ...MAPS,
  ...['additionalProperties', 'additionalItems'],
];
const HAS_PARTS = new Set(PARTS);

/** Whether the schema or any inside of it is so. */
export function someSchema(schema: JsonObject, isSo: (schema: JsonObject) => boolean): boolean {
  if (isSo(schema)) return true;
  // Most have none.
  if (!hasParts(schema)) return false;
  const isSoWithin = (part: JsonValue | undefined): boolean =>
    isJsonObject(part) && someSchema(part, isSo);
  return PARTS.some((key) => {
    const part = schema[key];
    if (Array.isArray(part)) return part.some(isSoWithin);
    if (!MAPS.has(key)) return isSoWithin(part);
    return isJsonObject(part) && Object.values(part).some(isSoWithin);
  });
}

function hasParts(schema: JsonObject): boolean {
  for (const key in schema) if (HAS_PARTS.has(key)) return true;
  return false;
}
