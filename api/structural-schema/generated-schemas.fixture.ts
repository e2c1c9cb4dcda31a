/** Structural schemas by chance, and objects that fit them more or less. The same for the same dice. */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonObject, listAt, objectAt, stringAt } from '../json/json.ts';
import { oneOf, several, type Dice } from '../patch/go-oracle.fixture.ts';

const NAMES: readonly [string, ...string[]] = ['a', 'b', 'c', 'd', 'name', 'type'];
const FORMATS: readonly [string, ...string[]] = [
  'date-time',
  'date',
  'ipv4',
  'uri',
  'email',
  'duration',
  'byte',
  'uuid',
  'k8s-short-name',
  'unheard-of',
  'int32',
];

/** Of a whole object: with `spec` and `status`. */
export function someSchema(dice: Dice): JsonObject {
  return {
    type: 'object',
    ...(dice(3) === 0 ? { required: ['spec'] } : {}),
    properties: { spec: someObjectSchema(dice, 0), status: someObjectSchema(dice, 1) },
  };
}

function someNode(dice: Dice, depth: number): JsonObject {
  const kinds = depth > 3 ? 6 : 11;
  const schema = nodeOfKind(dice, depth, dice(kinds));
  if (dice(6) === 0) schema['nullable'] = true;
  if (dice(5) === 0) schema['default'] = someValue(dice, schema, 90);
  if (dice(12) === 0) {
    schema['enum'] = several(dice, [1, 3], () => someValue(dice, schema, 90));
  }
  if (dice(6) === 0) Object.assign(schema, someJunctors(dice, schema));
  return schema;
}

function nodeOfKind(dice: Dice, depth: number, kind: number): JsonObject {
  switch (kind) {
    case 0:
      return someStringSchema(dice);
    case 1:
    case 2:
      return someNumberSchema(dice);
    case 3:
      return { type: 'boolean' };
    case 4:
      return { 'x-kubernetes-int-or-string': true, ...eitherType(dice), ...bounds(dice) };
    case 5:
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 6:
      return someListSchema(dice, depth);
    case 7:
      return { type: 'object', additionalProperties: someNode(dice, depth + 1), ...counts(dice) };
    case 8:
      return someEmbedded(dice, depth);
    default:
      return someObjectSchema(dice, depth);
  }
}

function eitherType(dice: Dice): JsonObject {
  const anyOf = [{ type: 'integer' }, { type: 'string' }];
  return oneOf<JsonObject>(dice, [{}, { anyOf }, { allOf: [{ anyOf }] }]);
}

function someStringSchema(dice: Dice): JsonObject {
  return {
    type: 'string',
    ...(dice(4) === 0 ? { format: oneOf(dice, FORMATS) } : {}),
    ...textRules(dice),
  };
}

function textRules(dice: Dice): JsonObject {
  return {
    ...(dice(5) === 0 ? { minLength: dice(4) } : {}),
    ...(dice(5) === 0 ? { maxLength: dice(8) } : {}),
    ...(dice(5) === 0 ? { pattern: oneOf(dice, ['^[a-z]+$', 'b', '^.?$', '\\d']) } : {}),
  };
}

function someNumberSchema(dice: Dice): JsonObject {
  const isInteger = dice(2) === 0;
  const format = oneOf(dice, ['', '', isInteger ? 'int32' : 'float', 'int64', 'double']);
  return {
    type: isInteger ? 'integer' : 'number',
    ...(format === '' ? {} : { format }),
    ...bounds(dice),
  };
}

function bounds(dice: Dice): JsonObject {
  return {
    ...(dice(4) === 0 ? { minimum: dice(6) - 2 } : {}),
    ...(dice(4) === 0 ? { maximum: dice(10) + (dice(4) === 0 ? 0.5 : 0) } : {}),
    ...(dice(8) === 0 ? { exclusiveMinimum: true } : {}),
    ...(dice(8) === 0 ? { exclusiveMaximum: true } : {}),
    ...(dice(8) === 0 ? { multipleOf: oneOf(dice, [1, 2, 3, 0.5]) } : {}),
  };
}

