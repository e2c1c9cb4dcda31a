/**
 * Walking through the JSONSchemaProps of a schema.
 *
 * In Kubernetes: SchemaHas, apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
import { isJsonObject, listAt, objectAt, type JsonObject } from '../../../../api/meta/json.ts';

const LISTS = ['allOf', 'anyOf', 'oneOf'];
const MAPS = ['properties', 'patternProperties', 'definitions', 'dependencies'];

/** Whether the schema or any inside of it is so. */
export function someSchema(schema: JsonObject, isSo: (schema: JsonObject) => boolean): boolean {
  if (isSo(schema)) return true;
  for (const part of partsOf(schema)) if (someSchema(part, isSo)) return true;
  return false;
}

function* partsOf(schema: JsonObject): Iterable<JsonObject> {
  const { items } = schema;
  if (Array.isArray(items)) yield* items.filter(isJsonObject);
  else if (isJsonObject(items)) yield items;
  for (const key of LISTS) yield* listAt(schema, key).filter(isJsonObject);
  const not = objectAt(schema, 'not');
  if (not !== undefined) yield not;
  for (const key of MAPS) {
    for (const part of Object.values(objectAt(schema, key) ?? {})) {
      if (isJsonObject(part)) yield part;
    }
  }
  for (const key of ['additionalProperties', 'additionalItems']) {
    const part = objectAt(schema, key);
    if (part !== undefined) yield part;
  }
}
