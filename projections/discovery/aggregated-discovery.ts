/**
 * All groups, versions and resources in one document, as newer clients ask for it at `/api` and
 * `/apis` with `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`.
 *
 * In Kubernetes: the resource manager of endpoints/discovery/aggregated.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../api/json/json.ts';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ServedGroup, ServedVersion } from './served-groups.ts';
import { formatJson } from '../../api/json/json-text.ts';

const HEAD = '{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{}';

/** The entries of groups as text, kept from one document to the next while nothing in them changes. */
export class GroupTexts {
  readonly #known = new Map<string, GroupText>();

  of(served: ServedGroup): string {
    const known = this.#known.get(served.group);
    if (known !== undefined && isSameGroup(known.served, served)) return known.text;
    const text = formatJson(groupEntry(served));
    this.#known.set(served.group, { served, text });
    return text;
  }

  /** Forgets all other groups. */
  keepOnly(groups: ReadonlySet<string>): void {
    for (const group of this.#known.keys()) if (!groups.has(group)) this.#known.delete(group);
  }
}

interface GroupText {
  readonly served: ServedGroup;
  readonly text: string;
}

/** The document as text, without the newline at its end. */
export function aggregatedDiscovery(groups: readonly ServedGroup[], texts: GroupTexts): string {
  return `${HEAD},"items":[${groups.map((group) => texts.of(group)).join(',')}]}`;
}

/** The facts of a resource never change; others take their place. */
function isSameGroup(left: ServedGroup, right: ServedGroup): boolean {
  return isSameList(left.versions, right.versions, (one, other) => {
    if (one.version !== other.version || one.aggregated !== other.aggregated) return false;
    return isSameList(one.resources, other.resources, Object.is);
  });
}

/** Whether the lists are equally long, and each item is the same as the other's at its place. */
export function isSameList<Item>(
  left: readonly Item[],
  right: readonly Item[],
  isSame: (left: Item, right: Item) => boolean,
): boolean {
  if (left.length !== right.length) return false;
  return left.every((one, index) => {
    const other = right[index];
    return other !== undefined && isSame(one, other);
  });
}

function groupEntry({ group, versions }: ServedGroup): JsonObject {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(versionEntry),
  };
}

/** The value of the ETag header, quotes included. */
export function aggregatedEtag(body: Uint8Array): string {
  return `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
}

function versionEntry(served: ServedVersion): JsonObject {
  const { version, aggregated } = served;
  if (aggregated !== undefined) {
    const { resources } = aggregated;
    return {
      version,
      ...(resources.length === 0 ? {} : { resources: [...resources] }),
      freshness: aggregated.isStale ? 'Stale' : 'Current',
    };
  }
  return {
    version,
    resources: served.resources.map(resourceEntry),
    freshness: 'Current',
  };
}

function resourceEntry(resource: ResourceFacts): JsonObject {
  const { shortNames, categories, subresources } = resource;
  return {
    resource: resource.resource,
    responseKind: { ...ownVersion(resource), kind: resource.kind },
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
    responseKind: { ...(isOwn ? ownVersion(resource) : { group, version }), kind },
    verbs: [...subresource.verbs],
  };
}

/** Empty means the version around it; of custom resources it is said. */
function ownVersion({ group, version, typeId }: ResourceFacts): JsonObject {
  return typeId === '' ? { group, version } : { group: '', version: '' };
}
