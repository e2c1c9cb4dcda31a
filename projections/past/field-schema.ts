/**
 * What a comparison of two objects asks about their type: which lists are sets of named elements,
 * and by which of their fields the elements are known.
 */
import type { FieldType } from '../../api/scheme/field-type.ts';
import { findTypeFacts, jsonFieldsOf, typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { stringAt, type JsonObject } from '../../api/json/json.ts';

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
