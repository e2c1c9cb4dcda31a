/**
 * The fields that a value has: what somebody who applies it comes to own.
 *
 * In Kubernetes: TypedValue.ToFieldSet, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import {
  isEmptySet,
  LEAF,
  NO_FIELDS,
  SELF,
  type FieldSet,
  type GrowingFieldSet,
} from './field-set.ts';
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

/** The value must be valid, but for items of lists with the same key. */
export function toFieldSet(value: JsonValue, type: MergeType): FieldSet {
  const set = fieldsOf(value, type);
  return set === 'whole' ? NO_FIELDS : set;
}

/** `whole`: owned as one. */
function fieldsOf(value: JsonValue, type: MergeType): FieldSet | 'whole' {
  const form = heldForm(type, formOf(type, value));
  if (form === 'map' && type.map !== undefined) {
    if (type.map.atomic) return 'whole';
    return isJsonObject(value) ? fieldsOfMap(value, type.map) : NO_FIELDS;
  }
  if (form === 'list' && type.list !== undefined) {
    if (type.list.relation === 'atomic') return 'whole';
    return Array.isArray(value) ? fieldsOfList(value, type.list) : NO_FIELDS;
  }
  return 'whole';
}

function fieldsOfMap(object: JsonObject, map: MergeMap): FieldSet {
  const set: GrowingFieldSet = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    const type = fieldTypeOf(map, name);
    if (value === undefined || type === undefined) continue;
    const isOwned = isNothing(value) || !map.fields.has(name);
    put(set, fieldElement(name), { fields: fieldsOf(value, type), isOwned });
  }
  return set;
}

function isNothing(value: JsonValue): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** Of items with the same key, nothing is owned but the key. */
function fieldsOfList(items: readonly JsonValue[], list: MergeList): FieldSet {
  const set: GrowingFieldSet = {};
  const elements = items.map((item) => anyElement(list, item));
  const repeated = repeatedOf(elements);
  for (const [index, item] of items.entries()) {
    const element = elements[index] ?? '';
    const fields = repeated.has(element) ? 'whole' : fieldsOf(item, list.items);
    put(set, element, { fields, isOwned: true });
  }
  return set;
}

function repeatedOf(elements: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const element of elements) {
    if (seen.has(element)) repeated.add(element);
    seen.add(element);
  }
  return repeated;
}

function put(
  set: GrowingFieldSet,
  element: string,
  { fields, isOwned }: { readonly fields: FieldSet | 'whole'; readonly isOwned: boolean },
): void {
  if (fields === 'whole' || isEmptySet(fields)) {
    if (fields === 'whole' || isOwned) set[element] = LEAF;
  } else {
    set[element] = isOwned ? { [SELF]: LEAF, ...fields } : fields;
  }
}
