/**
 * Which revision gave each field the value it has now. A field that was taken away and set again
 * has the later one; an object that was deleted and created again begins anew.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import {
  type FieldPath,
  type FieldSchema,
  type FieldStep,
  namedElements,
  schemaOfObject,
} from './field-path.ts';
import { definedKeys, sameJson } from './field-changes.ts';

/** A value, what set it, and the same of what is inside. */
export interface BlamedValue<Revision> {
  /** The value as it is now. */
  readonly value: JsonValue;
  /** For an object or a list: the one since which it is there. */
  readonly revision: Revision;
  /** What it consists of, in order; undefined for a scalar. */
  readonly parts: readonly BlamedPart<Revision>[] | undefined;
}

export interface BlamedPart<Revision> extends BlamedValue<Revision> {
  readonly step: FieldStep;
}

export interface BlamedField<Revision> {
  readonly path: FieldPath;
  readonly value: JsonValue;
  readonly revision: Revision;
}

interface Step<Revision> {
  readonly revision: Revision;
  /** undefined: it did not exist any more. */
  readonly object: JsonObject | undefined;
}

/** @returns undefined when the object does not exist at the end of the steps. */
export function blame<Revision>(
  steps: Iterable<Step<Revision>>,
): BlamedValue<Revision> | undefined {
  let blamed: BlamedValue<Revision> | undefined;
  for (const { revision, object } of steps) {
    if (object === undefined) blamed = undefined;
    else blamed = goOn(blamed, object, schemaOfObject(object), revision);
  }
  return blamed;
}

/** Every scalar, and every object or list that has nothing inside. */
export function blamedFields<Revision>(
  blamed: BlamedValue<Revision>,
  path: FieldPath = [],
): BlamedField<Revision>[] {
  const { value, revision, parts } = blamed;
  if (parts === undefined || parts.length === 0) return [{ path, value, revision }];
  return parts.flatMap((part) => blamedFields(part, [...path, part.step]));
}

function goOn<Revision>(
  before: BlamedValue<Revision> | undefined,
  value: JsonValue,
  schema: FieldSchema | undefined,
  revision: Revision,
): BlamedValue<Revision> {
  if (before !== undefined && sameJson(before.value, value)) return { ...before, value };
  const isSameShape = before !== undefined && shapeOf(before.value) === shapeOf(value);
  // What was emptied is a new value; all else inside is older or newer by itself.
  const since = isSameShape && hasParts(value) ? before.revision : revision;
  const partBefore = partsByName(isSameShape ? before : undefined, schema);
  const part = (step: FieldStep, name: string, inside: JsonValue): BlamedPart<Revision> => {
    const itemSchema = typeof step === 'string' ? schema?.field(step) : schema?.items;
    return { step, ...goOn(partBefore.get(name), inside, itemSchema, revision) };
  };
  if (Array.isArray(value))
    return { value, revision: since, parts: listParts(value, schema, part) };
  if (!isJsonObject(value)) return { value, revision: since, parts: undefined };
  const parts = definedKeys(value).map((key) => part(key, key, value[key] ?? null));
  return { value, revision: since, parts };
}

function listParts<Part>(
  list: readonly JsonValue[],
  schema: FieldSchema | undefined,
  part: (step: FieldStep, name: string, inside: JsonValue) => Part,
): Part[] {
  const named = namedElements(list, schema);
  if (named === undefined) {
    return list.map((inside, place) => part(place, String(place), inside));
  }
  return [...named].map(([key, { name, value }]) => part(name, key, value));
}

function partsByName<Revision>(
  before: BlamedValue<Revision> | undefined,
  schema: FieldSchema | undefined,
): ReadonlyMap<string, BlamedPart<Revision>> {
  const parts = before?.parts ?? [];
  const value = before?.value;
  if (!Array.isArray(value)) return new Map(parts.map((part) => [fieldNameOf(part.step), part]));
  const names = [...(namedElements(value, schema)?.keys() ?? value.keys())].map(String);
  return new Map(parts.map((part, place) => [names[place] ?? '', part]));
}

function hasParts(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) && definedKeys(value).length > 0;
}

function shapeOf(value: JsonValue): 'object' | 'list' | 'scalar' {
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'object' : 'scalar';
}

/** Of a part of an object, which is a key. */
function fieldNameOf(step: FieldStep): string {
  return typeof step === 'string' ? step : '';
}
