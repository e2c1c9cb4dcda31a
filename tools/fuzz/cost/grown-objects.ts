/**
 * Every place of an object, grown: a text becomes long, a list gets many items, a map many keys.
 * So whatever a validation, a default or a merge does with a field, it does it with much of it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { TEXT_SHAPES } from './text-shapes.ts';

export interface Growth {
  /** Where, and what is there. */
  readonly name: string;
  grown(bytes: number): JsonObject;
}

/** Ways in which one place grows; the object around it is the same. */
export function growthsOf(seed: JsonObject, shapes = TEXT_SHAPES): Growth[] {
  return placesIn(seed, []).flatMap(({ path, value }) => {
    const growth = (how: string, make: (bytes: number) => JsonValue): Growth => ({
      name: `${path.join('.') || 'all'}: ${how}`,
      grown: (bytes) => replaced(seed, path, make(bytes)) as JsonObject, // As the seed is.
    });
    if (typeof value === 'string') {
      return shapes.map(({ name, textOf }) => growth(name, textOf));
    }
    if (Array.isArray(value)) return listGrowths(value, growth);
    return isJsonObject(value) ? mapGrowths(value, growth) : [];
  });
}

/**
 * All lists and maps that lie in one place, together: a rule that looks for each item of the one in
 * all of another shows only so. Texts and numbers differ.
 */
export function growthsOfPlaces(seed: JsonObject): Growth[] {
  return placesIn(seed, []).flatMap(({ path, value }) => {
    const keys = growingIn(value);
    if (keys.length < 2) return [];
    const grown = (bytes: number): JsonObject =>
      keys.reduce((object, { inside, sample }) => {
        const more = grownAlike(sample, bytes / keys.length);
        return replaced(object, [...path, ...inside], more) as JsonObject; // As the seed is.
      }, seed);
    return [{ name: `${path.join('.') || 'all'}: all that is in it`, grown }];
  });
}

/** Lists and maps in the value, or one deeper. */
function growingIn(
  value: JsonValue,
): { readonly inside: readonly string[]; readonly sample: JsonValue }[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, child = null]) => {
    if (Array.isArray(child)) return [{ inside: [key], sample: child }];
    if (!isJsonObject(child)) return [];
    return Object.entries(child).flatMap(([name, inner = null]) =>
      Array.isArray(inner) ? [{ inside: [key, name], sample: inner }] : [],
    );
  });
}

function grownAlike(sample: JsonValue, bytes: number): JsonValue {
  const first = Array.isArray(sample) ? (sample[0] ?? 'a') : 'a';
  return itemsOf(bytes, first, (at) => numbered(first, at));
}

type MakeGrowth = (how: string, make: (bytes: number) => JsonValue) => Growth;

function listGrowths(list: readonly JsonValue[], growth: MakeGrowth): Growth[] {
  const first = list[0] ?? 'a';
  return [
    growth('many items that are the same', (bytes) => itemsOf(bytes, first, () => first)),
    growth('many items that differ', (bytes) => itemsOf(bytes, first, (at) => numbered(first, at))),
    growth('items that differ, from last to first', (bytes) =>
      itemsOf(bytes, first, (at) => numbered(first, at)).reverse(),
    ),
  ];
}

function mapGrowths(map: JsonObject, growth: MakeGrowth): Growth[] {
  const value = Object.values(map)[0] ?? 'a';
  return [
    growth('many keys', (bytes) => ({ ...map, ...keysOf(bytes, value, (at) => `k${String(at)}`) })),
    growth('many keys that are numbers', (bytes) => keysOf(bytes, value, (at) => String(at * 7))),
  ];
}

function itemsOf(bytes: number, sample: JsonValue, itemAt: (at: number) => JsonValue): JsonValue[] {
  const size = JSON.stringify(sample).length + 5;
  return Array.from({ length: Math.max(1, Math.floor(bytes / size)) }, (_, at) => itemAt(at));
}

function keysOf(bytes: number, value: JsonValue, keyAt: (at: number) => string): JsonObject {
  const size = JSON.stringify(value).length + 10;
  const length = Math.max(1, Math.floor(bytes / size));
  return Object.fromEntries(Array.from({ length }, (_, at) => [keyAt(at), value]));
}

/** The same with a number in each of its own texts, and in its numbers, so that keys differ. */
function numbered(item: JsonValue, at: number): JsonValue {
  if (typeof item === 'string') return `${item}${String(at)}`;
  if (typeof item === 'number') return item + at;
  if (!isJsonObject(item)) return item;
  const own = Object.entries(item).map(([key, value]) => {
    const isNested = typeof value === 'object' && value !== null;
    return [key, isNested ? value : numbered(value ?? null, at)];
  });
  return Object.fromEntries(own) as JsonObject;
}

interface GrownValue {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

function placesIn(value: JsonValue, path: readonly string[]): GrownValue[] {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => placesIn(item ?? null, [...path, key]))
      : [];
  return [{ path, value }, ...inside];
}

function replaced(whole: JsonValue, [key, ...rest]: readonly string[], by: JsonValue): JsonValue {
  if (key === undefined) return by;
  if (Array.isArray(whole)) {
    return whole.map((item, at) => (String(at) === key ? replaced(item, rest, by) : item));
  }
  if (!isJsonObject(whole)) return whole;
  return { ...whole, [key]: replaced(whole[key] ?? null, rest, by) };
}
