/**
 * Whether a value has all that {@link ObjectSchema.fillDefaults} would fill in, which takes a fraction of what it takes
 * to fill it in and to write the value again. Where that is not known the answer is no.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownValue } from '../json/own-property.ts';
import { someItem, someKey } from '../json/work-in-slices.ts';
import type { SchemaTraits } from './schema-traits.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Changes nothing. */
export type HasDefaults = (value: JsonValue) => boolean;

/** @returns undefined: the schema has no defaults. */
export function compileHasDefaults(
  schema: StructuralSchema | undefined,
  withDefaults: SchemaTraits['defaults'],
): HasDefaults | undefined {
  if (schema === undefined || !withDefaults.has(schema)) return undefined;
  const { items } = schema;
  const hasInObject = compileObject(schema, withDefaults);
  const hasInItem = compileHasDefaults(items, withDefaults);
  return (value) => {
    if (isJsonObject(value)) return hasInObject(value);
    if (!Array.isArray(value) || hasInItem === undefined || items === undefined) return true;
    return !someItem(value, (item) => lacks(items, item) || !hasInItem(item));
  };
}

function compileObject(
  { properties, additionalProperties }: StructuralSchema,
  withDefaults: SchemaTraits['defaults'],
): (object: JsonObject) => boolean {
  const named = [...properties].flatMap(([name, property]) => {
    const has = compileHasDefaults(property, withDefaults);
    return has === undefined ? [] : [{ name, property, has }];
  });
  const other = additionalProperties === true ? undefined : additionalProperties;
  const hasInOther = compileHasDefaults(other, withDefaults);
  return (object) => {
    for (const { name, property, has } of named) {
      const value = ownValue(object, name);
      if (lacks(property, value)) return false;
      if (value !== undefined && !has(value)) return false;
    }
    if (hasInOther === undefined || other === undefined) return true;
    return !someKey(object, (name) => {
      const value = object[name];
      return !properties.has(name) && (lacks(other, value) || !hasInOther(value ?? null));
    });
  };
}

/** Whether a default stands for it. */
function lacks(schema: StructuralSchema, value: JsonValue | undefined): boolean {
  if (schema.default === undefined) return false;
  return value === undefined || (value === null && !schema.nullable);
}
