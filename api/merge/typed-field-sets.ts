/**
 * Field sets brought into line with a type.
 *
 * In Kubernetes: EnsureNamedFieldsAreMembers and ReconcileFieldSetWithSchema,
 * sigs.k8s.io/structured-merge-diff.
 */
import { changed, isEmptySet, isMember, LEAF, withSelf, type FieldSet } from './field-set.ts';
import { fieldTypeOf, type MergeMap, type MergeType } from './merge-type.ts';
import { isFieldElement, isKeyElement } from './path-element.ts';

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
