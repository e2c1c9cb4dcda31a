/**
 * What is different between two states of an object, field by field, so that the first and the
 * differences give the second. The order of keys is no difference.
 *
 * Elements of a list whose type says by which field they are known are compared with their
 * namesakes; the elements of other lists, and of lists where a name stands twice, by their place.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { setOwn } from '../../api/json/own-property.ts';
import {
  type ElementName,
  type FieldPath,
  type FieldSchema,
  type FieldStep,
  namedElements,
} from './field-path.ts';

export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((one, index) => sameJson(one, b[index]));
  }
  const keys = definedKeys(a);
  if (keys.length !== definedKeys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** The keys that stand in the JSON: `undefined` does not. */
export function definedKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

/** `reordered`: the elements of a list are the same by name and stand in another order. */
export type FieldChange =
  | { readonly kind: 'added'; readonly path: FieldPath; readonly after: JsonValue }
  | { readonly kind: 'removed'; readonly path: FieldPath; readonly before: JsonValue }
  | {
      readonly kind: 'changed';
      readonly path: FieldPath;
      readonly before: JsonValue;
      readonly after: JsonValue;
    }
  | {
      readonly kind: 'reordered';
      readonly path: FieldPath;
      readonly order: readonly ElementName[];
    };

/** What became of `before`, in the order of its fields; what is new comes behind them. */
export function fieldChanges(
  before: JsonObject,
  after: JsonObject,
  schema: FieldSchema | undefined,
): FieldChange[] {
  const changes: FieldChange[] = [];
  compare({ before, after, schema, path: [] }, changes);
  return changes;
}

interface Pair<Value> {
  readonly before: Value;
  readonly after: Value;
  readonly schema: FieldSchema | undefined;
  readonly path: FieldPath;
}

function compare({ before, after, schema, path }: Pair<JsonValue>, changes: FieldChange[]): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    compareObjects({ before, after, schema, path }, changes);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareLists({ before, after, schema, path }, changes);
  } else if (!sameJson(before, after)) {
    changes.push({ kind: 'changed', path, before, after });
  }
}

function compareObjects(pair: Pair<JsonObject>, changes: FieldChange[]): void {
  const { before, after, schema, path } = pair;
  for (const key of definedKeys(before)) {
    const here = [...path, key];
    const was = before[key];
    const is = Object.hasOwn(after, key) ? after[key] : undefined;
    if (was === undefined) continue;
    if (is === undefined) changes.push({ kind: 'removed', path: here, before: was });
    else compare({ before: was, after: is, schema: schema?.field(key), path: here }, changes);
  }
  for (const key of definedKeys(after)) {
    const is = after[key];
    const isNew = !Object.hasOwn(before, key) || before[key] === undefined;
    if (isNew && is !== undefined) {
      changes.push({ kind: 'added', path: [...path, key], after: is });
    }
  }
}

function compareLists(pair: Pair<JsonValue[]>, changes: FieldChange[]): void {
  const { before, after, schema, path } = pair;
  const was = namedElements(before, schema);
  const is = was === undefined ? undefined : namedElements(after, schema);
  if (was === undefined || is === undefined) {
    comparePlaces(pair, changes);
    return;
  }
  const order: string[] = [];
  for (const [key, { name, value }] of was) {
    const here = [...path, name];
    const found = is.get(key);
    if (found === undefined) {
      changes.push({ kind: 'removed', path: here, before: value });
      continue;
    }
    order.push(key);
    compare({ before: value, after: found.value, schema: schema?.items, path: here }, changes);
  }
  for (const [key, { name, value }] of is) {
    if (was.has(key)) continue;
    order.push(key);
    changes.push({ kind: 'added', path: [...path, name], after: value });
  }
  const wanted = [...is.keys()];
  if (order.some((key, index) => key !== wanted[index])) {
    changes.push({ kind: 'reordered', path, order: [...is.values()].map(({ name }) => name) });
  }
}

function comparePlaces({ before, after, schema, path }: Pair<JsonValue[]>, changes: FieldChange[]) {
  for (const [place, was] of before.entries()) {
    const here = [...path, place];
    const is = after[place];
    if (is === undefined) changes.push({ kind: 'removed', path: here, before: was });
    else compare({ before: was, after: is, schema: schema?.items, path: here }, changes);
  }
  for (let place = before.length; place < after.length; place += 1) {
    changes.push({ kind: 'added', path: [...path, place], after: after[place] ?? null });
  }
}

/**
 * The second state out of the first one and the changes. The first stays as it is.
 *
 * @throws Error when a change is not one of this object.
 */
export function applyChanges(before: JsonObject, changes: readonly FieldChange[]): JsonObject {
  const whole: JsonObject = structuredClone(before);
  // Elements go from the back, so that the places of those in front stay what they were.
  const removals = changes.filter(({ kind }) => kind === 'removed').reverse();
  const reorderings = changes.filter(({ kind }) => kind === 'reordered');
  const others = changes.filter(({ kind }) => kind === 'added' || kind === 'changed');
  for (const change of [...others, ...removals, ...reorderings]) applyOne(whole, change);
  return whole;
}

function applyOne(whole: JsonObject, change: FieldChange): void {
  if (change.kind === 'reordered') {
    reorder(listAtPath(whole, change.path), change.order);
    return;
  }
  const last = change.path.at(-1);
  if (last === undefined) throw new Error('the whole object cannot be a change of itself');
  const parent = valueAtPath(whole, change.path.slice(0, -1));
  if (Array.isArray(parent)) setElement(parent, last, change);
  else if (isJsonObject(parent) && typeof last === 'string') setField(parent, last, change);
  else throw new Error('there is nothing where the change has happened');
}

type ValueChange = Exclude<FieldChange, { kind: 'reordered' }>;

function setField(parent: JsonObject, key: string, change: ValueChange): void {
  // Own keys alone; a prototype is never looked at.
  if (change.kind === 'removed') Reflect.deleteProperty(parent, key);
  else setOwn(parent, key, structuredClone(change.after));
}

function setElement(list: JsonValue[], step: FieldStep, change: ValueChange): void {
  const place = change.kind === 'added' ? list.length : placeOf(list, step);
  if (change.kind === 'removed') list.splice(place, 1);
  else list[place] = structuredClone(change.after);
}

function placeOf(list: readonly JsonValue[], step: FieldStep): number {
  if (typeof step === 'number') return step;
  if (typeof step === 'string') throw new Error(`a list has no field ${step}`);
  const place = list.findIndex(
    (element) =>
      isJsonObject(element) &&
      step.keys.every(([field, value]) => ownValue(element, field) === value),
  );
  if (place < 0) throw new Error('there is no element of that name');
  return place;
}

function reorder(list: JsonValue[], order: readonly ElementName[]): void {
  const sorted = order.map((name) => list[placeOf(list, name)] ?? null);
  list.splice(0, list.length, ...sorted);
}

function listAtPath(whole: JsonObject, path: FieldPath): JsonValue[] {
  const found = valueAtPath(whole, path);
  if (Array.isArray(found)) return found;
  throw new Error('there is no list where the order has changed');
}

function valueAtPath(whole: JsonObject, path: FieldPath): JsonValue | undefined {
  let here: JsonValue | undefined = whole;
  for (const step of path) {
    if (Array.isArray(here)) here = here[placeOf(here, step)];
    else if (isJsonObject(here) && typeof step === 'string') here = ownValue(here, step);
    else return undefined;
  }
  return here;
}

function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
