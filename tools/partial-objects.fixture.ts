/**
 * Objects with holes: a complete object from which a seeded chance takes fields away, or leaves them
 * empty, null or zero, as clients send them. What is left may not decode; the oracle says so.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json/json.ts';
import type { Chance } from './seeded-chance.fixture.ts';

export interface Holes {
  /** How likely a field stays as it is, from 0 to 1. */
  readonly kept: number;
  /** Whether there may be nulls, which decoding turns into something else. */
  readonly nulls: boolean;
}

export function partialOf(object: JsonObject, holes: Holes, chance: Chance): JsonObject {
  const partial = thinned(object, holes, chance);
  return { ...partial, apiVersion: object['apiVersion'], kind: object['kind'] };
}

function thinned(object: JsonObject, holes: Holes, chance: Chance): JsonObject {
  const { kept } = holes;
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const luck = chance();
    if (luck < kept) result[key] = inner(value, holes, chance);
    else if (luck < kept + (1 - kept) * 0.2) result[key] = hollow(value, holes, chance);
  }
  return result;
}

function inner(value: JsonValue, holes: Holes, chance: Chance): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item) =>
      holes.nulls && chance() < 0.03 ? null : inner(item, holes, chance),
    );
  }
  return isJsonObject(value) ? thinned(value, holes, chance) : value;
}

function hollow(value: JsonValue, holes: Holes, chance: Chance): JsonValue {
  if (holes.nulls && chance() < 0.3) return null;
  if (Array.isArray(value)) return [];
  if (isJsonObject(value)) return {};
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : false;
}
