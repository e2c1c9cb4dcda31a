/**
 * Lists that are sets have no item twice, lists that are maps no key twice. The second of the same
 * is told, not a third.
 *
 * In Kubernetes: ValidateListSetsAndMaps, apiextensions-apiserver/pkg/apiserver/schema/listtype.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownKeys, ownValue, setOwn } from '../json/own-property.ts';
import { flatMapItems, mapItems, remembered, rememberedOf } from '../json/work-in-slices.ts';
import { duplicateValue, type FieldErrors, invalidValue } from '../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../field/field-path.ts';
import { canonicalText } from './json-kind.ts';
import { fieldSchema } from './schema-traits.ts';
import { sortedValue } from './sorted-object.ts';
import type { StructuralSchema } from './structural-schema.ts';

const NO_ERRORS: FieldErrors = [];
const NOT_AN_OBJECT = 'must be an object for an array of list-type map';

/** @param withListTypes the schemas in which there are sets or maps. */
export function validateListTypes(
  schema: StructuralSchema | undefined,
  value: JsonValue,
  path: string,
  withListTypes: ReadonlySet<StructuralSchema>,
): FieldErrors {
  if (schema === undefined || typeof value !== 'object') return NO_ERRORS;
  if (!withListTypes.has(schema)) return NO_ERRORS;
  if (Array.isArray(value)) {
    const { items } = schema;
    const own = validateList(schema, value, path);
    const within = flatMapItems(value, (item, index) =>
      validateListTypes(items, item, indexPath(path, index), withListTypes),
    );
    return [...own, ...within];
  }
  if (!isJsonObject(value)) return NO_ERRORS;
  return flatMapItems(ownKeys(value), (name) => {
    const isProperty = schema.properties.has(name);
    const at = isProperty ? childPath(path, name) : keyPath(path, name);
    const field = value[name] ?? null;
    return validateListTypes(fieldSchema(schema, name), field, at, withListTypes);
  });
}

function validateList(
  { extensions }: StructuralSchema,
  list: readonly JsonValue[],
  path: string,
): FieldErrors {
  if (extensions.listType === 'set') return duplicatesIn(list, path);
  if (extensions.listType !== 'map') return NO_ERRORS;
  const stranger = rememberedOf([list], () =>
    list.findIndex((item) => item !== null && !isJsonObject(item)),
  );
  if (stranger >= 0) {
    return [
      invalidValue(indexPath(path, stranger), sortedValue(list[stranger] ?? null), NOT_AN_OBJECT),
    ];
  }
  const keys = mapItems(list, (item) => keysOf(item, extensions.listMapKeys));
  return duplicatesIn(keys, path);
}

/** Keys that are not there are missing in what is shown, too. */
export function keysOf(item: JsonValue, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  for (const name of names) {
    const value = isJsonObject(item) ? ownValue(item, name) : undefined;
    if (value !== undefined) setOwn(keys, name, value);
  }
  return keys;
}

function duplicatesIn(items: readonly JsonValue[], path: string): FieldErrors {
  if (items.length <= 1) return NO_ERRORS;
  const plain = remembered(() => new Map<JsonValue, number>());
  const compound = remembered(() => new Map<JsonValue, number>());
  return flatMapItems(items, (item, index) => {
    const isCompound = typeof item === 'object' && item !== null;
    const seen = isCompound ? compound : plain;
    const key = isCompound ? canonicalText(item) : item;
    const before = seen.get(key) ?? 0;
    // There may be a pause in the error: the item counts behind it.
    const errors =
      before === 1 ? [duplicateValue(indexPath(path, index), sortedValue(item))] : NO_ERRORS;
    seen.set(key, before + 1);
    return errors;
  });
}
