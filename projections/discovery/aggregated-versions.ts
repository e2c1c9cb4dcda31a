/**
 * What servers behind this one say of their group versions, read as Go reads it and brought into the
 * form of aggregated discovery: from a document about all of their groups, or from the list of one group
 * version, which is all that older servers have.
 *
 * In Kubernetes: fetchFreshDiscoveryForService, kube-aggregator, and ConvertGroupVersionIntoToDiscovery,
 * apiserver/pkg/endpoints.
 */
import {
  isJsonObject,
  itemsAt,
  objectAt,
  stringAt,
  textsAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';

/** A group version whose requests go to a server behind this one. */
export interface AggregatedVersion {
  /** `metrics.k8s.io`. */
  readonly group: string;
  /** `v1beta1`. */
  readonly version: string;
  /** That of its APIService: higher numbers come first. */
  readonly groupPriority: number;
  /** The same among the versions of its group. */
  readonly versionPriority: number;
  /** As aggregated discovery has them; [] where nothing is known yet. */
  readonly resources: readonly JsonObject[];
  /** Whether the server could not be asked lately. */
  readonly isStale: boolean;
  /** The APIResourceList that the server had last; undefined where it never answered. */
  readonly list: JsonObject | undefined;
}

const ALL_GROUPS = 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList';
const RESOURCE_LIST = 'io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList';
const NO_KIND = { group: '', version: '', kind: '' };

/**
 * The resources of each group version, by `GROUP/VERSION`, of a document of aggregated discovery, v2 or
 * v2beta1, which have the same fields.
 *
 * @throws Error with Go's message when it is no such document.
 */
export function versionsOfAll(document: JsonValue): Map<string, readonly JsonObject[]> {
  const versions = new Map<string, readonly JsonObject[]>();
  for (const group of itemsAt(decoded(document, ALL_GROUPS), 'items')) {
    const name = stringAt(objectAt(group, 'metadata'), 'name');
    for (const version of itemsAt(group, 'versions')) {
      const resources = itemsAt(version, 'resources').map(withKinds);
      versions.set(`${name}/${stringAt(version, 'version')}`, resources);
    }
  }
  return versions;
}

/** @throws Error with Go's message when it is no APIResourceList. */
export function resourceListOf(document: JsonValue): JsonObject {
  return decoded(document, RESOURCE_LIST);
}

/**
 * The resources of an APIResourceList.
 *
 * @throws Error when a subresource has another scope than the resource above it.
 */
export function resourcesOfList(list: JsonObject): readonly JsonObject[] {
  const all = itemsAt(list, 'resources');
  const found = new Map<string, { scope: string; fields: JsonObject; below: JsonObject[] }>();
  const under = all.filter((one) => stringAt(one, 'name').includes('/'));
  for (const one of all.filter((each) => !under.includes(each))) {
    const name = stringAt(one, 'name');
    found.set(name, { scope: scopeOf(one), fields: resourceFields(one), below: [] });
  }
  for (const one of under) {
    const [name, rest] = parted(stringAt(one, 'name'));
    const scope = scopeOf(one);
    const above = found.get(name) ?? { scope, fields: orphanFields(name, scope), below: [] };
    found.set(name, above);
    if (above.scope !== scope) {
      const texts = `${name} (scope: ${above.scope}) and subresource ${rest} (scope: ${scope})`;
      throw new Error(`Error: Parent ${texts} scope do not match`);
    }
    above.below.push(subresourceFields(one, rest));
  }
  return [...found.values()].map(({ fields, below }) =>
    below.length === 0 ? fields : { ...fields, subresources: below },
  );
}

function decoded(document: JsonValue, typeId: string): JsonObject {
  const read = typedCodec(typeId).decode(document);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

/** Clients of 1.26 cannot do without. */
function withKinds(resource: JsonObject): JsonObject {
  const below = itemsAt(resource, 'subresources');
  const whole = withKind(resource, 'resource');
  if (below.length === 0) return whole;
  return { ...whole, subresources: below.map((one) => withKind(one, 'subresource')) };
}

/** @param name the field that stands before it. */
function withKind(entry: JsonObject, name: 'resource' | 'subresource'): JsonObject {
  if (isJsonObject(entry['responseKind'])) return entry;
  const { [name]: text = '', ...rest } = entry;
  return { [name]: text, responseKind: NO_KIND, ...rest };
}

function scopeOf(one: JsonObject): string {
  return one['namespaced'] === true ? 'Namespaced' : 'Cluster';
}

function kindOf(one: JsonObject): JsonObject {
  const [group, version] = [stringAt(one, 'group'), stringAt(one, 'version')];
  return { group, version, kind: stringAt(one, 'kind') };
}

function resourceFields(one: JsonObject): JsonObject {
  const [shortNames, categories] = [textsAt(one, 'shortNames'), textsAt(one, 'categories')];
  return {
    resource: stringAt(one, 'name'),
    responseKind: kindOf(one),
    scope: scopeOf(one),
    singularResource: stringAt(one, 'singularName'),
    verbs: one['verbs'] ?? null,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

/** Where the list has a subresource, and not the resource that it belongs to. */
function orphanFields(name: string, scope: string): JsonObject {
  return { resource: name, responseKind: NO_KIND, scope, singularResource: '', verbs: null };
}

function subresourceFields(one: JsonObject, subresource: string): JsonObject {
  const responseKind = stringAt(one, 'kind') === '' ? NO_KIND : kindOf(one);
  return { subresource, responseKind, verbs: one['verbs'] ?? null };
}

function parted(name: string): [string, string] {
  const at = name.indexOf('/');
  return [name.slice(0, at), name.slice(at + 1)];
}
