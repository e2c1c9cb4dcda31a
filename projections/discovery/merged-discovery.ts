/**
 * Aggregated discovery of several servers as one document: what one of them serves is shown by all, and none of the
 * servers' own orders is broken where they agree.
 *
 * In Kubernetes: peer_aggregated_handler.go, apiserver/pkg/endpoints/discovery/aggregated.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../../api/json/json.ts';
import { aggregatedEtag } from './aggregated-discovery.ts';
import type { DiscoveryDocument } from './discovery-view.ts';
import { mergedOrder } from './merged-order.ts';

/** Entries of an APIGroupDiscoveryList. */
export type DiscoveredGroups = readonly JsonObject[];

/** The document of a server with other groups in it. */
export function withGroups(own: DiscoveryDocument, groups: DiscoveredGroups): DiscoveryDocument {
  const object = { ...own.object, items: [...groups] };
  const body = Buffer.from(`${formatJson(object)}\n`);
  return { body, object, etag: aggregatedEtag(body), typeId: own.typeId };
}

/** @param lists of each server, in the order of their names. The first that has a group says what it is like. */
export function mergedGroups(lists: readonly DiscoveredGroups[]): DiscoveredGroups {
  return merged(lists, nameOfGroup, mergedGroup);
}

/** Entries of several lists by their names. */
function merged(
  lists: readonly (readonly JsonObject[])[],
  nameOf: (entry: JsonObject) => string,
  both: (one: JsonObject, other: JsonObject) => JsonObject,
): JsonObject[] {
  const byName = new Map<string, JsonObject>();
  for (const entry of lists.flat()) {
    const name = nameOf(entry);
    const known = byName.get(name);
    byName.set(name, known === undefined || isSame(known, entry) ? entry : both(known, entry));
  }
  return inOrder(mergedOrder(lists.map((list) => list.map(nameOf))), byName);
}

function mergedGroup(one: JsonObject, other: JsonObject): JsonObject {
  const versions = [itemsAt(one, 'versions'), itemsAt(other, 'versions')];
  return { ...one, versions: merged(versions, versionOf, mergedVersion) };
}

function mergedVersion(one: JsonObject, other: JsonObject): JsonObject {
  const resources = [itemsAt(one, 'resources'), itemsAt(other, 'resources')];
  return { ...one, resources: merged(resources, resourceOf, mergedResource) };
}

/** What both can do with it, in the order of names. */
function mergedResource(one: JsonObject, other: JsonObject): JsonObject {
  const verbs = new Set([...textsAt(one, 'verbs'), ...textsAt(other, 'verbs')]);
  const below = new Map(
    [one, other].flatMap((of) =>
      itemsAt(of, 'subresources').map((each) => [stringAt(each, 'subresource'), each] as const),
    ),
  );
  const subresources = inOrder([...below.keys()].toSorted(byText), below);
  return {
    ...one,
    verbs: [...verbs].toSorted(byText),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

function inOrder(names: readonly string[], of: ReadonlyMap<string, JsonObject>): JsonObject[] {
  return names.map((name) => of.get(name)).filter((one) => one !== undefined);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Of an entry of a document; '' of the core group. */
export function nameOfGroup(group: JsonObject): string {
  return stringAt(objectAt(group, 'metadata'), 'name');
}

function versionOf(version: JsonObject): string {
  return stringAt(version, 'version');
}

function resourceOf(resource: JsonObject): string {
  return stringAt(resource, 'resource');
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return one === other || formatJson(one) === formatJson(other);
}
