/**
 * Field sets as they are read from and written to `fieldsV1`. Since a set has the same form, both
 * only look whether everything is in order, and give what they were given if it is.
 *
 * In Kubernetes: FromJSON and ToJSON of Set, sigs.k8s.io/structured-merge-diff/fieldpath.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { PART, type Parts } from '../json/parts.ts';
import { DEPTH_MAX } from '../json/json-tree.ts';
import {
  fieldsBefore,
  isEmptySet,
  LEAF,
  NO_FIELDS,
  nodeOf,
  SELF,
  within,
  type FieldSet,
  type GrowingFieldSet,
} from './field-set.ts';
import { canonicalElement, compareElements, sortedElements } from './path-element.ts';

/**
 * Elements of unknown kinds are left out: a later version may know them.
 *
 * @returns undefined when it is no field set.
 */
export function readFieldsV1(json: JsonValue | undefined): FieldSet | undefined {
  if (json === undefined || json === null) return NO_FIELDS;
  if (!isJsonObject(json)) return undefined;
  if (!(SELF in json) && isCanonical(json, DEPTH_MAX)) return asSet(json);
  const set = readLoosely(json, DEPTH_MAX);
  return set === undefined ? undefined : withoutSelf(set);
}

/** The set with its fields in their order, as `fieldsV1` has them; itself when they are. */
export function sortFields(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  let result: GrowingFieldSet | undefined;
  if (!isSorted(elements)) result = {};
  for (const element of result === undefined ? elements : inOrder(elements)) {
    const node = within(set, element);
    const kept = node === LEAF ? node : sortFields(node);
    if (result === undefined && kept !== node) result = fieldsBefore(set, element);
    if (result !== undefined) result[element] = kept;
  }
  return result ?? set;
}

/** The same with others having their turn after each part of a large set. */
export function* sortFieldsInParts(set: FieldSet): Parts<FieldSet> {
  const elements = Object.keys(set);
  if (elements.length > PART) yield;
  const areSorted = isSorted(elements);
  let result: GrowingFieldSet | undefined = areSorted ? undefined : {};
  let met = 0;
  for (const element of areSorted ? elements : inOrder(elements)) {
    met += 1;
    if (met % PART === 0) yield;
    const node = within(set, element);
    const kept = node === LEAF ? node : yield* sortFieldsInParts(node);
    if (result === undefined && kept !== node) result = fieldsBefore(set, element);
    if (result !== undefined) result[element] = kept;
  }
  return result ?? set;
}

function isSorted(elements: readonly string[]): boolean {
  return elements.every((element, at) => {
    return at === 0 || compareInNode(elements[at - 1] ?? '', element) < 0;
  });
}

function inOrder(elements: readonly string[]): string[] {
  const sorted = sortedElements(elements.filter((element) => element !== SELF));
  return sorted.length < elements.length ? [SELF, ...sorted] : sorted;
}

/** A set is JSON; it must not be changed all the same. */
export function asJson(set: FieldSet): JsonObject {
  return set;
}

/** Of an entry that this server stored, and so is canonical; no set: no fields. */
export function storedSet(json: JsonValue | undefined): FieldSet {
  return isJsonObject(json) ? asSet(json) : NO_FIELDS;
}

/** What was seen to be canonical is a set. */
function asSet(json: JsonObject): FieldSet {
  return json as unknown as FieldSet;
}

function isCanonical(json: JsonObject, depthMax: number): boolean {
  let isSelfAlone = false;
  for (const element in json) {
    const node = json[element];
    if (!isJsonObject(node)) return false;
    if (element === SELF) {
      if (!isEmptySet(asSet(node))) return false;
      isSelfAlone = nodeOf(asSet(json)) === LEAF;
      continue;
    }
    if (canonicalElement(element) !== element) return false;
    if (isEmptySet(asSet(node))) continue;
    if (depthMax === 0 || !isCanonical(node, depthMax - 1)) return false;
  }
  return !isSelfAlone;
}

/** undefined for what is no field set, and for one that is too deep. */
function readLoosely(json: JsonObject, depthMax: number): FieldSet | undefined {
  const set: GrowingFieldSet = {};
  if (depthMax === 0) return undefined;
  for (const [text, value] of Object.entries(json)) {
    const element = text === SELF ? text : canonicalElement(text);
    if (element === null) return undefined;
    if (element === undefined) continue;
    const node = element === SELF ? LEAF : readNode(value ?? null, depthMax - 1);
    if (node === undefined) return undefined;
    set[element] = node;
  }
  return set;
}

function readNode(value: JsonValue, depthMax: number): FieldSet | undefined {
  if (value === null) return LEAF;
  if (!isJsonObject(value)) return undefined;
  const set = readLoosely(value, depthMax);
  return set === undefined ? undefined : (nodeOf(set) ?? LEAF);
}

function withoutSelf(set: FieldSet): FieldSet {
  const { [SELF]: _, ...rest } = set;
  return rest;
}

function compareInNode(left: string, right: string): number {
  if (left === SELF) return right === SELF ? 0 : -1;
  return right === SELF ? 1 : compareElements(left, right);
}
