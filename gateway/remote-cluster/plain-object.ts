/**
 * An object without what only its own cluster could have given it, so that it can be made again in
 * another one: what `kubectl apply` takes, and a replay.
 */
import {
  IP_ADDRESSES,
  isOwnClaim,
  NODE_PORTS,
} from '../../actors/registry/services/service-claims.ts';
import { SERVERS } from '../../actors/controllers/services/server-presence.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { LoggedEvent } from '../../streams/event.ts';

/** The server's own fields, and owners, which are other objects there: see owner-links.ts. */
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

/** The service by which a cluster leads to its own servers, and whom those believe. */
const OWN_SERVERS = new Set([
  'core/configmaps kube-system/extension-apiserver-authentication',
  'core/services default/kubernetes',
  'core/endpoints default/kubernetes',
  'discovery.k8s.io/endpointslices default/kubernetes',
  'networking.k8s.io/servicecidrs /kubernetes',
]);

/**
 * Whether a cluster makes the object itself: the address or node port of a service that it is given,
 * the service `kubernetes` and its range, whose certificates its servers believe, and what servers tell
 * one another.
 */
export function isMadeByCluster({
  resource,
  path,
  json,
}: Pick<LoggedEvent, 'resource' | 'path' | 'json'>): boolean {
  if (resource === NODE_PORTS || resource === SERVERS) return true;
  if (resource !== IP_ADDRESSES) return OWN_SERVERS.has(`${resource} ${path}`);
  const object = parseJson(Buffer.from(json).toString()) as JsonObject; // The log has objects.
  return isOwnClaim(resource, objectAt(objectAt(object, 'metadata'), 'labels'));
}
