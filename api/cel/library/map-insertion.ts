/**
 * What `transformMap` and `transformMapEntry` add entries with.
 *
 * In Kubernetes: ext/comprehensions.go of cel-go.
 */
import { mapOf, parameter } from '../cel-type.ts';
import { MutableMap, ValueMap } from '../containers.ts';
import { declare, overload, type Implementation, type Library } from '../declarations.ts';
import { goText } from '../go-text.ts';
import { CelError, CelMap, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';

const insertOne: Implementation = (map, key, value) =>
  map instanceof ValueMap ? inserted(map, [[key, value]]) : NO_SUCH_OVERLOAD;

const insertAll: Implementation = (map, more) => {
  if (!(map instanceof ValueMap) || !(more instanceof CelMap)) return NO_SUCH_OVERLOAD;
  return inserted(
    map,
    more.keys().map((key) => [key, more.find(key) ?? null] as const),
  );
};

function inserted(
  map: ValueMap,
  entries: readonly (readonly [key: CelValue, value: CelValue])[],
): CelValue {
  const target = map instanceof MutableMap ? map : map.copy();
  for (const [key, value] of entries) {
    if (target.find(key) !== undefined) {
      return new CelError(`insert failed: key ${goText(key)} already exists`);
    }
    target.set(key, value);
  }
  return target;
}

const K = parameter('K');
const V = parameter('V');
const MAP = mapOf(K, V);

export const MAP_INSERTION: Library = [
  declare(
    'cel.@mapInsert',
    overload('@mapInsert_map_key_value', [MAP, K, V], MAP, insertOne),
    overload('@mapInsert_map_map', [MAP, MAP], MAP, insertAll),
  ),
];
