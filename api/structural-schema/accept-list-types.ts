/**
 * Whether all lists that are sets or maps are such, compiled into closures that visit only the
 * parts of an object in which there are any. What is wrong, list-types.ts says.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownValue } from '../json/own-property.ts';
import { forEachItem, mapItems, remembered, someKey } from '../json/work-in-slices.ts';
import { everyItem, type Accept } from './accept-values.ts';
import { canonicalText } from './json-kind.ts';
import { keysOf } from './list-types.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * @param withListTypes the schemas in which there are sets or maps.
 * @returns undefined: there are none.
 */
export function compileListTypes(
  schema: StructuralSchema | true | undefined,
  withListTypes: ReadonlySet<StructuralSchema>,
): Accept | undefined {
  if (schema === undefined || schema === true || !withListTypes.has(schema)) return undefined;
  const acceptList = listCheck(schema);
  const compiled = (part: StructuralSchema | true | undefined): Accept | undefined =>
    compileListTypes(part, withListTypes);
  const acceptItem = compiled(schema.items);
  const acceptFields = fieldsCheck(schema, compiled);
  return (value) => {
    if (typeof value !== 'object' || value === null) return true;
    if (!Array.isArray(value)) return acceptFields(value);
    return acceptList(value) && (acceptItem === undefined || everyItem(value, acceptItem));
  };
}

function fieldsCheck(
  { properties, additionalProperties }: StructuralSchema,
  compile: (part: StructuralSchema | true | undefined) => Accept | undefined,
): (object: JsonObject) => boolean {
  const fields = [...properties].flatMap(([name, property]) => {
    const accept = compile(property);
    return accept === undefined ? [] : [{ name, accept }];
  });
  const acceptOther = compile(additionalProperties);
  return (object) => {
    for (const { name, accept } of fields) {
      const value = ownValue(object, name);
      if (value !== undefined && !accept(value)) return false;
    }
    if (acceptOther === undefined) return true;
    return !someKey(object, (name) => !properties.has(name) && !acceptOther(object[name] ?? null));
  };
}

function listCheck({ extensions }: StructuralSchema): (list: JsonValue[]) => boolean {
  const { listType, listMapKeys } = extensions;
  if (listType === 'set') return isWithoutRepeats;
  if (listType !== 'map') return () => true;
  const [key] = listMapKeys.length === 1 ? listMapKeys : [];
  return (list) => {
    if (!everyItem(list, (item) => item === null || isJsonObject(item))) return false;
    if (list.length <= 1) return true;
    const keys = mapItems(list, (item) =>
      key === undefined ? keysOf(item, listMapKeys) : listKeyOf(item, key),
    );
    return isWithoutRepeats(keys);
  };
}

/** A text, which it mostly is, as it is; whatever else as it is told from others. */
function listKeyOf(item: JsonValue, key: string): JsonValue {
  const value = isJsonObject(item) ? ownValue(item, key) : undefined;
  return typeof value === 'string' ? value : keysOf(item, [key]);
}

function isWithoutRepeats(list: readonly JsonValue[]): boolean {
  if (list.length <= 1) return true;
  const plain = remembered(() => new Set<JsonValue>());
  const compound = remembered(() => new Set<string>());
  forEachItem(list, (item) => {
    if (typeof item === 'object' && item !== null) compound.add(canonicalText(item));
    else plain.add(item);
  });
  return plain.size + compound.size === list.length;
}
