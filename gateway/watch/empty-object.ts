/** The objects of bookmarks: of which only the version is known, with what their type always has, as Go writes it. */
import type { JsonObject } from '../../api/json/json.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { inDeclaredShape } from '../../api/scheme/declared-shape.ts';

const byType = new Map<string, JsonObject>();

/** @param known all that it says, in the version that is served. */
export function emptyObject({ custom, facts }: ServedResource, known: JsonObject): JsonObject {
  return custom === undefined ? { ...shapeOf(facts.typeId, known), ...known } : known;
}

/** The same in the version in which objects are stored, of which rows of tables are made. */
export function emptyStoredObject(
  { custom, definition, facts, apiVersion }: ServedResource,
  metadata: JsonObject,
): JsonObject {
  if (custom !== undefined) return { kind: facts.kind, apiVersion, metadata };
  const { group, version, kind, typeId } = definition.storageFacts;
  const known = { kind, apiVersion: group === '' ? version : `${group}/${version}`, metadata };
  return { ...shapeOf(typeId, known), ...known };
}

function shapeOf(typeId: string, known: JsonObject): JsonObject {
  let shape = byType.get(typeId);
  if (shape === undefined) byType.set(typeId, (shape = inDeclaredShape(typeId, known)));
  return shape;
}
