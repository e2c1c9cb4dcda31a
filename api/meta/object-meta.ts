/** What every object of the API carries about itself, whatever its kind. */
import { int64Of } from './int64.ts';
import type { JsonObject } from './json.ts';

export interface StringMap {
  [key: string]: string;
}

export interface OwnerReference extends JsonObject {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/**
 * What every object carries about itself. Keys stand in the order in which Kubernetes writes them.
 *
 * In Kubernetes: ObjectMeta, apimachinery/pkg/apis/meta/v1.
 */
export interface ObjectMeta extends JsonObject {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number | bigint;
  /** RFC 3339, whole seconds, UTC. */
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  /** Seconds. */
  deletionGracePeriodSeconds?: number | bigint;
  labels?: StringMap;
  annotations?: StringMap;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

/** Any object of the API, in some version of its type. */
export interface KubeObject extends JsonObject {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
}

/** One more; behind the last int64 Go begins at the first again. */
export function nextGeneration(generation: number | bigint): number | bigint {
  if (typeof generation === 'number' && generation < Number.MAX_SAFE_INTEGER) return generation + 1;
  return int64Of(BigInt.asIntN(64, BigInt(generation) + 1n));
}
