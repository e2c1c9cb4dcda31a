/** Values that a client may send for a type: empty, whole, extreme, and null wherever Go takes it. */
import type { FieldType, ScalarName, SpecialKind } from '../../api/scheme/field-type.ts';
import { isSpecialType } from '../../api/scheme/field-type.ts';
import { jsonFieldsOf } from '../../api/scheme/type-facts.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';

/** One of so many, from 0. */
export type Pick = (many: number) => number;

/** How deep messages lie in messages. */
const DEPTH_MAX = 9;
const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;

const SCALARS: Readonly<Record<ScalarName, readonly JsonValue[]>> = {
  string: ['x', '', '25%'],
  bool: [true, false],
  int32: [INT32_MAX, 0, -INT32_MAX - 1],
  int64: [INT64_MAX, 0, 7, -INT64_MAX - 1n],
  uint8: [255, 0],
  uint32: [2 ** 32 - 1, 0],
  uint64: [INT64_MAX, 0],
  float32: [1.5, 0, -1],
  float64: [1e300, 0, INT64_MAX],
};

const ANYTHING: readonly JsonValue[] = [{ a: [null] }, {}, [], [[1]], 'x', 5, false];

const SPECIALS: Readonly<Record<SpecialKind, readonly JsonValue[]>> = {
  time: ['2020-02-29T23:59:59+01:00', '0001-01-01T00:00:00Z'],
  microtime: ['2020-02-29T23:59:59.123456+01:00', '0001-01-01T00:00:00.000000Z'],
  quantity: ['1500m', 0, '1Gi', 7, '1e3'],
  intOrString: ['25%', 80, '', 0],
  rawJson: ANYTHING,
  rawExtension: ANYTHING,
  fieldsV1: ANYTHING,
  jsonSchemaPropsOrBool: [{ type: 'x' }, true, false, {}],
  jsonSchemaPropsOrArray: [{ type: 'x' }, [{ type: 'x' }, null, {}], [], {}, 5, 'x'],
  jsonSchemaPropsOrStringArray: [['x', null], { type: 'x' }, [], {}, 5],
};

/** An object of the type, in which every choice is made by `pick`: the first is the fullest. */
export function sentObject(typeId: string, pick: Pick, depth = 0): JsonObject {
  const object: JsonObject = {};
  for (const { name, type } of jsonFieldsOf(typeId)) {
    const chosen = pick(4);
    if (chosen === 2 || (chosen === 1 && depth > 2)) continue;
    object[name] = chosen === 3 ? null : sentValue(type, pick, depth + 1);
  }
  return object;
}

function sentValue(type: FieldType, pick: Pick, depth: number): JsonValue {
  if (isSpecialType(type)) return oneOf(SPECIALS[type.kind], pick);
  switch (type.kind) {
    case 'scalar':
      return oneOf(SCALARS[type.scalar], pick);
    case 'bytes':
      return oneOf(['YQ==', '', [1, null]], pick);
    case 'message':
      return depth > DEPTH_MAX ? {} : sentObject(type.id, pick, depth);
    case 'list':
      return sentList(type.of, pick, depth);
    case 'map': {
      const items = sentList(type.of, pick, depth);
      return Object.fromEntries(items.map((item, at) => [`k${String(items.length - at)}`, item]));
    }
  }
}

function sentList(type: FieldType, pick: Pick, depth: number): JsonValue[] {
  const item = (): JsonValue => sentValue(type, pick, depth + 1);
  const made = [() => [item()], () => [], () => [null, item()], () => [item(), null]];
  return (made[pick(made.length)] ?? (() => []))();
}

function oneOf(values: readonly JsonValue[], pick: Pick): JsonValue {
  return values[pick(values.length)] ?? null;
}
