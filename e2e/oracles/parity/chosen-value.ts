/**
 * Values for fields, by their types: what a client may write there, well-meaning or not. Strings
 * come from three places: what the field holds in other objects, its enum, and what breaks things.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { FieldType } from '../../../api/scheme/field-type.ts';
import { type FieldFacts, jsonFieldsOf } from '../../../api/scheme/type-facts.ts';
import type { Chance } from '../../../tools/seeded-chance.fixture.ts';

const STRINGS = [
  '',
  'a',
  'web',
  'Not Valid!',
  '-x',
  'x-',
  'UPPER',
  'a.b',
  'a_b',
  'a--b',
  '..',
  '../a',
  'a/../b',
  '..data',
  '/abs/path',
  'rel/path',
  'example.com/thing',
  'example.com/a/b',
  'kubernetes.io/thing',
  'x'.repeat(16),
  'x'.repeat(64),
  'x'.repeat(254),
  '10.0.0.1',
  '010.0.0.1',
  '::1',
  'fe80::1',
  '10.0.0.0/8',
  '12345',
  'true',
  'Always',
  'None',
  'cpu',
  '*',
];
const INTEGERS = [
  -2_147_483_648, -1001, -1, 0, 1, 2, 3, 10, 80, 100, 101, 255, 256, 511, 512, 599, 600, 1000, 3600,
  30_000, 65_535, 65_536, 86_400, 86_401, 100_001, 2_147_483_647,
];
const LONGS = [...INTEGERS, 2_147_483_648, 4_294_967_296, 4_294_967_297];
const QUANTITIES = [
  '0',
  '1',
  '-1',
  '2',
  '100m',
  '0.5',
  '1Gi',
  '2Mi',
  '1500u',
  '0.5m',
  '20Gi',
  '1e3',
];
const INT_OR_STRINGS = [0, 1, -1, 80, 65_536, '50%', '101%', '0%', 'x%', 'http', 'Bad!', '', '25'];
const KEYS = [
  'app',
  'cpu',
  'memory',
  'storage',
  'example.com/gpu',
  'Bad Key!',
  'a/b/c',
  'hugepages-2Mi',
];
const DEPTH_MAX = 5;

/** What fields hold in the objects that are known, by the name of the field. */
export type Held = ReadonlyMap<string, readonly JsonValue[]>;

export function heldIn(objects: readonly JsonObject[]): Held {
  const held = new Map<string, JsonValue[]>();
  const look = (value: JsonValue): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    if (!isJsonObject(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const known = held.get(key) ?? [];
      known.push(inner);
      held.set(key, known);
      look(inner);
    }
  };
  for (const object of objects) look(object);
  return held;
}

export interface Choice {
  readonly chance: Chance;
  readonly held: Held;
}

export function oneOf<T>(chance: Chance, values: readonly T[]): T {
  const value = values[Math.floor(chance() * values.length)];
  if (value === undefined) throw new Error('nothing to choose from');
  return value;
}

export function valueFor(field: FieldFacts, choice: Choice): JsonValue {
  const { chance, held } = choice;
  const known = (held.get(field.name) ?? []).filter((value) => fits(value, field.type));
  if (known.length > 0 && chance() < 0.45) return structuredClone(oneOf(chance, known));
  return valueOf(field.type, field, choice, 0);
}

function fits(value: JsonValue, type: FieldType): boolean {
  switch (type.kind) {
    case 'scalar':
      return (
        typeof value ===
        (type.scalar === 'bool' ? 'boolean' : type.scalar === 'string' ? 'string' : 'number')
      );
    case 'list':
      return Array.isArray(value) && value.every((item) => fits(item, type.of));
    case 'map':
      return (
        isJsonObject(value) &&
        Object.values(value).every((item) => item !== undefined && fits(item, type.of))
      );
    case 'message': {
      const names = new Set(jsonFieldsOf(type.id).map(({ name }) => name));
      return isJsonObject(value) && Object.keys(value).every((key) => names.has(key));
    }
    case 'quantity':
    case 'time':
    case 'microtime':
      return typeof value === 'string';
    case 'intOrString':
      return typeof value === 'string' || typeof value === 'number';
    default:
      return false;
  }
}

function valueOf(type: FieldType, field: FieldFacts, choice: Choice, depth: number): JsonValue {
  const { chance } = choice;
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.scalar, field, choice);
    case 'bytes':
      return oneOf(chance, ['', 'YQ==', 'bm90IGpzb24=']);
    case 'list':
      return Array.from({ length: oneOf(chance, [0, 1, 1, 2]) }, () =>
        valueOf(type.of, field, choice, depth + 1),
      );
    case 'map':
      return Object.fromEntries(
        Array.from({ length: oneOf(chance, [0, 1, 1, 2]) }, () => [
          oneOf(chance, [...KEYS, ...STRINGS]),
          valueOf(type.of, field, choice, depth + 1),
        ]),
      );
    case 'message':
      return depth > DEPTH_MAX ? {} : messageOf(type.id, choice, depth);
    case 'quantity':
      return oneOf(chance, QUANTITIES);
    case 'intOrString':
      return oneOf(chance, INT_OR_STRINGS);
    case 'time':
      return oneOf(chance, ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z']);
    case 'microtime':
      return '2020-01-01T00:00:00.000000Z';
    default:
      return {};
  }
}

function scalarOf(scalar: string, field: FieldFacts, { chance, held }: Choice): JsonValue {
  if (scalar === 'bool') return chance() < 0.5;
  if (scalar === 'float64' || scalar === 'float32') return oneOf(chance, [0, 1, -1, 0.5]);
  if (scalar === 'int64') return oneOf(chance, LONGS);
  if (scalar.startsWith('uint')) return oneOf(chance, [0, 1, 255]);
  if (scalar !== 'string') return oneOf(chance, INTEGERS);
  const known = (held.get(field.name) ?? []).flatMap((value) =>
    typeof value === 'string'
      ? [value]
      : Array.isArray(value)
        ? value.filter((one) => typeof one === 'string')
        : [],
  );
  const choices = field.enum === undefined ? known : [...field.enum, ...known];
  return choices.length > 0 && chance() < 0.6 ? oneOf(chance, choices) : oneOf(chance, STRINGS);
}

function messageOf(id: string, choice: Choice, depth: number): JsonObject {
  const fields = jsonFieldsOf(id);
  const likely = Math.min(0.5, 2.5 / Math.max(fields.length, 1));
  const message: JsonObject = {};
  for (const field of fields) {
    if (choice.chance() >= (field.required ? 0.85 : likely)) continue;
    const known = (choice.held.get(field.name) ?? []).filter((value) => fits(value, field.type));
    message[field.name] =
      known.length > 0 && choice.chance() < 0.5
        ? structuredClone(oneOf(choice.chance, known))
        : valueOf(field.type, field, choice, depth + 1);
  }
  return message;
}
