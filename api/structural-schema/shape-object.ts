/**
 * Brings an object into the shape that its schema has: fields that the schema does not know go,
 * null goes where it may not be and nothing would replace it, metadata of embedded objects is read
 * as metadata. Compiled into closures that give back what needs no change as it is; which fields
 * went, and what cannot be read, is said by explain-shape.ts, in a second pass.
 *
 * The surprise is where unknown fields are preserved: only until a field is known again.
 *
 * In Kubernetes: unstructuredSchemaCoercer, with the pruning, defaulting and objectmeta packages of
 * apiextensions-apiserver/pkg/apiserver/schema.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { isDeeperThan } from '../json/json-tree.ts';
import { setOwn } from '../json/own-property.ts';
import {
  forEachItem,
  forEachKey,
  mayPause,
  remembered,
  someKey,
  undivided,
} from '../json/work-in-slices.ts';
import { readMetadata, readWhatCanBe } from './embedded-metadata.ts';
import { fieldSchema } from './schema-traits.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface ShapeRun {
  /** Of what lies in the store already: what cannot be read goes, and is no error. */
  readonly lenient: boolean;
  /** Of a default: what is null in it was meant to be. Of what an apply made: it is left for the type to refuse. */
  readonly keepsNull: boolean | 'for its type';
  /** Whether there was what the schema does not know. */
  hasUnknown: boolean;
  /** Whether there was what metadata does not have. */
  hasUnknownMetadata: boolean;
  failed: boolean;
  isTooDeep: boolean;
}

/** The state of one walk over an object. */
export function newShapeRun({
  lenient,
  keepsNull = false,
}: Pick<ShapeRun, 'lenient'> & Partial<Pick<ShapeRun, 'keepsNull'>>): ShapeRun {
  const found = { hasUnknown: false, hasUnknownMetadata: false, failed: false, isTooDeep: false };
  return { lenient, keepsNull, ...found };
}

/** undefined: the field goes. */
export type Shape = (value: JsonValue, run: ShapeRun) => JsonValue | undefined;

/** Of a part that no schema describes. */
const DEPTH_MAX = 500;

/** True for the fields that every object has, which no schema prunes. */
export function isMetaField(name: string): boolean {
  return name === 'metadata' || name === 'kind' || name === 'apiVersion';
}

/**
 * @param keeps what the schema does not know stays, because the schema around says so of lists of
 *   such values.
 */
export function compileShape(schema: StructuralSchema | undefined, keeps = false): Shape {
  if (schema === undefined) return keeps ? keepWhole : emptied;
  const isKept = keeps || schema.extensions.preserveUnknownFields;
  const fieldShape = fieldShapes(schema, isKept);
  let item: Shape | undefined;
  return (value, run) => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return shapeObject(value, fieldShape, run);
    item ??= undivided(() => compileShape(schema.items, isKept));
    return shapeList(value, item, run);
  };
}

function keepWhole(value: JsonValue, run: ShapeRun): JsonValue {
  if (isDeeperThan(value, DEPTH_MAX)) run.isTooDeep = true;
  return value;
}

/** Objects that nothing is known of lose all fields; lists of them stay lists. */
function emptied(value: JsonValue, run: ShapeRun): JsonValue {
  if (isDeeperThan(value, DEPTH_MAX)) {
    run.isTooDeep = true;
    return null;
  }
  return emptiedWithin(value, run);
}

function emptiedWithin(value: JsonValue, run: ShapeRun): JsonValue {
  if (Array.isArray(value)) return shapeList(value, emptiedWithin, run);
  return isJsonObject(value) ? shapeObject(value, () => drop, run) : value;
}

function drop(_value: JsonValue, run: ShapeRun): undefined {
  run.hasUnknown = true;
  return undefined;
}

/** The shape of each field, made when an object first has the field; those not known share one. */
function fieldShapes(schema: StructuralSchema, isKept: boolean): (name: string) => Shape {
  const shapes = new Map<string, Shape>();
  const { properties, additionalProperties } = schema;
  const others = otherFields(additionalProperties, isKept);
  return (name) => {
    const known = shapes.get(name);
    if (known !== undefined) return known;
    const property = properties.get(name);
    const isMeta = schema.extensions.embeddedResource && isMetaField(name);
    if (property === undefined && !isMeta) return others;
    const shape = isMeta ? metaShape(schema, name) : withoutNull(property);
    shapes.set(name, shape);
    return shape;
  };
}

