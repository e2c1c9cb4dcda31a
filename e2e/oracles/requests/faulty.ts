/** Objects with one fault: a value of another type, a field too many, a field too few. */
import type { Chance } from '../../robustness/chance.ts';
import type { JsonObject, JsonValue } from '../../support/json.ts';

const VALUES: readonly JsonValue[] = [
  null,
  'x',
  '',
  1,
  -1,
  1.5,
  1e30,
  true,
  [],
  ['x'],
  {},
  { x: 1 },
];

/** A copy of it that has the fault. */
export function faulty(chance: Chance, object: JsonObject): JsonObject {
  const copy = structuredClone(object);
  const places = placesIn(copy);
  const { holder, key } = chance.oneOf(places);
  const what = chance.below(4);
  if (what === 0) remove(holder, key);
  else if (what === 1) put(holder, chance.oneOf(['nowhere', 'Kind', 'x y']), chance.oneOf(VALUES));
  else put(holder, key, chance.oneOf(VALUES));
  return copy;
}

interface Place {
  readonly holder: JsonObject | JsonValue[];
  readonly key: string;
}

function placesIn(value: JsonValue | undefined): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    { holder: value, key },
    ...placesIn(inner),
  ]);
}

function put(holder: JsonObject | JsonValue[], key: string, value: JsonValue): void {
  if (!Array.isArray(holder)) holder[key] = value;
  else holder[Number.isNaN(Number(key)) ? 0 : Number(key)] = value;
}

function remove(holder: JsonObject | JsonValue[], key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}
