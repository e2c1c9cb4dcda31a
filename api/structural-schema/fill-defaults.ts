/**
 * Puts in the defaults of a schema: where a field is not there, or is null and may not be. Compiled
 * into closures for the parts of the schema in which there are any.
 *
 * In Kubernetes: Default and PruneDefaults, apiextensions-apiserver/pkg/apiserver/schema/defaulting.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { copyJson } from '../json/json-tree.ts';
import { ownValue, setOwn } from '../json/own-property.ts';
import { forEachItem, forEachKey, undivided } from '../json/work-in-slices.ts';
import { compileShape, newShapeRun } from './shape-object.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Changes the value it is given. */
export type FillDefaults = (value: JsonValue) => void;

/**
 * @param withDefaults the schemas in which there are defaults.
 * @returns undefined: there are none.
 */
export function compileDefaults(
  schema: StructuralSchema | undefined,
  withDefaults: ReadonlySet<StructuralSchema>,
): FillDefaults | undefined {
  if (schema === undefined || !withDefaults.has(schema)) return undefined;
  const fillObject = compileObject(schema, withDefaults);
  const fillItem = compileDefaults(schema.items, withDefaults);
  const { items } = schema;
  return (value) => {
    if (Array.isArray(value)) {
      if (fillItem !== undefined && items !== undefined) fillItems(value, items, fillItem);
    } else if (isJsonObject(value)) fillObject(value);
  };
}

function fillItems(list: JsonValue[], items: StructuralSchema, fillItem: FillDefaults): void {
  forEachItem(list, (item, index) => {
    const filled = item === null ? replacementOfNull(items) : item;
    if (filled !== item) list[index] = filled;
    fillItem(filled);
  });
}

function compileObject(
  schema: StructuralSchema,
  withDefaults: ReadonlySet<StructuralSchema>,
): (object: JsonObject) => void {
  const given = [...schema.properties].flatMap(([name, property]) =>
    property.default === undefined ? [] : [{ name, property, value: shapedDefault(property) }],
  );
  const { additionalProperties } = schema;
  const other = additionalProperties === true ? undefined : additionalProperties;
  const fillOther = compileDefaults(other, withDefaults);
  const fills = new Map<string, FillDefaults | undefined>();
  const fillOf = (name: string): FillDefaults | undefined => {
    if (!schema.properties.has(name)) return fillOther;
    if (!fills.has(name)) {
      const fill = undivided(() => compileDefaults(schema.properties.get(name), withDefaults));
      fills.set(name, fill);
    }
    return fills.get(name);
  };
  return (object) => {
    for (const { name, property, value } of given) {
      const now = ownValue(object, name);
      if (now === undefined || (now === null && !property.nullable)) {
        const copy = undivided(() => copyJson(value));
        setOwn(object, name, copy);
      }
    }
    forEachKey(object, (name) => {
      const value = object[name];
      if (value === null && other !== undefined && !schema.properties.has(name)) {
        setOwn(object, name, replacementOfNull(other));
      }
      if (typeof value === 'object') fillOf(name)?.(object[name] ?? null);
    });
  };
}

function replacementOfNull(schema: StructuralSchema): JsonValue {
  if (schema.default === undefined || schema.nullable) return null;
  return undivided(() => copyJson(shapedDefault(schema)));
}

/** Of a default only what the schema knows is filled in. */
function shapedDefault(schema: StructuralSchema): JsonValue {
  const run = newShapeRun({ lenient: true, keepsNull: true });
  return compileShape(schema)(schema.default ?? null, run) ?? null;
}