function otherFields(others: StructuralSchema | true | undefined, isKept: boolean): Shape {
  if (others === true) return emptied;
  if (others !== undefined) return withoutNull(others);
  return isKept ? keepWhole : drop;
}

function withoutNull(schema: StructuralSchema | undefined): Shape {
  const dropsNull = dropsNullAt(schema);
  let shape: Shape | undefined;
  return (value, run) => {
    if (value === null) return dropsNull && !keepsNullOf(schema, run) ? undefined : null;
    shape ??= undivided(() => compileShape(schema));
    return shape(value, run);
  };
}

/** What has no type is not refused. */
function keepsNullOf(schema: StructuralSchema | undefined, { keepsNull }: ShapeRun): boolean {
  if (keepsNull !== 'for its type') return keepsNull;
  return schema !== undefined && (schema.type !== '' || schema.extensions.intOrString);
}

/** Where a null stands for nothing, and no default replaces it. */
export function dropsNullAt(schema: StructuralSchema | undefined): boolean {
  return schema !== undefined && !schema.nullable && schema.default === undefined;
}

function metaShape(embedded: StructuralSchema, name: string): Shape {
  const dropsNull = dropsNullAt(fieldSchema(embedded, name));
  const read = name === 'metadata' ? shapeMetadata : shapeTypeMeta;
  return (value, run) =>
    value === null && dropsNull && run.keepsNull !== true ? undefined : read(value, run);
}

function shapeTypeMeta(value: JsonValue, run: ShapeRun): JsonValue | undefined {
  if (typeof value === 'string') return value;
  run.failed ||= !run.lenient;
  return undefined;
}

function shapeMetadata(value: JsonValue, run: ShapeRun): JsonValue | undefined {
  const read = readMetadata(value);
  if (read.ok) {
    run.hasUnknownMetadata ||= read.unknown.length > 0;
    return read.metadata;
  }
  run.failed ||= !run.lenient;
  // What is no metadata at all is left for the validation to refuse.
  return readWhatCanBe(value) ?? value;
}

function shapeObject(
  object: JsonObject,
  shapeOf: (name: string) => Shape,
  run: ShapeRun,
): JsonObject {
  if (mayPause()) return shapeLargeObject(object, shapeOf, run);
  let changed: JsonObject | undefined;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const shaped = shapeOf(name)(value, run);
    if (changed === undefined && shaped !== value) changed = fieldsBefore(object, name);
    if (changed !== undefined && shaped !== undefined) setOwn(changed, name, shaped);
  }
  return changed ?? object;
}

function shapeLargeObject(
  object: JsonObject,
  shapeOf: (name: string) => Shape,
  run: ShapeRun,
): JsonObject {
  const made = remembered(() => ({ object }));
  forEachKey(object, (name) => {
    const value = object[name];
    if (value === undefined) return;
    const shaped = shapeOf(name)(value, run);
    if (made.object === object && shaped !== value) made.object = fieldsBefore(object, name);
    if (made.object !== object && shaped !== undefined) setOwn(made.object, name, shaped);
  });
  return made.object;
}

function fieldsBefore(object: JsonObject, end: string): JsonObject {
  const fields = remembered((): JsonObject => ({}));
  someKey(object, (name) => {
    if (name === end) return true;
    const value = object[name];
    if (value !== undefined) setOwn(fields, name, value);
    return false;
  });
  return fields;
}

function shapeList(list: JsonValue[], shapeItem: Shape, run: ShapeRun): JsonValue[] {
  if (mayPause()) return shapeLargeList(list, shapeItem, run);
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const shaped = shapeItem(item, run) ?? null;
    if (changed === undefined && shaped !== item) changed = list.slice(0, index);
    changed?.push(shaped);
  }
  return changed ?? list;
}

function shapeLargeList(list: JsonValue[], shapeItem: Shape, run: ShapeRun): JsonValue[] {
  const made = remembered(() => ({ list }));
  forEachItem(list, (given, index) => {
    const item = given ?? null;
    const shaped = shapeItem(item, run) ?? null;
    if (shaped === item) return;
    if (made.list === list) made.list = list.slice();
    made.list[index] = shaped;
  });
  return made.list;
}
