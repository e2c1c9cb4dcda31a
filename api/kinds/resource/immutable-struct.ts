/**
 * A part of an object that must not change, shown whole as kube-apiserver prints it: its own
 * structs of devices are those that clients know, but their fields begin with capitals and show
 * everything that is not set.
 *
 * In Kubernetes: pkg/apis/resource/types.go, printed by field.Error.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { FieldType } from '../../scheme/field-type.ts';
import { jsonFieldsOf } from '../../scheme/type-facts.ts';
import { type FieldErrors, invalidValue } from '../../field/field-errors.ts';
import { sameStruct } from '../rules/same-struct.ts';

type Value = JsonValue | undefined;

const GROUP = 'io.k8s.api.resource.v1';
/** It prints its own fields, in the object that it stands in. */
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** `type` is the name of the struct in resource.k8s.io/v1: `ResourceClaimSpec`. */
export function immutableStruct(
  field: string,
  value: Value,
  old: Value,
  type: string,
): FieldErrors {
  const id = `${GROUP}.${type}`;
  if (sameStruct(id, value, old)) return [];
  return [invalidValue(field, structForm(id, value), 'field is immutable')];
}

function structForm(id: string, value: Value): JsonObject {
  const object = isJsonObject(value) ? value : {};
  const form: JsonObject = {};
  for (const { name, type } of jsonFieldsOf(id)) {
    const inner = object[name];
    if (type.kind === 'message' && type.id === OBJECT_META) {
      Object.assign(form, isJsonObject(inner) ? inner : {});
    } else form[goNameOf(name)] = formOf(type, inner);
  }
  return form;
}

/** `deviceClassName` → `DeviceClassName`. */
function goNameOf(name: string): string {
  return name === 'cel' ? 'CEL' : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function formOf(type: FieldType, value: Value): JsonValue {
  const isAbsent = value === undefined || value === null;
  if (isAbsent && type.pointer === true) return null;
  switch (type.kind) {
    case 'message':
      return structForm(type.id, value);
    case 'list':
      if (!Array.isArray(value) || value.length === 0) return null;
      return value.map((item) => formOf(type.of, item));
    case 'scalar':
      return isAbsent ? zeroOf(type.scalar) : value;
    default:
      return isAbsent ? null : value;
  }
}

function zeroOf(scalar: string): JsonValue {
  if (scalar === 'string') return '';
  return scalar === 'bool' ? false : 0;
}
