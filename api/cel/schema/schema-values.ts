/**
 * The data of an object as values of expressions, as its schema says. Only what is looked at is
 * made; what the schema does not know is not there, and what contradicts it is an error.
 *
 * In Kubernetes: UnstructuredToVal, apiserver/pkg/cel/common/valuesunstructured.go.
 */
import { formatJson } from '../../json/json-text.ts';
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../../json/json.ts';
import { goTypeOf } from '../../json/go-format.ts';
import { isEqualJson } from '../../json/json-tree.ts';
import { ownKeys, ownValue } from '../../json/own-property.ts';
import type { StructuralSchema } from '../../structural-schema/structural-schema.ts';
import { ItemList } from '../containers.ts';
import { areEqual } from '../equality.ts';
import { escapeName, unescapeName } from './escaping.ts';
import { schemaBytes, schemaDate, schemaDateTime, schemaDuration } from './schema-formats.ts';
import { withMetadata } from './schema-declarations.ts';
import { jsonOf } from '../value-json.ts';
import {
  CelDouble,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  intOfNumber,
  NO_SUCH_OVERLOAD,
  type CelValue,
} from '../value.ts';
import { structType } from '../cel-type.ts';

export function schemaValue(data: JsonValue, schema: StructuralSchema): CelValue {
  if (data === null) return schema.nullable ? null : NOT_NULLABLE;
  if (schema.extensions.intOrString) return intOrString(data);
  switch (schema.type) {
    case 'object':
      return objectValue(data, schema);
    case 'array':
      return listValue(data, schema);
    case 'string':
      return stringValue(data, schema);
    case 'number':
      return isNumber(data) ? new CelDouble(Number(data)) : unexpected('float', data);
    case 'integer':
      return isWhole(data) ? intOfNumber(data) : unexpected('int', data);
    case 'boolean':
      return typeof data === 'boolean' ? data : unexpected('bool', data);
    case '':
      return schema.extensions.preserveUnknownFields ? new PreservedValue(data) : UNTYPED;
  }
}

const NOT_NULLABLE = new CelError('invalid data, got null for schema with nullable=false');
const NO_INT_OR_STRING = new CelError(
  'invalid data, expected XIntOrString value to be either a string or integer',
);
const UNTYPED = new CelError(
  'invalid type, expected object, array, number, integer, boolean or string, or no type with ' +
    'x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ',
);
const NO_MAP = new CelError(
  'invalid data, expected a map for the provided schema with type=object',
);
const NO_ARRAY = new CelError(
  'invalid data, expected an array for the provided schema with type=array',
);
const NO_ITEMS = new CelError('invalid array type, expected Items with a non-empty Schema');

