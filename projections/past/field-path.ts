/**
 * The way to a field inside an object: through keys, places in lists, and elements with a name; and what
 * the object's type says of that, namely which lists are sets of named elements.
 */
import type { FieldType } from '../../api/scheme/field-type.ts';
import { findTypeFacts, jsonFieldsOf, typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { isJsonObject, type JsonObject, type JsonValue, stringAt } from '../../api/json/json.ts';
import { formatJson } from '../../api/json/json-text.ts';

export interface FieldSchema {
  /** Of an object's field, or of a map's values. */
  field(name: string): FieldSchema | undefined;
  /** Of a list. */
  readonly items: FieldSchema | undefined;
  /** The fields by which the elements of a list are known; empty: by their place. */
  readonly listKeys: readonly string[];
}

const PLAIN: FieldSchema = { field: () => undefined, items: undefined, listKeys: [] };

/** Of a built-in kind, by the object's own word; undefined for any other. */
export function schemaOfObject(object: JsonObject): FieldSchema | undefined {
  const typeId = typeIdOfKind(stringAt(object, 'apiVersion'), stringAt(object, 'kind'));
  return typeId === undefined ? undefined : messageSchema(typeId);
}

const messages = new Map<string, FieldSchema>();

/** Read once, on first use; its fields are too, because types may contain themselves. */
function messageSchema(typeId: string): FieldSchema {
  const known = messages.get(typeId);
  if (known !== undefined) return known;
  let fields: ReadonlyMap<string, FieldSchema> | undefined;
  const schema = {
    ...PLAIN,
    field: (name: string) => (fields ??= fieldsOf(typeId)).get(name),
  };
  messages.set(typeId, schema);
  return schema;
}

function fieldsOf(typeId: string): ReadonlyMap<string, FieldSchema> {
  if (findTypeFacts(typeId) === undefined) return new Map();
  return new Map(
    jsonFieldsOf(typeId).map(({ name, type, listMapKeys, patchMergeKey }) => {
      const listKeys = listMapKeys ?? (patchMergeKey === undefined ? [] : [patchMergeKey]);
      return [name, { ...schemaOf(type), listKeys }];
    }),
  );
}

function schemaOf(type: FieldType): FieldSchema {
  switch (type.kind) {
    case 'message':
      return messageSchema(type.id);
    case 'list':
      return { ...PLAIN, items: schemaOf(type.of) };
    case 'map': {
      const values = schemaOf(type.of);
      return { ...PLAIN, field: () => values };
    }
    default:
      return PLAIN;
  }
}

/** An element of a list, known by some of its own fields: `{ name: 'web' }`. */
export interface ElementName {
  readonly keys: readonly (readonly [field: string, value: JsonValue | undefined])[];
}

/** A key of an object, a place in a list, or an element's name. */
export type FieldStep = string | number | ElementName;

export type FieldPath = readonly FieldStep[];

/** As people write it: `spec.containers[name=web].ports[0]`, `data[a.b]`. */
export function formatFieldPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${String(step)}]`;
    else if (typeof step !== 'string') text += `[${formatName(step)}]`;
    else if (!/^[\w$-]+$/.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

function formatName({ keys }: ElementName): string {
  return keys
    .filter(([, value]) => value !== undefined)
    .map(
      ([field, value]) =>
        `${field}=${typeof value === 'string' ? value : formatJson(value ?? null)}`,
    )
    .join(',');
}

/** Equal texts name the same element. */
function nameKey({ keys }: ElementName): string {
  return formatJson(keys.map(([, value]) => value ?? null));
}

/**
 * The elements by their names, in order; undefined where they have none, or where two have the
 * same, so that they can only be told apart by their places.
 */
export function namedElements(
  list: readonly JsonValue[],
  schema: FieldSchema | undefined,
): ReadonlyMap<string, { readonly name: ElementName; readonly value: JsonValue }> | undefined {
  const listKeys = schema?.listKeys ?? [];
  if (listKeys.length === 0) return undefined;
  const elements = new Map<string, { name: ElementName; value: JsonValue }>();
  for (const value of list) {
    const name = nameOf(value, listKeys);
    if (name === undefined) return undefined;
    elements.set(nameKey(name), { name, value });
  }
  return elements.size === list.length ? elements : undefined;
}

function nameOf(element: JsonValue, listKeys: readonly string[]): ElementName | undefined {
  if (!isJsonObject(element)) return undefined;
  const keys = listKeys.map((field): readonly [string, JsonValue | undefined] => [
    field,
    Object.hasOwn(element, field) ? element[field] : undefined,
  ]);
  const isName = keys.every(([, value]) => typeof value !== 'object');
  return isName && keys.some(([, value]) => value !== undefined) ? { keys } : undefined;
}
