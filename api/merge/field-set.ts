/**
 * A set of fields of an object, in the form in which managedFields has it on the wire (FieldsV1):
 * a tree of objects whose keys are path elements, where `{}` is a field of the set, and `.` says
 * that a field is in the set along with fields within it. So what is read needs no decoding, and
 * what did not change is written as it was read.
 *
 * A set is never changed; the operations share with their operands what they have in common, and
 * give the first operand itself when nothing is different.
 *
 * In Kubernetes: Set, sigs.k8s.io/structured-merge-diff/fieldpath.
 */
import { copiedObject } from '../json/long-values.ts';
import {
  beforeLongCall,
  forEachItem,
  KEYS_A_STEP,
  mayPause,
  remembered,
  someItem,
  stepped,
} from '../json/work-in-slices.ts';

/**
 * Keys are `f:name`, `k:{"name":"a"}`, `v:"a"`, `i:0`, each in its one canonical form; see
 * path-element.ts. At the top there is no `.`: no manager owns a whole object. No field is there for
 * nothing: what is neither in the set nor has fields in it is left out.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set that is being made. */
export type GrowingFieldSet = Record<string, FieldSet>;

/** A field of the set with nothing within it, and a set of no fields. */
export const LEAF: FieldSet = Object.freeze({});
/** The empty set. Sets never change, so it is shared. */
export const NO_FIELDS: FieldSet = LEAF;

/** Says of a field that it is in the set itself. */
export const SELF = '.';

/** True for a set without paths. Trees of nothing are empty too. */
export function isEmptySet(set: FieldSet): boolean {
  if (set === LEAF) return true;
  if (mayPause()) return elementsIn(set).length === 0;
  for (const _ in set) return false;
  return true;
}

/** The elements of large sets. To list them takes long, and sets never change. */
const listed = new WeakMap<FieldSet, readonly string[]>();
const LARGE = 256;

/** Sets that are small are listed again: nearly all are, most of them leaves. */
function elementsIn(set: FieldSet): readonly string[] {
  const known = listed.get(set);
  if (known !== undefined) return known;
  beforeLongCall();
  const elements = Object.keys(set);
  if (elements.length >= LARGE) {
    listed.set(set, elements);
    stepped(elements.length / KEYS_A_STEP);
  }
  return elements;
}

/** The elements of the set, of a large one listed once; {@link remembered}. */
export function elementsOf(set: FieldSet): readonly string[] {
  return remembered(() => elementsIn(set));
}

/** Whether the field whose subtree this is is in the set. */
export function isMember(node: FieldSet): boolean {
  return SELF in node || isEmptySet(node);
}

/** Each path is a list of canonical path elements. */
export function fieldSetOf(...paths: readonly (readonly string[])[]): FieldSet {
  const set: GrowingFieldSet = {};
  for (const path of paths) insertPath(set, path);
  return set;
}

/** Puts a field into a set that is being made; the fields above it do not get in by that. */
export function insertPath(set: GrowingFieldSet, path: readonly string[]): void {
  const last = path.length - 1;
  let at = set;
  for (let index = 0; index < last; index += 1) at = grownNode(at, path[index] ?? '');
  const element = path[last];
  if (element === undefined) return;
  const node = at[element];
  if (node === undefined) at[element] = LEAF;
  else if (node !== LEAF) grownNode(at, element)[SELF] = LEAF;
}

function grownNode(set: GrowingFieldSet, element: string): GrowingFieldSet {
  const node = set[element];
  if (node !== undefined && node !== LEAF) return node;
  const grown: GrowingFieldSet = node === LEAF ? { [SELF]: LEAF } : {};
  set[element] = grown;
  return grown;
}

/** True when the path itself is in the set, not only something below it. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node = set;
  for (const element of path) {
    const within = node[element];
    if (within === undefined) return false;
    node = within;
  }
  return path.length > 0 && isMember(node);
}

/** The subtree of an element; of no fields when there is none. */
export function within(set: FieldSet, element: string): FieldSet {
  return set[element] ?? NO_FIELDS;
}

/** What is in either. */
export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other || isEmptySet(other)) return one;
  if (isEmptySet(one)) return other;
  return merged(one, other);
}

