/** A CustomResourceDefinition of one version around a schema, for tests that need a resource. */
import type { JsonObject } from './json.ts';

export interface DefinedResource {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** Left out: namespaced. */
  readonly scope?: 'Namespaced' | 'Cluster' | undefined;
  /** openAPIV3Schema; left out: whatever is sent is kept. */
  readonly schema?: JsonObject;
  /** Besides plural and kind. */
  readonly names?: JsonObject | undefined;
  /** Of the version `v1`, besides its schema: subresources, columns. */
  readonly version?: JsonObject;
  readonly annotations?: JsonObject | undefined;
}

const OPEN: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function resourceDefinition(resource: DefinedResource): JsonObject {
  const { group, plural, kind, scope = 'Namespaced', schema = OPEN, annotations } = resource;
  const version = { name: 'v1', served: true, storage: true, ...resource.version };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      scope,
      names: { plural, kind, ...resource.names },
      versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
    },
  };
}
