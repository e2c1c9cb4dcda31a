/** Where two objects differ, path by path. */
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';

export interface ObjectDifference {
  /** `.spec.ports.0.name` */
  readonly path: string;
  readonly ours: JsonValue | undefined;
  readonly upstream: JsonValue | undefined;
  /** What was made of the object: `default`, or where it was converted to. */
  readonly way: string;
  /** As it was at first. */
  readonly object: JsonObject;
}

type DifferingPlace = Pick<ObjectDifference, 'path' | 'ours' | 'upstream'>;

export function differingPlaces(ours: JsonValue, upstream: JsonValue, path = ''): DifferingPlace[] {
  if (isDeepStrictEqual(ours, upstream)) return [];
  const [left, right] = [childrenOf(ours), childrenOf(upstream)];
  if (left === undefined || right === undefined || Array.isArray(ours) !== Array.isArray(upstream))
    return [{ path, ours, upstream }];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key): DifferingPlace[] => {
    const [one, other] = [left.get(key), right.get(key)];
    const place = `${path}.${key}`;
    if (one !== undefined && other !== undefined) return differingPlaces(one, other, place);
    return [{ path: place, ours: one, upstream: other }];
  });
}

function childrenOf(value: JsonValue): Map<string, JsonValue | undefined> | undefined {
  return isJsonObject(value) || Array.isArray(value) ? new Map(Object.entries(value)) : undefined;
}

export function asObject(value: unknown): JsonObject {
  const json = value as JsonObject; // It was parsed from JSON just now.
  if (!isJsonObject(json)) throw new Error(`no object: ${String(value)}`);
  return json;
}

/** Upstream fills in the present; see the preparation of resourceslices and devicetaintrules. */
export function withoutTaintTimes(object: JsonObject): JsonObject {
  if (object['kind'] !== 'ResourceSlice' && object['kind'] !== 'DeviceTaintRule') return object;
  return asObject(
    JSON.parse(
      JSON.stringify(object, (key, value: unknown) => (key === 'timeAdded' ? undefined : value)),
    ),
  );
}