/** What is in any of them, each read once: one union after another would copy what grew so far. */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  const [first = NO_FIELDS, ...others] = sets;
  if (others.length < 2) return union(first, others[0] ?? NO_FIELDS);
  const grown = remembered((): GrowingFieldSet => ({ ...first }));
  const own = remembered(() => new Set<FieldSet>([grown]));
  forEachItem(others, (other) => {
    growBy(grown, other, own);
  });
  return grown;
}

/** @param own the subtrees that were made here and so may be changed. */
function growBy(grown: GrowingFieldSet, other: FieldSet, own: Set<FieldSet>): void {
  for (const element in other) {
    const [there, coming] = [grown[element], within(other, element)];
    if (there === undefined) grown[element] = coming;
    else if (there !== coming && element !== SELF) grown[element] = grownBy(there, coming, own);
  }
}

function grownBy(there: FieldSet, coming: FieldSet, own: Set<FieldSet>): FieldSet {
  const isComingField = isEmptySet(coming);
  const node: GrowingFieldSet = own.has(there) ? there : { ...there };
  // Of what has grown here this is known: to ask whether a large object is empty lists its keys.
  if (!own.has(there) && isEmptySet(there)) {
    if (isComingField) return there;
    node[SELF] = LEAF;
  }
  own.add(node);
  if (isComingField) node[SELF] = LEAF;
  growBy(node, coming, own);
  return node;
}

function merged(one: FieldSet, other: FieldSet): FieldSet {
  if (mayPause()) return mergedInSlices(one, other);
  let grown: GrowingFieldSet | undefined;
  for (const element of Object.keys(other)) {
    const there = one[element];
    const coming = within(other, element);
    const node = there === undefined ? coming : unionOfNodes(there, coming);
    if (node !== there) {
      grown ??= { ...one };
      grown[element] = node;
    }
  }
  return grown ?? one;
}

function mergedInSlices(one: FieldSet, other: FieldSet): FieldSet {
  const grown = remembered((): { set: GrowingFieldSet } => ({ set: one }));
  forEachItem(elementsOf(other), (element) => {
    const [there, coming] = [one[element], within(other, element)];
    const node = there === undefined ? coming : unionOfNodes(there, coming);
    if (node === there) return;
    if (grown.set === one) grown.set = copiedSet(one);
    grown.set[element] = node; // Copied here.
  });
  return grown.set;
}

function unionOfNodes(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other) return one;
  if (isEmptySet(one)) return SELF in other || isEmptySet(other) ? other : withSelf(other);
  if (isEmptySet(other)) return SELF in one ? one : withSelf(one);
  return merged(one, other);
}

/**
 * What is in the first and not in the second. A field goes only when it is itself in the second:
 * neither does it take along what is within it, nor what is above it.
 */
export function difference(set: FieldSet, minus: FieldSet): FieldSet {
  if (isEmptySet(minus)) return set;
  return changed(set, (element, node) => {
    const taken = minus[element];
    return taken === undefined ? node : differenceOfNodes(node, taken);
  });
}

function differenceOfNodes(node: FieldSet, minus: FieldSet): FieldSet | undefined {
  const isTaken = isMember(minus);
  if (isEmptySet(node)) return isTaken ? undefined : node;
  if (!isTaken) return nodeOf(difference(node, minus));
  return nodeOf(difference(withoutSelf(node), minus));
}

/** What is in the first, but for the fields of the second and everything within them. */
export function recursiveDifference(set: FieldSet, minus: FieldSet): FieldSet {
  if (isEmptySet(minus)) return set;
  return changed(set, (element, node) => {
    const taken = minus[element];
    if (taken === undefined) return node;
    if (isMember(taken)) return undefined;
    return isEmptySet(node) ? node : nodeOf(recursiveDifference(node, taken));
  });
}

/** What is in both. */
export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  return changed(one, (element, node) => {
    const there = other[element];
    return there === undefined ? undefined : intersectionOfNodes(node, there);
  });
}

