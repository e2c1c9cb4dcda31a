/**
 * Field sets and types: the fields that a value of a type has, which its applier comes to own, and
 * field sets brought into line with a type.
 *
 * In Kubernetes: TypedValue.ToFieldSet, EnsureNamedFieldsAreMembers and
 * ReconcileFieldSetWithSchema, sigs.k8s.io/structured-merge-diff.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { forEachItem, forEachKey, remembered } from '../json/work-in-slices.ts';
import {
  changed,
  type FieldSet,
  type GrowingFieldSet,
  isEmptySet,
  isMember,
  LEAF,
  NO_FIELDS,
  SELF,
  withSelf,
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
import { fieldElement, isFieldElement, isKeyElement } from './path-element.ts';

/** The value must be valid, but for items of lists with the same key, or with none. */
export function toFieldSet(value: JsonValue, type: MergeType): FieldSet {
  return nodeOfValue(value, type, { own: 'no', named: false }) ?? NO_FIELDS;
}

/** With every field that the schema names and that has a field of the set in it. */
export function toNamedFieldSet(value: JsonValue, type: MergeType): FieldSet {
  return nodeOfValue(value, type, { own: 'no', named: true }) ?? NO_FIELDS;
}

interface Manner {
  /** Whether the value is owned itself, besides what is in it: if there is anything in it. */
  readonly own: 'no' | 'yes' | 'if-any';
  /** Named fields are owned if there is anything in them. */
  readonly named: boolean;
}

const OWNED = {
  true: { own: 'yes', named: true },
  false: { own: 'yes', named: false },
} as const satisfies Record<string, Manner>;
const NAMED_FIELD = {
  true: { own: 'if-any', named: true },
  false: { own: 'no', named: false },
} as const satisfies Record<string, Manner>;

/** undefined: nothing of it can be owned, nor is it owned itself. */
function nodeOfValue(value: JsonValue, type: MergeType, manner: Manner): FieldSet | undefined {
  const form = heldForm(type, formOf(type, value));
  const { map, list } = type;
  let node: FieldSet | undefined;
  if (form === 'map' && map !== undefined && !map.atomic) {
    node = isJsonObject(value) ? nodeOfMap(value, map, manner) : undefined;
  } else if (form === 'list' && list !== undefined && list.relation !== 'atomic') {
    node = Array.isArray(value) ? nodeOfList(value, list, manner) : undefined;
  } else {
    return LEAF;
  }
  return node ?? (manner.own === 'yes' ? LEAF : undefined);
}

/** undefined where it has no fields. */
function nodeOfMap(
  object: JsonObject,
  map: MergeMap,
  { own, named }: Manner,
): FieldSet | undefined {
  const grown = remembered(() => growing(own));
  forEachKey(object, (name) => {
    const value = object[name];
    const type = fieldTypeOf(map, name);
    if (value === undefined || type === undefined) return;
    const isOwned = isNothing(value) || !map.fields.has(name);
    const field = nodeOfValue(value, type, (isOwned ? OWNED : NAMED_FIELD)[`${named}`]);
    if (field === undefined) return;
    grown.node[fieldElement(name)] = field;
    grown.isEmpty = false;
  });
  return grown.isEmpty ? undefined : grown.node;
}

function growing(own: Manner['own']): { readonly node: GrowingFieldSet; isEmpty: boolean } {
  return { node: own === 'no' ? {} : { [SELF]: LEAF }, isEmpty: true };
}

function isNothing(value: JsonValue): boolean {
  if (!isJsonObject(value)) return value === null;
  for (const _ in value) return false;
  return true;
}

/** Of items with the same key, nothing is owned but the key. */
function nodeOfList(
  items: readonly JsonValue[],
  list: MergeList,
  { own, named }: Manner,
): FieldSet | undefined {
  const { node } = remembered(() => growing(own));
  forEachItem(items, (item) => {
    const element = anyElement(list, item);
    const isRepeated = node[element] !== undefined;
    const field = isRepeated ? LEAF : nodeOfValue(item, list.items, OWNED[`${named}`]);
    node[element] = field ?? LEAF;
  });
  return items.length === 0 ? undefined : node;
}

/**
 * The set, and in it every field that the schema names and that has a field of the set in it: of
 * `spec.labels.app` also `spec` and `spec.labels`, but not the field of a map.
 */
export function withNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  return changed(set, (element, node) => {
    if (isEmptySet(node)) return node;
    const inner = withNamedFields(node, typeWithin(type, element));
    const isNamed = isFieldElement(element) && type?.map?.fields.has(element.slice(2)) === true;
    return isNamed && !isMember(inner) ? withSelf(inner) : inner;
  });
}

function typeWithin(type: MergeType | undefined, element: string): MergeType | undefined {
  if (isFieldElement(element)) {
    return type?.map === undefined ? undefined : fieldTypeOf(type.map, element.slice(2));
  }
  return isKeyElement(element) ? type?.list?.items : undefined;
}

/**
 * The set as it would be, had the schema always been as it is: an owner of parts of what now is
 * owned as a whole owns the whole of it. The set itself when nothing changes.
 */
export function reconciledWithType(set: FieldSet, type: MergeType): FieldSet {
  return isWhole(type) ? set : reconciledWithin(set, type);
}

function reconciledNode(node: FieldSet, type: MergeType | undefined): FieldSet {
  if (type === undefined || isEmptySet(node)) return node;
  return isWhole(type) ? LEAF : reconciledWithin(node, type);
}

function reconciledWithin(set: FieldSet, type: MergeType): FieldSet {
  const { map, list } = type;
  if (map !== undefined) {
    if (map.isOpen) return set;
    return changed(set, (element, node) => reconciledNode(node, elementTypeOf(map, element)));
  }
  return list === undefined ? set : changed(set, (_, node) => reconciledNode(node, list.items));
}

function elementTypeOf(map: MergeMap, element: string): MergeType | undefined {
  return isFieldElement(element) ? fieldTypeOf(map, element.slice(2)) : map.values;
}

function isWhole({ map, list, scalar }: MergeType): boolean {
  if (map !== undefined) return map.atomic && !map.isOpen;
  return scalar === undefined && list?.relation === 'atomic';
}
