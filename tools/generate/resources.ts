/**
 * What resources a kube-apiserver serves with all its APIs switched on, read from the discovery
 * documents and the OpenAPI documents that upstream keeps in its source tree (both are recorded from
 * a running server). A default server serves the stable versions.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, itemsAt, objectAt, stringAt, textsAt } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import { goPackage } from './go-modules.ts';

const DISCOVERY_FILE = /^api(?:s__[a-z0-9.]+)?__v\d+(?:(?:alpha|beta)\d+)?\.json$/;

/** The facts of every resource, groups and versions in the order in which upstream lists them. */
export function generateResources(): ResourceFacts[] {
  const kubernetes = goPackage('k8s.io/kubernetes');
  const discovery = join(kubernetes, 'api', 'discovery');
  const known = readDocuments(join(kubernetes, 'api', 'openapi-spec', 'v3'));
  const lists = new Map<string, JsonObject>();
  for (const file of readdirSync(discovery)) {
    if (!DISCOVERY_FILE.test(file)) continue;
    const list = readJson(join(discovery, file));
    lists.set(stringAt(list, 'groupVersion'), list);
  }
  return groupVersionsInOrder(discovery).flatMap((groupVersion) => {
    const list = lists.get(groupVersion);
    return list === undefined ? [] : factsOf(list, known);
  });
}

/** The file's text: one resource a line, so that a difference between releases can be read. */
export function formatResources(resources: readonly ResourceFacts[]): string {
  return `[\n${resources.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`;
}

/** `v1` first, then as the aggregated document has them. */
function groupVersionsInOrder(discovery: string): string[] {
  const aggregated = readJson(join(discovery, 'aggregated_v2.json'));
  const found = ['v1'];
  for (const group of itemsAt(aggregated, 'items')) {
    const name = stringAt(objectAt(group, 'metadata'), 'name');
    for (const version of itemsAt(group, 'versions')) {
      found.push(`${name}/${stringAt(version, 'version')}`);
    }
  }
  return found;
}

/** One entry of an APIResourceList with the group and version that it inherits from the list. */
interface Entry {
  readonly json: JsonObject;
  readonly name: string;
  readonly group: string;
  readonly version: string;
}

function factsOf(list: JsonObject, known: Known): ResourceFacts[] {
  const groupVersion = stringAt(list, 'groupVersion');
  const slash = groupVersion.indexOf('/');
  const group = groupVersion.slice(0, Math.max(slash, 0));
  const version = groupVersion.slice(slash + 1);
  const entries = itemsAt(list, 'resources').map((json): Entry => ({
    json,
    name: stringAt(json, 'name'),
    group,
    version,
  }));
  return entries
    .filter((entry) => !entry.name.includes('/'))
    .map((entry) => resourceOf(entry, entries, known));
}

function resourceOf(entry: Entry, siblings: readonly Entry[], known: Known): ResourceFacts {
  const { json, name, group, version } = entry;
  const kind = stringAt(json, 'kind');
  const verbs = textsAt(json, 'verbs');
  const listKind = verbs.includes('list') ? `${kind}List` : '';
  const hash = stringAt(json, 'storageVersionHash');
  const typeId = typeIdOf(known.types, group, version, kind);
  return {
    group,
    version,
    resource: name,
    singular: stringAt(json, 'singularName'),
    kind,
    listKind,
    namespaced: json['namespaced'] === true,
    verbs,
    shortNames: textsAt(json, 'shortNames'),
    categories: textsAt(json, 'categories'),
    typeId,
    listTypeId: listKind === '' ? '' : typeIdOf(known.types, group, version, listKind),
    ...(hash === '' ? {} : { storageVersionHash: hash }),
    ...(known.returnedByDelete.has(typeId) ? { returnedByDelete: true } : {}),
    subresources: siblings
      .filter((one) => one.name.startsWith(`${name}/`))
      .map((one) => subresourceOf(one, known.types)),
  };
}

function subresourceOf(entry: Entry, types: TypeIds): SubresourceFacts {
  const kind = stringAt(entry.json, 'kind');
  const group = stringAt(entry.json, 'group') || entry.group;
  const version = stringAt(entry.json, 'version') || entry.version;
  return {
    name: entry.name.slice(entry.name.indexOf('/') + 1),
    kind,
    group,
    version,
    verbs: textsAt(entry.json, 'verbs'),
    typeId: typeIdOf(types, group, version, kind),
  };
}

/** `group/version/kind` to the name of its schema. */
type TypeIds = ReadonlyMap<string, string>;

function typeIdOf(types: TypeIds, group: string, version: string, kind: string): string {
  const id = types.get(`${group}/${version}/${kind}`);
  if (id !== undefined) return id;
  // The options of connect requests (PodExecOptions and its like) are never part of a document.
  if (group === '') return `io.k8s.api.core.${version}.${kind}`;
  throw new Error(`no schema says that it is ${group}/${version} ${kind}`);
}

/** What the OpenAPI documents say. */
interface Known {
  readonly types: TypeIds;
  /** The types that the answer to a DELETE of one object holds, where it is no Status. */
  readonly returnedByDelete: ReadonlySet<string>;
}

function readDocuments(folder: string): Known {
  const types = new Map<string, string>();
  const returnedByDelete = new Set<string>();
  for (const file of readdirSync(folder)) {
    const document = readJson(join(folder, file));
    addTypeIds(objectAt(objectAt(document, 'components'), 'schemas') ?? {}, types);
    for (const path of Object.values(objectAt(document, 'paths') ?? {})) {
      const id = isJsonObject(path) ? typeReturnedByDelete(path) : undefined;
      if (id !== undefined) returnedByDelete.add(id);
    }
  }
  return { types, returnedByDelete };
}

function addTypeIds(schemas: JsonObject, types: Map<string, string>): void {
  for (const [id, schema] of Object.entries(schemas)) {
    if (!isJsonObject(schema)) continue;
    const kinds = itemsAt(schema, 'x-kubernetes-group-version-kind');
    for (const gvk of kinds) {
      const key = ['group', 'version', 'kind'].map((part) => stringAt(gvk, part)).join('/');
      // DeleteOptions and WatchEvent belong to every group; a resource belongs to one.
      if (kinds.length === 1) types.set(key, id);
    }
  }
}

function typeReturnedByDelete(path: JsonObject): string | undefined {
  const operation = objectAt(path, 'delete');
  if (stringAt(operation, 'x-kubernetes-action') !== 'delete') return undefined;
  const answer = objectAt(objectAt(objectAt(operation, 'responses'), '200'), 'content');
  const reference = stringAt(objectAt(objectAt(answer, 'application/json'), 'schema'), '$ref');
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function readJson(path: string): JsonObject {
  const value = JSON.parse(readFileSync(path, 'utf8')) as JsonValue;
  if (!isJsonObject(value)) throw new Error(`${path} holds no JSON object`);
  return value;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = new URL('../../api/generated/resources.json', import.meta.url);
  writeFileSync(target, formatResources(generateResources()));
}
