/**
 * Whether two values of a declared type mean the same to the API: {@link sameValue}, but raw data within is bytes to
 * Kubernetes, so that a field that is null there is another one than none.
 *
 * In Kubernetes: Semantic.DeepEqual, which compares the bytes of a runtime.RawExtension.
 */
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { isEqualJson } from '../../json/json-tree.ts';
import type { FieldType } from '../../scheme/field-type.ts';
import { jsonFieldsOf } from '../../scheme/type-facts.ts';
import { sameValue } from './same-value.ts';

type Value = JsonValue | undefined;

/** `id` is the full name of the struct. */
export function sameStruct(id: string, a: Value, b: Value): boolean {
  return sameValue(a, b) && hasSameRaw({ kind: 'message', id }, a, b);
}

/** Of values that are the same as far as types tell. */
function hasSameRaw(type: FieldType, a: Value, b: Value): boolean {
  switch (type.kind) {
    case 'rawExtension':
      return isEqualJson(a ?? null, b ?? null);
    case 'list':
      if (!Array.isArray(a) || !Array.isArray(b)) return true;
      return a.every((item, index) => hasSameRaw(type.of, item, b[index]));
    case 'message':
      if (!isJsonObject(a) || !isJsonObject(b)) return true;
      return jsonFieldsOf(type.id).every((field) =>
        hasSameRaw(field.type, a[field.name], b[field.name]),
      );
    default:
      return true;
  }
}
