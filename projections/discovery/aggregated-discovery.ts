/**
 * All groups, versions and resources in one document, as newer clients ask for it at `/api` and
 * `/apis` with `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`.
 *
 * In Kubernetes: the resource manager of endpoints/discovery/aggregated.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../api/meta/json.ts';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ServedGroup, ServedVersion } from './served-groups.ts';

export function aggregatedDiscovery(groups: readonly ServedGroup[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map(versionEntry),
    })),
  };
}

/** The value of the ETag header, quotes included. */
export function aggregatedEtag(body: Uint8Array): string {
  return `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
}

function versionEntry(served: ServedVersion): JsonObject {
  return {
    version: served.version,
    resources: served.resources.map(resourceEntry),
    freshness: 'Current',
  };
}

function resourceEntry(resource: ResourceFacts): JsonObject {
  const { shortNames, categories, subresources } = resource;
  return {
    resource: resource.resource,
    responseKind: { group: '', version: '', kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((one) => subresourceEntry(resource, one)) }),
  };
}

function subresourceEntry(resource: ResourceFacts, subresource: SubresourceFacts): JsonObject {
  const { group, version, kind } = subresource;
  const isOwn = group === resource.group && version === resource.version;
  return {
    subresource: subresource.name,
    // Empty means the version around it.
    responseKind: isOwn ? { group: '', version: '', kind } : { group, version, kind },
    verbs: [...subresource.verbs],
  };
}
