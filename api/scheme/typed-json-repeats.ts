/**
 * What Go makes of keys that stand in an object twice: it reads the second value into what the
 * first one left. So fields of a struct add up, items of a list are read over those before them,
 * and a null leaves a plain value as it is. In maps, and where there is no type, the last one counts.
 *
 * In Kubernetes: sigs.k8s.io/json, which reads into one Go value from the first byte to the last.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { RepeatedKeys } from '../json/json-reader.ts';
import { entriesOf } from '../json/repeated-keys.ts';
import { setOwn } from '../json/own-property.ts';
import type { FieldType } from './field-type.ts';
import { jsonFieldsOf } from './type-facts.ts';

/** No built-in type is deeper; what is, comes through as it is and is refused by its reader. */
const DEPTH_MAX = 500;

const typesByName = new Map<string, ReadonlyMap<string, FieldType>>();

/** The value as if the text had said everything once. Neither `value` nor its parts are changed. */
export function foldRepeats(value: JsonValue, typeId: string, repeated: RepeatedKeys): JsonValue {
  return new Folding(repeated).fold(undefined, value, { kind: 'message', id: typeId });
}

class Folding {
  readonly #repeated: RepeatedKeys;
  #depth = 0;

  constructor(repeated: RepeatedKeys) {
    this.#repeated = repeated;
  }

  /** @param before what an earlier mention left; undefined when this is the first. */
  fold(before: JsonValue | undefined, value: JsonValue, type: FieldType): JsonValue {
    if (value === null) return before === undefined || isNullable(type) ? null : before;
    if (typeof value !== 'object' || this.#depth >= DEPTH_MAX) return value;
    this.#depth += 1;
    const folded = this.#foldInto(before, value, type);
    this.#depth -= 1;
    return folded;
  }

  #foldInto(
    before: JsonValue | undefined,
    value: JsonObject | JsonValue[],
    type: FieldType,
  ): JsonValue {
    if (Array.isArray(value)) {
      if (type.kind !== 'list') return value;
      const items = Array.isArray(before) ? before : [];
      return value.map((item, index) => this.fold(items[index], item, type.of));
    }
    const old = isJsonObject(before) ? before : {};
    if (type.kind === 'message') return this.#foldMessage(old, value, type.id);
    return type.kind === 'map' ? this.#foldMap(old, value, type.of) : value;
  }

  #foldMessage(before: JsonObject, value: JsonObject, id: string): JsonObject {
    const result: JsonObject = { ...before };
    const types = typesOf(id);
    for (const [key, item] of entriesOf(value, this.#repeated)) {
      const type = types.get(key);
      setOwn(result, key, type === undefined ? item : this.fold(result[key], item, type));
    }
    return result;
  }

  #foldMap(before: JsonObject, value: JsonObject, type: FieldType): JsonObject {
    const result: JsonObject = { ...before };
    for (const [key, item] of entriesOf(value, this.#repeated)) {
      setOwn(result, key, this.fold(undefined, item, type));
    }
    return result;
  }
}

/** Null takes away what was there, where Go has something that can be nil. */
function isNullable(type: FieldType): boolean {
  return type.pointer === true || (type.kind !== 'scalar' && type.kind !== 'message');
}

function typesOf(id: string): ReadonlyMap<string, FieldType> {
  let known = typesByName.get(id);
  if (known === undefined) {
    known = new Map(jsonFieldsOf(id).map(({ name, type }) => [name, type]));
    typesByName.set(id, known);
  }
  return known;
}
