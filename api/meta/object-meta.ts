/** What every object of the API carries about itself, whatever its kind. */
import type { ObjectMeta, OwnerReference } from '../generated/kinds/meta-v1.ts';
import { int64Of } from '../json/go-numbers.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';

/** Labels, annotations and everything else that maps text to text. */
export interface StringMap {
  [key: string]: string;
}

export type { ObjectMeta, OwnerReference };

/** Any object of the API, in some version of its type. */
export interface KubeObject extends JsonObject {
  /** As the URL's resource has it: `Pod`. */
  kind: string;
  /** `v1`, or with its group `apps/v1`. */
  apiVersion: string;
  /** Read by its type, in custom resources too. */
  metadata: ObjectMeta;
}

/**
 * The same value, as an object of the API.
 *
 * @throws Error where it is none: a codec gives every object its kind, its version and its metadata.
 */
export function asKubeObject(value: JsonObject): KubeObject {
  const { kind, apiVersion, metadata } = value;
  const isNamed = typeof kind === 'string' && typeof apiVersion === 'string';
  if (!isNamed || !isJsonObject(metadata)) throw new Error('this is no object of the API');
  return value as KubeObject; // As was checked; its codec has read the fields of the metadata.
}

/**
 * The same value, which is not looked at: for what was written as an object of the API, or is on its
 * way to be one. Another writer of the log may have left out its kind, and it must be read all the same.
 */
export function writtenKubeObject(value: JsonObject): KubeObject {
  return value as KubeObject;
}

/** An object of a declared kind as the server works with it: reading it fills in what it is. */
export type ObjectOf<Kind> = Kind & { kind: string; apiVersion: string };

/** One more; behind the last int64 Go begins at the first again. */
export function nextGeneration(generation: number | bigint): number | bigint {
  if (typeof generation === 'number' && generation < Number.MAX_SAFE_INTEGER) return generation + 1;
  return int64Of(BigInt.asIntN(64, BigInt(generation) + 1n));
}

/** What an object is, as `apps`, `v1`, `Deployment`; the group is '' for the legacy one. */
export interface GroupVersionKind {
  /** As in an apiVersion. */
  readonly group: string;
  /** As in an apiVersion. */
  readonly version: string;
  /** As objects say it. */
  readonly kind: string;
}
