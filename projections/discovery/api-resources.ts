/**
 * The list of resources at `/api/v1` and `/apis/GROUP/VERSION`, subresources as entries of
 * their own. Keys stand in the order in which kube-apiserver writes them.
 *
 * In Kubernetes: APIVersionHandler.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ServedVersion } from './served-groups.ts';

export function apiResourceList(served: ServedVersion): JsonObject {
  const isLegacy = !served.groupVersion.includes('/');
  return {
    kind: 'APIResourceList',
    // The legacy group's list has kept the form of the first release, without a version.
    ...(isLegacy ? {} : { apiVersion: 'v1' }),
    groupVersion: served.groupVersion,
    resources: served.resources.flatMap((resource) => [
      resourceEntry(resource),
      ...resource.subresources.map((one) => subresourceEntry(resource, one)),
    ]),
  };
}

function resourceEntry(resource: ResourceFacts): JsonObject {
  const { shortNames, categories, storageVersionHash } = resource;
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

function subresourceEntry(resource: ResourceFacts, subresource: SubresourceFacts): JsonObject {
  return {
    name: `${resource.resource}/${subresource.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...foreignVersion(resource, subresource),
    kind: subresource.kind,
    verbs: [...subresource.verbs],
  };
}

/** Named only where it is another than the list's own. */
function foreignVersion(resource: ResourceFacts, { group, version }: SubresourceFacts): JsonObject {
  return group === resource.group && version === resource.version ? {} : { group, version };
}
