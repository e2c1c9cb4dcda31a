/** A version of a custom resource, as far as its OpenAPI documents tell of it. */
import type { JsonObject } from '../../api/json/json.ts';

export interface CustomKind {
  /** As in an apiVersion. */
  readonly group: string;
  /** The name of the version: `v1beta1`. */
  readonly version: string;
  /** The name in paths. */
  readonly plural: string;
  /** As objects say it. */
  readonly kind: string;
  /** As lists say it. */
  readonly listKind: string;
  /** False for a kind of cluster scope. */
  readonly namespaced: boolean;
  /** Whether the version has the subresource `status`. */
  readonly hasStatus: boolean;
  /** Whether the version has the subresource `scale`. */
  readonly hasScale: boolean;
  /** As `spec.color`. */
  readonly selectableFields: readonly string[];
  /** Of the definition as a whole: nothing is pruned. */
  readonly preserveUnknownFields: boolean;
  /** Another one when anything of this has changed; equal on all servers. */
  readonly key: string;
  /** Reads `openAPIV3Schema`; undefined where there is none. */
  schema(): JsonObject | undefined;
}

/** The name of its schema: `com.example.stable.v1.CronTab`. */
export function customTypeId(
  { group, version }: Pick<CustomKind, 'group' | 'version'>,
  kind: string,
): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}
