/**
 * The managedFields of a resource as its scale subresource shows them, and back: a scale has one
 * field that can be managed, `spec.replicas`, and it is the resource's number of replicas.
 *
 * In Kubernetes: ScaleHandler, apimachinery/pkg/util/managedfields.
 */
import type { JsonObject, JsonValue } from '../meta/json.ts';

/**
 * By apiVersion of the resource: the path to its number of replicas as field names
 * (`['spec', 'replicas']`); undefined: that version has no scale.
 */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

/** The entries of the resource, as entries of its scale. */
export function toScaleEntries(
  entries: JsonValue | undefined,
  paths: ReplicasPaths,
): JsonObject[] | undefined {
  throw new Error(`no scale entries for ${String(paths.size)} of ${typeof entries} yet`);
}

export interface ScaleWritten {
  /** managedFields of the resource before. */
  readonly parent: JsonValue | undefined;
  /** managedFields of the scale that was written. */
  readonly scale: JsonValue | undefined;
  /** Of the resource, as it is being written. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}

/** The entries of the resource after its scale was written. */
export function toParentEntries(written: ScaleWritten): JsonObject[] | undefined {
  throw new Error(`no parent entries for ${written.apiVersion} yet`);
}
