/**
 * Whether a value that was stored once has all that its type has now: what Go writes whether it was
 * set or not. It is a look at those fields alone, compiled once per type, and far less than decoding.
 *
 * The surprise: it says nothing of what is there besides. A value that lacks nothing may still have
 * fields that the type does not know, or of another kind than it says.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { someItem, someKey } from '../json/work-in-slices.ts';
import type { FieldType } from './field-type.ts';
import { jsonFieldsOf } from './type-facts.ts';
import { isLeftOut, typedCodec, zeroValueOf } from './typed-json.ts';

type Whole = (value: JsonValue) => boolean;

interface ShapeField {
  readonly name: string;
  /** Go writes it always. */
  readonly isWritten: boolean;
  /** It is written as null where it was not set. */
  readonly mayBeNull: boolean;
  /** undefined: all that is in it may be left out. */
  readonly isWhole: Whole | undefined;
}

const shapes = new Map<string, Whole>();
const withShape = new Set<string>();

/**
 * The value in the shape that decoding gives: itself where it lacks nothing, else decoded, which
 * gives a new object. What does not fit the type at all is given back as it is.
 */
export function inDeclaredShape(typeId: string, value: JsonObject): JsonObject {
  if (shapeOf(typeId)(value)) return value;
  const decoded = typedCodec(typeId).decode(value);
  return decoded.ok ? decoded.value : value;
}

function shapeOf(typeId: string): Whole {
  let whole = shapes.get(typeId);
  if (whole === undefined) shapes.set(typeId, (whole = compileShape(typeId)));
  return whole;
}

function compileShape(typeId: string): Whole {
  const fields = jsonFieldsOf(typeId).flatMap((field): ShapeField[] => {
    const { name, type } = field;
    const isWritten = !isLeftOut(field);
    const isWhole = wholeOf(type);
    if (!isWritten && isWhole === undefined) return [];
    return [{ name, isWritten, mayBeNull: zeroValueOf(type)() === null, isWhole }];
  });
  return (value) => {
    if (!isJsonObject(value)) return false;
    for (const field of fields) if (!isWholeField(field, value)) return false;
    return true;
  };
}

function isWholeField(field: ShapeField, object: JsonObject): boolean {
  const value = object[field.name];
  if (value === undefined) return !field.isWritten;
  if (value === null) return field.isWritten && field.mayBeNull;
  return field.isWhole === undefined || field.isWhole(value);
}

function wholeOf(type: FieldType): Whole | undefined {
  if (type.kind === 'message') return hasShape(type.id) ? messageShape(type.id) : undefined;
  if (type.kind !== 'list' && type.kind !== 'map') return undefined;
  const isWhole = wholeOf(type.of);
  if (isWhole === undefined) return undefined;
  return type.kind === 'list'
    ? (value) => Array.isArray(value) && !someItem(value, (item) => !isWhole(item))
    : (value) => isJsonObject(value) && !someKey(value, (key) => !isWhole(value[key] ?? null));
}

/** Messages refer to each other and to themselves, so each is compiled when it is first met. */
function messageShape(id: string): Whole {
  let compiled: Whole | undefined;
  return (value) => {
    compiled ??= shapeOf(id);
    return compiled(value);
  };
}

/** Whether there is a field, however deep, that Go writes always. */
function hasShape(typeId: string, seen = new Set<string>()): boolean {
  if (withShape.has(typeId)) return true;
  if (seen.has(typeId)) return false;
  seen.add(typeId);
  const found = jsonFieldsOf(typeId).some((field) => {
    const inner = innermost(field.type);
    return !isLeftOut(field) || (inner.kind === 'message' && hasShape(inner.id, seen));
  });
  if (found) withShape.add(typeId);
  return found;
}

function innermost(type: FieldType): FieldType {
  return type.kind === 'list' || type.kind === 'map' ? innermost(type.of) : type;
}
