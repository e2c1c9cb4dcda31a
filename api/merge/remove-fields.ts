/**
 * Takes fields out of a value. What is owned as a whole is not looked into, and what has nothing
 * left becomes null.
 *
 * In Kubernetes: TypedValue.RemoveItems, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { flatMapItems, forEachKey, remembered } from '../json/work-in-slices.ts';
import { setOwn } from '../json/own-property.ts';
import { isMember, type FieldSet } from './field-set.ts';
import { anyElement } from './list-elements.ts';
import {
  fieldTypeOf,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeType,
} from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** The value must be valid. It is not changed, and the result shares parts with it. */
export function removeFields(value: JsonValue, fields: FieldSet, type: MergeType): JsonValue {
  const form = heldForm(type, formOf(type, value));
  if (form === 'map' && type.map !== undefined) {
    const isWhole = type.map.atomic || !isJsonObject(value);
    return isWhole ? null : removeFromMap(value, fields, type.map);
  }
  if (form === 'list' && type.list !== undefined) {
    const isWhole = type.list.relation === 'atomic' || !Array.isArray(value);
    return isWhole ? null : removeFromList(value, fields, type.list);
  }
  return value;
}

function removeFromMap(object: JsonObject, fields: FieldSet, map: MergeMap): JsonValue {
  const kept = remembered(() => ({ object: {}, isEmpty: true, isChanged: false }));
  forEachKey(object, (name) => {
    const value = object[name];
    if (value === undefined) return;
    const left = withoutFields(value, fields[fieldElement(name)], fieldTypeOf(map, name));
    if (left !== value) kept.isChanged = true;
    if (left === undefined) return;
    setOwn(kept.object, name, left);
    kept.isEmpty = false;
  });
  if (kept.isEmpty) return null;
  return kept.isChanged ? kept.object : object;
}

function removeFromList(items: readonly JsonValue[], fields: FieldSet, list: MergeList): JsonValue {
  const result = flatMapItems(items, (item) => {
    const kept = withoutFields(item, fields[anyElement(list, item)], list.items);
    return kept === undefined ? [] : [kept];
  });
  return result.length === 0 ? null : [...result];
}

/** undefined: the whole value goes. */
function withoutFields(
  value: JsonValue,
  node: FieldSet | undefined,
  type: MergeType | undefined,
): JsonValue | undefined {
  if (node === undefined || type === undefined) return value;
  return isMember(node) ? undefined : removeFields(value, node, type);
}
