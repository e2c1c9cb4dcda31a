/**
 * Field sets as they are read from and written to `fieldsV1`. Since a set has the same form, both
 * only look whether everything is in order, and give what they were given if it is.
 *
 * In Kubernetes: FromJSON and ToJSON of Set, sigs.k8s.io/structured-merge-diff/fieldpath.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import {
  rememberedOf,
  someItem,
  forEachItem,
  mayPause,
  remembered,
  someKey,
  stepped,
} from '../json/work-in-slices.ts';
import { DEPTH_MAX } from '../json/json-tree.ts';
import {
  changed,
  fieldsBefore,
  elementsOf,
  isEmptySet,
  LEAF,
  NO_FIELDS,
  nodeOf,
  SELF,
  within,
  withoutSelf,
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
  if (mayPause()) return sortLargeSet(set);
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

function sortLargeSet(set: FieldSet): FieldSet {
  const elements = elementsOf(set);
  if (remembered(() => isSorted(elements))) {
    return changed(set, (_, node) => (node === LEAF ? node : sortFields(node)));
  }
  const sorted = remembered((): GrowingFieldSet => ({}));
  forEachItem(inOrder(elements), (element) => {
    const node = within(set, element);
    sorted[element] = node === LEAF ? node : sortFields(node);
  });
  return sorted;
}

/** Keys and values are read to be compared. */
const COMPARISON_STEPS = 3;

function isSorted(elements: readonly string[]): boolean {
  return !someItem(elements, (element, at) => {
    stepped(COMPARISON_STEPS);
    return at > 0 && compareInNode(elements[at - 1] ?? '', element) >= 0;
  });
}

function inOrder(elements: readonly string[]): string[] {
  const others = rememberedOf([elements], () => elements.filter((element) => element !== SELF));
  const sorted = sortedElements(others);
  return sorted.length < elements.length ? remembered(() => [SELF, ...sorted]) : sorted;
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
  if (mayPause()) {
    if (someKey(json, (element) => !isCanonicalAt(element, json, depthMax))) return false;
  } else {
    for (const element in json) {
      if (!isCanonicalAt(element, json, depthMax)) return false;
    }
  }
  return !(SELF in json) || nodeOf(asSet(json)) !== LEAF;
}

function isCanonicalAt(element: string, json: JsonObject, depthMax: number): boolean {
  const node = json[element];
  if (!isJsonObject(node)) return false;
  if (element === SELF) return isEmptySet(asSet(node));
  if (canonicalElement(element) !== element) return false;
  if (isEmptySet(asSet(node))) return true;
  return depthMax > 0 && isCanonical(node, depthMax - 1);
}

/** undefined for what is no field set, and for one that is too deep. */
function readLoosely(json: JsonObject, depthMax: number): FieldSet | undefined {
  if (depthMax === 0) return undefined;
  const set = remembered((): GrowingFieldSet => ({}));
  const isBad = someKey(json, (text) => {
    const element = text === SELF ? text : canonicalElement(text);
    if (element === undefined) return false;
    const node = element === SELF ? LEAF : readNode(json[text] ?? null, depthMax - 1);
    if (element === null || node === undefined) return true;
    set[element] = node;
    return false;
  });
  return isBad ? undefined : set;
}

function readNode(value: JsonValue, depthMax: number): FieldSet | undefined {
  if (value === null) return LEAF;
  if (!isJsonObject(value)) return undefined;
  const set = readLoosely(value, depthMax);
  return set === undefined ? undefined : (nodeOf(set) ?? LEAF);
}

function compareInNode(left: string, right: string): number {
  if (left === SELF) return right === SELF ? 0 : -1;
  return right === SELF ? 1 : compareElements(left, right);
}