function unexpected(expected: string, data: JsonValue): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(data)}`);
}

function intOrString(data: JsonValue): CelValue {
  if (typeof data === 'string') return data;
  return isWhole(data) ? intOfNumber(data) : NO_INT_OR_STRING;
}

function isWhole(data: JsonValue): data is number | bigint {
  return typeof data === 'bigint' || Number.isInteger(data);
}

function stringValue(data: JsonValue, { values }: StructuralSchema): CelValue {
  if (typeof data !== 'string') return unexpected('string', data);
  switch (values?.format) {
    case 'duration':
      return schemaDuration(data);
    case 'date':
      return schemaDate(data);
    case 'date-time':
      return schemaDateTime(data);
    case 'byte':
      return schemaBytes(data);
    default:
      return data;
  }
}

function objectValue(data: JsonValue, schema: StructuralSchema): CelValue {
  if (!isJsonObject(data)) return NO_MAP;
  return new SchemaMap(data, schema.extensions.embeddedResource ? withMetadata(schema) : schema);
}

function listValue(data: JsonValue, { items, extensions }: StructuralSchema): CelValue {
  if (!Array.isArray(data)) return NO_ARRAY;
  if (items === undefined) return NO_ITEMS;
  if (extensions.listType === 'map') return new MapList(data, items, extensions.listMapKeys);
  return extensions.listType === 'set' ? new SetList(data, items) : new DataList(data, items);
}

/** A list of any type that an object has. What is added to it becomes data again. */
class DataList extends ItemList {
  readonly data: readonly JsonValue[];
  protected readonly items: StructuralSchema;

  constructor(data: readonly JsonValue[], items: StructuralSchema) {
    super();
    this.data = data;
    this.items = items;
  }

  override get size(): number {
    return this.data.length;
  }

  override at(index: number): CelValue {
    return schemaValue(this.data[index] ?? null, this.items);
  }

  override plus(other: CelList): CelList {
    return this.with([...this.data, ...dataOf(other)]);
  }

  protected with(data: readonly JsonValue[]): CelList {
    return new DataList(data, this.items);
  }
}

function dataOf(list: CelList): JsonValue[] {
  if (list instanceof DataList) return [...list.data];
  return Array.from({ length: list.size }, (_, index) => jsonOf(list.at(index)));
}

/** A list in which the order does not count, and nothing is twice. */
class SetList extends DataList {
  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const mine = new Set(this.data.map(formOf));
    return dataOf(other).every((item) => mine.has(formOf(item)));
  }

  override plus(other: CelList): CelList {
    const known = new Set(this.data.map(formOf));
    const added = dataOf(other).filter((item) => {
      const form = formOf(item);
      return known.has(form) ? false : known.add(form);
    });
    return this.with([...this.data, ...added]);
  }

  protected override with(data: readonly JsonValue[]): CelList {
    return new SetList(data, this.items);
  }
}

function formOf(value: JsonValue): JsonValue {
  return typeof value === 'object' ? formatJson(value) : value;
}

/** A list of objects that have keys: those with the same key are the same item. */
class MapList extends DataList {
  readonly #keys: readonly string[];

  constructor(data: readonly JsonValue[], items: StructuralSchema, keys: readonly string[]) {
    super(data, items);
    this.#keys = keys;
  }

  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const mine = new Map(this.data.map((item) => [this.#keyOf(item), item] as const));
    return dataOf(other).every((item, index) => {
      const same = mine.get(this.#keyOf(item));
      return same !== undefined && areEqual(schemaValue(same, this.items), other.at(index));
    });
  }

  override plus(other: CelList): CelList {
    const items = [...this.data];
    const places = new Map(items.map((item, index) => [this.#keyOf(item), index] as const));
    for (const item of dataOf(other)) {
      const place = places.get(this.#keyOf(item));
      if (place === undefined) items.push(item);
      else items[place] = item;
    }
    return new MapList(items, this.items, this.#keys);
  }

  #keyOf(item: JsonValue): string {
    const keys = isJsonObject(item) ? this.#keys.map((key) => ownValue(item, key) ?? null) : item;
    return formatJson(keys);
  }
}

/** An object with fields that the schema names, or a map whose values are all alike. */
export class SchemaMap extends CelMap {
  readonly data: JsonObject;
  readonly #schema: StructuralSchema;

  constructor(data: JsonObject, schema: StructuralSchema) {
    super();
    this.data = data;
    this.#schema = schema;
  }

  override get size(): number {
    return ownKeys(this.data).length;
  }

  get #isObject(): boolean {
    return this.#schema.properties.size > 0;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return NO_SUCH_OVERLOAD;
    if (!this.#isObject) return this.#findPlain(key);
    const name = unescapeName(key);
    return name === undefined ? undefined : this.#findPlain(name);
  }

  #findPlain(name: string): CelValue | undefined {
    const value = ownValue(this.data, name);
    if (value === undefined || (value === null && this.#isObject)) return undefined;
    const schema = this.#schemaOf(name);
    return schema && schemaValue(value, schema);
  }

  #schemaOf(name: string): StructuralSchema | undefined {
    const { properties, additionalProperties, extensions } = this.#schema;
    if (this.#isObject || extensions.embeddedResource) return properties.get(name);
    return additionalProperties === true ? undefined : additionalProperties;
  }

  override keys(): readonly CelValue[] {
    const names = ownKeys(this.data).filter((name) => this.#schemaOf(name) !== undefined);
    return this.#isObject ? names.map((name) => escapeName(name) ?? name) : names;
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    return ownKeys(this.data).every((name) =>
      this.#schemaOf(name) === undefined
        ? this.#isUnknownEqual(name, other)
        : isFieldEqual(this.find(name), other.find(name)),
    );
  }

  #isUnknownEqual(name: string, other: CelMap): boolean {
    if (!(other instanceof SchemaMap)) return false;
    const theirs = ownValue(other.data, name);
    return theirs === undefined || isEqualJson(ownValue(this.data, name) ?? null, theirs);
  }
}

function isFieldEqual(mine: CelValue | undefined, theirs: CelValue | undefined): boolean {
  if (mine === undefined || theirs === undefined) return mine === theirs;
  return areEqual(mine, theirs);
}

/** Data of which the schema says nothing: it can only be compared. */
class PreservedValue extends CelOpaque {
  override readonly type = structType('unknown');
  readonly data: JsonValue;

  constructor(data: JsonValue) {
    super();
    this.data = data;
  }

  override equals(other: CelValue): boolean {
    return other instanceof PreservedValue && isEqualJson(this.data, other.data);
  }
}
