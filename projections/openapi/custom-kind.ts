/** A version of a custom resource, as far as its OpenAPI documents tell of it. */
import type { JsonObject } from '../../api/json/json.ts';

export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
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
