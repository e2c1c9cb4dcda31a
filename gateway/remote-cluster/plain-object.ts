/**
 * An object without what only its own cluster could have given it, so that it can be made again in
 * another one: what `kubectl apply` takes, and a replay.
 */
import {
  IP_ADDRESSES,
  isOwnClaim,
  NODE_PORTS,
} from '../../actors/registry/services/service-claims.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { LoggedEvent } from '../../streams/event.ts';

/** The server's own fields, and owners, which would be other objects there. */
const SERVER_METADATA = [
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'selfLink',
  'ownerReferences',
];

/** For people and `kubectl apply`: without what only that cluster can say, its status too. */
export function plainObject(json: Uint8Array): JsonObject {
  const object = targetObject(parseJson(Buffer.from(json).toString()) as JsonObject);
  Reflect.deleteProperty(object, 'status');
  return object;
}

/** For another cluster, where it is to be the same; its status is written apart. */
export function targetObject(object: JsonObject): JsonObject {
  const metadata = { ...objectAt(object, 'metadata') };
  for (const key of SERVER_METADATA) Reflect.deleteProperty(metadata, key);
  return { ...object, metadata };
}

/** Whether a cluster makes the object itself for a service that it is given: its address or node port. */
export function isMadeForServices({
  resource,
  json,
}: Pick<LoggedEvent, 'resource' | 'json'>): boolean {
  if (resource !== IP_ADDRESSES) return resource === NODE_PORTS;
  const object = parseJson(Buffer.from(json).toString()) as JsonObject; // The log has objects.
  return isOwnClaim(resource, objectAt(objectAt(object, 'metadata'), 'labels'));
}
