/**
 * The lists of versions and groups at `/api`, `/apis` and `/apis/GROUP`. Keys stand in the order
 * in which kube-apiserver writes them, so that the bytes are the same too.
 *
 * In Kubernetes: legacyRootAPIHandler, and apisHandler and apiGroupHandler of the aggregator.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { ServedGroup } from './served-groups.ts';

/** `/api`. Unlike all others it has never had an apiVersion. */
export function apiVersions(legacy: ServedGroup | undefined, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: legacy?.versions.map((one) => one.version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupFields) };
}

/** `/apis/GROUP`. */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) };
}

function groupFields(group: ServedGroup): JsonObject {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group.group, versions, preferredVersion: versions[0] };
}
