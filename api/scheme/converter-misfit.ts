/**
 * Why a value of maps and lists cannot become a struct, in the words and the order of the converter that
 * upstream has beside its JSON decoder: it goes by the fields of the struct, stops at the first that does
 * not fit, and speaks of Go's kinds.
 *
 * In Kubernetes: fromUnstructured, apimachinery/pkg/runtime/converter.go.
 */
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { compareGoStrings } from '../json/go-format.ts';
import { ownKeys, ownValue } from '../json/own-property.ts';
import { type FieldType, isSpecialType, type ScalarName } from './field-type.ts';
import { goTypeName, typeFacts } from './type-facts.ts';
import { specialError } from './typed-json-errors.ts';
import { illegalBase64At } from './typed-json-scalars.ts';

/** undefined: the converter has nothing against it. */
export function converterMisfit(value: JsonObject, typeId: string): string | undefined {
  return messageMisfit(value, typeId);
}

function messageMisfit(value: JsonValue, typeId: string): string | undefined {
  if (!isJsonObject(value)) return `cannot restore struct from: ${goKind(value)}`;
  for (const { name, type, inline } of typeFacts(typeId).fields) {
    const isInlined = inline && type.kind === 'message';
    const misfit = isInlined
      ? messageMisfit(value, type.id)
      : misfitOf(ownValue(value, name) ?? null, type);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function misfitOf(value: JsonValue, type: FieldType): string | undefined {
  if (value === null) return undefined;
  if (isSpecialType(type)) return specialError(value, type.kind);
  switch (type.kind) {
    case 'scalar':
      return scalarMisfit(value, type, type.scalar);
    case 'bytes':
      return bytesMisfit(value);
    case 'list':
      return Array.isArray(value)
        ? firstMisfit(value, type.of)
        : `cannot restore slice from ${goKind(value)}`;
    case 'map':
      return isJsonObject(value)
        ? firstMisfit(valuesOf(value), type.of)
        : `cannot restore map from ${goKind(value)}`;
    case 'message':
      return messageMisfit(value, type.id);
  }
}

function firstMisfit(items: readonly JsonValue[], type: FieldType): string | undefined {
  for (const item of items) {
    const misfit = misfitOf(item, type);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/** Go takes them in any order. */
function valuesOf(object: JsonObject): readonly JsonValue[] {
  return ownKeys(object)
    .toSorted(compareGoStrings)
    .map((key) => ownValue(object, key) ?? null);
}

function scalarMisfit(value: JsonValue, type: FieldType, scalar: ScalarName): string | undefined {
  const kind = goKind(value);
  const isOfNumber = scalar !== 'string' && scalar !== 'bool';
  if (kind === scalar || (isOfNumber && kind === 'int64')) return undefined;
  const isWhole = isNumber(value) && Number.isInteger(Number(value));
  if (isOfNumber && kind === 'float64') {
    if (scalar.startsWith('float') || isWhole) return undefined;
    return `cannot convert float64 to ${goTypeName(type)}`;
  }
  // To Go, a number may become the character that it counts, which the converter refuses.
  if (scalar === 'string' && kind === 'int64') {
    return `cannot convert int64 to ${goTypeName(type)}`;
  }
  return `unrecognized type: ${scalar}`;
}

function bytesMisfit(value: JsonValue): string | undefined {
  if (typeof value !== 'string') {
    return Array.isArray(value) ? undefined : `cannot restore slice from ${goKind(value)}`;
  }
  const at = illegalBase64At(value);
  if (at === undefined) return undefined;
  return `error decoding from json: illegal base64 data at input byte ${String(at)}`;
}

const INT64_MAX = 2 ** 63;

/** Of what Go makes of JSON in maps and lists. */
function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value !== 'number') return typeof value === 'string' ? 'string' : 'map';
  return Number.isInteger(value) && Math.abs(value) < INT64_MAX ? 'int64' : 'float64';
}