function intersectionOfNodes(one: FieldSet, other: FieldSet): FieldSet | undefined {
  const isIn = isMember(one) && isMember(other);
  if (isEmptySet(one) || isEmptySet(other)) return isIn ? LEAF : undefined;
  const inner = intersection(withoutSelf(one), withoutSelf(other));
  if (!isIn) return nodeOf(inner);
  return isEmptySet(inner) ? LEAF : withSelf(inner);
}

/** Whether they have a field in common. */
export function doesIntersect(one: FieldSet, other: FieldSet): boolean {
  if (mayPause())
    return someItem(elementsOf(other), (element) => doesIntersectAt(element, one, other));
  for (const element in other) {
    if (doesIntersectAt(element, one, other)) return true;
  }
  return false;
}

function doesIntersectAt(element: string, one: FieldSet, other: FieldSet): boolean {
  const [node, there] = [one[element], other[element]];
  if (element === SELF || node === undefined || there === undefined) return false;
  return (isMember(node) && isMember(there)) || doesIntersect(node, there);
}

/** Whether every field of the first is in the second. */
export function isSubset(one: FieldSet, other: FieldSet): boolean {
  if (mayPause()) return !someItem(elementsOf(one), (element) => !isSubsetAt(element, one, other));
  for (const element in one) {
    if (!isSubsetAt(element, one, other)) return false;
  }
  return true;
}

function isSubsetAt(element: string, one: FieldSet, other: FieldSet): boolean {
  if (element === SELF) return true;
  const [node, there] = [within(one, element), other[element]];
  if (there === undefined || (isMember(node) && !isMember(there))) return false;
  return isSubset(node, there);
}

type Change = (element: string, node: FieldSet) => FieldSet | undefined;

/**
 * The set with every subtree as `change` gives it, undefined being none; the set itself when all
 * stay. A field's own membership stays.
 */
export function changed(set: FieldSet, change: Change): FieldSet {
  if (mayPause()) return changedInSlices(set, change);
  let result: GrowingFieldSet | undefined;
  for (const element in set) {
    const node = within(set, element);
    const kept = element === SELF ? node : change(element, node);
    if (result === undefined) {
      if (kept === node) continue;
      result = fieldsBefore(set, element);
    }
    if (kept !== undefined) result[element] = kept;
  }
  return result ?? set;
}

interface ChangedSet {
  readonly set: GrowingFieldSet;
  isChanged: boolean;
}

function changedInSlices(set: FieldSet, change: Change): FieldSet {
  const result = remembered((): ChangedSet => ({ set: {}, isChanged: false }));
  forEachItem(elementsOf(set), (element) => {
    const node = within(set, element);
    const kept = element === SELF ? node : change(element, node);
    if (kept !== node) result.isChanged = true;
    if (kept !== undefined) result.set[element] = kept;
  });
  return result.isChanged ? result.set : set;
}

/** The fields within a field, and the field itself. */
export function withSelf(set: FieldSet): FieldSet {
  return copiedSet(set, { [SELF]: LEAF });
}

function copiedSet(set: FieldSet, first: FieldSet = NO_FIELDS): GrowingFieldSet {
  return copiedObject(set, first) as GrowingFieldSet; // Values of a set are sets.
}

/** A set that begins as the other one does up to that element. */
export function fieldsBefore(set: FieldSet, end: string): GrowingFieldSet {
  const result: GrowingFieldSet = {};
  for (const element in set) {
    if (element === end) break;
    result[element] = within(set, element);
  }
  return result;
}

/** The subtree as it may stand in a set: none for nothing, and no `.` where it says nothing. */
export function nodeOf(subtree: FieldSet): FieldSet | undefined {
  if (mayPause() && elementsIn(subtree).length > 1) return subtree;
  let elements = 0;
  for (const _ in subtree) {
    if (++elements > 1) return subtree;
  }
  if (elements === 0) return undefined;
  return SELF in subtree ? LEAF : subtree;
}

/** The same without the field itself. */
export function withoutSelf(node: FieldSet): FieldSet {
  if (!(SELF in node)) return node;
  if (!mayPause()) {
    const { [SELF]: _, ...rest } = node;
    return rest;
  }
  const rest = copiedSet(node);
  Reflect.deleteProperty(rest, SELF);
  return rest;
}