function counts(dice: Dice): JsonObject {
  return {
    ...(dice(5) === 0 ? { minProperties: dice(3) } : {}),
    ...(dice(5) === 0 ? { maxProperties: 1 + dice(3) } : {}),
  };
}

function someListSchema(dice: Dice, depth: number): JsonObject {
  const rules = {
    ...(dice(5) === 0 ? { minItems: dice(3) } : {}),
    ...(dice(5) === 0 ? { maxItems: 1 + dice(3) } : {}),
    ...(dice(12) === 0 ? { uniqueItems: true } : {}),
    ...(dice(8) === 0 ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
  const type = oneOf(dice, ['', 'atomic', 'set', 'map', 'map']);
  const kind = type === '' ? {} : { 'x-kubernetes-list-type': type };
  if (type !== 'map') return { type: 'array', items: someNode(dice, depth + 1), ...rules, ...kind };
  const keys = oneOf<string[]>(dice, [['name'], ['name'], ['name', 'type']]);
  const items = someObjectSchema(dice, depth + 1);
  const properties = objectAt(items, 'properties') ?? {};
  for (const key of keys) properties[key] = { type: 'string' };
  return { type: 'array', items, ...rules, ...kind, 'x-kubernetes-list-map-keys': keys };
}

function someEmbedded(dice: Dice, depth: number): JsonObject {
  return {
    ...(dice(2) === 0 ? someObjectSchema(dice, depth + 1) : { type: 'object' }),
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

function someObjectSchema(dice: Dice, depth: number): JsonObject {
  const properties: JsonObject = {};
  const names = several(dice, [1, 4], () => oneOf(dice, NAMES));
  for (const name of names) properties[name] = someNode(dice, depth + 1);
  return {
    type: 'object',
    properties,
    ...(dice(4) === 0 ? { required: [oneOf(dice, NAMES)] } : {}),
    ...(dice(10) === 0 ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...counts(dice),
  };
}

/** What stands in a junctor may only judge what the structure has. */
function someJunctors(dice: Dice, schema: JsonObject): JsonObject {
  const some = (): JsonObject[] => several(dice, [1, 3], () => someNested(dice, schema, 0));
  return oneOf<JsonObject>(dice, [
    { oneOf: some() },
    schema['anyOf'] === undefined ? { anyOf: some() } : {},
    schema['allOf'] === undefined ? { allOf: some() } : {},
    { not: someNested(dice, schema, 0) },
  ]);
}

function someNested(dice: Dice, schema: JsonObject, depth: number): JsonObject {
  const properties = Object.entries(objectAt(schema, 'properties') ?? {});
  const items = objectAt(schema, 'items');
  const nested: JsonObject = { ...textRules(dice), ...bounds(dice), ...counts(dice) };
  if (dice(4) === 0) nested['required'] = [oneOf(dice, NAMES)];
  if (dice(6) === 0) nested['enum'] = several(dice, [1, 3], () => someValue(dice, schema, 90));
  if (dice(8) === 0) nested['format'] = oneOf(dice, FORMATS);
  if (dice(3) === 0) nested['maxItems'] = dice(3);
  if (items !== undefined && dice(2) === 0) nested['items'] = someNested(dice, items, depth + 1);
  if (properties.length > 0 && dice(2) === 0) {
    const [name, property] = properties[dice(properties.length)] ?? ['', {}];
    if (isJsonObject(property))
      nested['properties'] = { [name]: someNested(dice, property, depth) };
  }
  if (depth === 0 && dice(5) === 0) {
    nested['anyOf'] = several(dice, [1, 2], () => someNested(dice, schema, depth + 1));
  }
  return nested;
}

const TEXTS: readonly [string, ...string[]] = [
  '',
  'a',
  'ab',
  'b1',
  'abcdefghij',
  'ä€😀',
  '2020-02-30',
  '2020-01-01T00:00:00Z',
  '10.0.0.1',
  'http://a/b',
  'a@b',
  '3h',
  'YQ==',
  '#x',
];
const NUMBERS: readonly [number, ...number[]] = [0, 1, 2, 3, -1, 7, 12, 1.5, -0.25, 3e9, 1234567.5];

/** @param fit how often in a hundred a value is what the schema wants. */
export function someValue(dice: Dice, schema: JsonObject | undefined, fit: number): JsonValue {
  if (schema === undefined || dice(100) >= fit) return anything(dice, 0);
  const allowed = listAt(schema, 'enum');
  if (allowed.length > 0 && dice(3) > 0) return allowed[dice(allowed.length)] ?? null;
  if (schema['nullable'] === true && dice(5) === 0) return null;
  if (schema['x-kubernetes-int-or-string'] === true) {
    return dice(2) === 0 ? oneOf(dice, NUMBERS) : oneOf(dice, TEXTS);
  }
  switch (stringAt(schema, 'type')) {
    case 'string':
      return oneOf(dice, TEXTS);
    case 'integer':
      return Math.trunc(oneOf(dice, NUMBERS));
    case 'number':
      return oneOf(dice, NUMBERS);
    case 'boolean':
      return dice(2) === 0;
    case 'array':
      return several(dice, [0, 4], () => someValue(dice, objectAt(schema, 'items'), fit));
    default:
      return someObject(dice, schema, fit);
  }
}

function someObject(dice: Dice, schema: JsonObject, fit: number): JsonObject {
  const object: JsonObject = {};
  if (schema['x-kubernetes-embedded-resource'] === true) Object.assign(object, someMeta(dice));
  for (const [name, property] of Object.entries(objectAt(schema, 'properties') ?? {})) {
    if (dice(4) > 0 && isJsonObject(property)) object[name] = someValue(dice, property, fit);
  }
  const others = objectAt(schema, 'additionalProperties');
  for (const name of others === undefined ? [] : several(dice, [0, 3], () => oneOf(dice, NAMES))) {
    object[name] = someValue(dice, others, fit);
  }
  if (dice(100) >= fit)
    object[oneOf(dice, [...NAMES, 'zz', '__proto__x', 'a b'])] = anything(dice, 0);
  return object;
}

function someMeta(dice: Dice): JsonObject {
  const name = oneOf<JsonValue>(dice, ['a', 'a', 'A/b', 'x', dice(8) === 0 ? 5 : 'b']);
  const labels = oneOf<JsonObject>(dice, [{}, { a: 'b' }, { 'a/b/c': 'd' }]);
  return {
    ...(dice(5) === 0 ? {} : { apiVersion: oneOf(dice, ['v1', 'a/v1', 'a/b/c', '']) }),
    ...(dice(5) === 0 ? {} : { kind: oneOf(dice, ['Pod', 'pOd', '1x', '']) }),
    ...(dice(4) === 0
      ? {}
      : { metadata: { name, labels, ...(dice(4) === 0 ? { unheard: 1 } : {}) } }),
  };
}

function anything(dice: Dice, depth: number): JsonValue {
  switch (dice(depth > 1 ? 4 : 7)) {
    case 0:
      return null;
    case 1:
      return oneOf(dice, NUMBERS);
    case 2:
      return dice(2) === 0;
    case 3:
      return oneOf(dice, TEXTS);
    case 4:
      return several(dice, [0, 2], () => anything(dice, depth + 1));
    default:
      return Object.fromEntries(
        several(dice, [0, 2], () => [oneOf(dice, NAMES), anything(dice, depth + 1)]),
      );
  }
}

/** The same object with some parts replaced by others that fit the schema, or do not. */
export function changed(
  dice: Dice,
  value: JsonValue,
  schema: JsonObject | undefined,
  chance: number,
): JsonValue {
  if (dice(1000) < chance) return someValue(dice, schema, 60);
  if (Array.isArray(value)) {
    const items = value.map((item) => changed(dice, item, objectAt(schema, 'items'), chance));
    return dice(5) === 0 ? items.reverse() : items;
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    const known = objectAt(objectAt(schema, 'properties'), name);
    const of = known ?? objectAt(schema, 'additionalProperties');
    if (dice(1000) >= chance) result[name] = changed(dice, field ?? null, of, chance);
  }
  return result;
}
