/**
 * The served resources, ordered as discovery shows them (groups by priority, the versions of a group by
 * preference, the resources of a version by name), and the documents of discovery that list them: `/api`,
 * `/apis`, `/apis/GROUP` and one per version. Keys stand in the order in which kube-apiserver writes
 * them, so that the bytes are the same too.
 *
 * In Kubernetes: legacyRootAPIHandler, APIVersionHandler, and apisHandler and apiGroupHandler of the
 * aggregator.
 */
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import { compareVersions, priorityOf } from '../../api/scheme/version-priority.ts';
import type { VersionPriority } from '../../api/scheme/version-priority.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';

export interface ServedVersion {
  readonly version: string;
  /** `v1` or `apps/v1`. */
  readonly groupVersion: string;
  readonly resources: readonly ResourceFacts[];
  /** Where another server serves it, which then says what there is; `resources` are none. */
  readonly aggregated?: AggregatedVersion;
}

export interface ServedGroup {
  readonly group: string;
  /** At least one; the preferred one first. */
  readonly versions: readonly [ServedVersion, ...ServedVersion[]];
}

/** The numbers by which `v1` of `apps` stands before or behind others. */
export type PriorityOf = (group: string, version: string) => VersionPriority;

/**
 * The legacy group comes first, as its priority is the highest but one and it has its own root. A
 * version that another server serves takes the place of the one that this server has.
 */
export function groupServed(
  served: readonly ResourceFacts[],
  aggregated: readonly AggregatedVersion[] = [],
  priority: PriorityOf = priorityOf,
): ServedGroup[] {
  const groups = new Map<string, Map<string, ServedVersion>>();
  for (const [group, versions] of resourcesByVersion(served)) {
    const found = entryOf(groups, group, () => new Map<string, ServedVersion>());
    for (const [version, resources] of versions) {
      found.set(version, { ...versionOf(group, version), resources: byName(resources) });
    }
  }
  for (const one of aggregated) {
    const found = entryOf(groups, one.group, () => new Map<string, ServedVersion>());
    const head = versionOf(one.group, one.version);
    found.set(one.version, { ...head, resources: [], aggregated: one });
  }
  return inOrder(groups, priority);
}

function resourcesByVersion(
  served: readonly ResourceFacts[],
): Map<string, Map<string, ResourceFacts[]>> {
  const groups = new Map<string, Map<string, ResourceFacts[]>>();
  for (const resource of served) {
    const versions = entryOf(groups, resource.group, () => new Map<string, ResourceFacts[]>());
    entryOf(versions, resource.version, () => []).push(resource);
  }
  return groups;
}

function versionOf(group: string, version: string): Omit<ServedVersion, 'resources'> {
  return { version, groupVersion: group === '' ? version : `${group}/${version}` };
}

function byName(resources: ResourceFacts[]): ResourceFacts[] {
  return resources.sort((left, right) => (left.resource < right.resource ? -1 : 1));
}

function inOrder(
  groups: ReadonlyMap<string, ReadonlyMap<string, ServedVersion>>,
  ofLocal: PriorityOf,
): ServedGroup[] {
  const found: (ServedGroup & { readonly priority: number })[] = [];
  for (const [group, byVersion] of groups) {
    const priority = ({ version, aggregated: other }: ServedVersion): VersionPriority =>
      other === undefined
        ? ofLocal(group, version)
        : { group: other.groupPriority, version: other.versionPriority };
    const [first, ...rest] = [...byVersion.values()].sort(
      (left, right) =>
        priority(right).version - priority(left).version ||
        compareVersions(left.version, right.version),
    );
    if (first === undefined) continue;
    const highest = Math.max(...[first, ...rest].map((one) => priority(one).group));
    found.push({ group, versions: [first, ...rest], priority: highest });
  }
  return found
    .sort((one, other) => other.priority - one.priority || (one.group < other.group ? -1 : 1))
    .map(({ group, versions }) => ({ group, versions }));
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** By which address clients of a range of addresses reach the server. */
export interface ServerAddress {
  /** `10.0.0.0/24`. */
  readonly clientCIDR: string;
  /** `10.0.0.1:443`. */
  readonly serverAddress: string;
}

/** `/api`. Unlike all others it has never had an apiVersion. */
export function apiVersions(
  legacy: ServedGroup | undefined,
  addresses: readonly ServerAddress[],
): JsonObject {
  return {
    kind: 'APIVersions',
    versions: legacy?.versions.map((one) => one.version) ?? [],
    serverAddressByClientCIDRs: addresses.map((one) => ({ ...one })),
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
