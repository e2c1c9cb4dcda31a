/**
 * What a service holds: an IPAddress for each of its addresses, and a claim of each of its node ports.
 * They are objects of the log, made and deleted in the same commit as the change of the service that
 * takes or releases them, so two services cannot hold the same one and none is left behind.
 *
 * Claims of node ports are no resource of the API: no client reads or writes them.
 *
 * In Kubernetes: createIPAddress, registry/core/service/ipallocator; node ports are bits of a RangeAllocation.
 */
import type { Service } from '../../../api/generated/kinds/core-v1.ts';
import type { ParentReference } from '../../../api/generated/kinds/networking-v1.ts';
import { formatTime, type Clock, type Random } from '../../../api/meta/clock.ts';
import { formatJson } from '../../../api/json/json-text.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { items } from '../../../api/json/go-values.ts';
import { nodePortsOf } from '../../../api/kinds/core/services/allocations.ts';
import {
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
} from '../../../api/kinds/core/services/service-spec.ts';
import { canonicalAddress } from '../../../api/kinds/core/services/service-ranges.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { asKind } from '../../../projections/objects/stored-kinds.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { type Companion, replacing } from '../commit/change.ts';

/** Where services lie. */
export const SERVICES = 'core/services';
/** Where the addresses of services lie, and those that clients make themselves. */
export const IP_ADDRESSES = 'networking.k8s.io/ipaddresses';
/** Where node ports lie that are held. A group without a dot is none that a client can define. */
export const NODE_PORTS = 'everwatch/nodeports';

/** The value of the label of those that the server has made. */
export const MANAGED_BY = 'ipallocator.k8s.io';
const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by';
const FAMILY_LABEL = 'ipaddress.kubernetes.io/ip-family';
const NEVER = resourceVersion(0);

/** Where the object lies that holds an address or a port. */
export interface ClaimKey {
  readonly resource: string;
  readonly path: string;
}

/** Time and chance, for new objects. */
export interface ClaimParts {
  readonly clock: Clock;
  readonly random: Random;
}

/** The key of the object that holds the address; undefined where the text is no address. */
export function addressKey(text: string): ClaimKey | undefined {
  const name = canonicalAddress(text);
  return name === undefined ? undefined : { resource: IP_ADDRESSES, path: pathOf('', name) };
}

/** Whether the server has made an IPAddress, for a service. */
export function isOfService({ labels }: StoredObject): boolean {
  return labels?.[MANAGED_BY_LABEL] === MANAGED_BY;
}

/** The key of the object that holds the port. */
export function portKey(port: number): ClaimKey {
  return { resource: NODE_PORTS, path: pathOf('', String(port)) };
}

/** All that a service holds, each once. */
export function claimsOf({ spec }: Service): readonly ClaimKey[] {
  const ips = needsClusterIp(spec) && !isHeadless(spec) ? items(spec.clusterIPs) : [];
  const healthPort = needsHealthCheckPort(spec) ? (spec.healthCheckNodePort ?? 0) : 0;
  const ports = new Set([...nodePortsOf(spec), healthPort]);
  ports.delete(0);
  return [...ips.flatMap((ip) => addressKey(ip) ?? []), ...[...ports].map(portKey)];
}

/** What an update of a service takes and releases. `undefined` stands for no service. */
export function claimChanges(
  objects: ObjectReads,
  parts: ClaimParts,
  { before, after }: { readonly before: Service | undefined; readonly after: Service | undefined },
): readonly Companion[] {
  const wanted = after === undefined ? [] : claimsOf(after);
  const held = before === undefined ? [] : claimsOf(before);
  const kept = new Set(wanted.map(keyText));
  const taken = wanted.flatMap((key) => {
    const isThere = objects.get(key.resource, key.path) !== undefined;
    return isThere || after === undefined ? [] : [newClaim(key, after, parts)];
  });
  const released = held.flatMap((key) => {
    const stored = objects.get(key.resource, key.path);
    if (stored === undefined || before === undefined || kept.has(keyText(key))) return [];
    return isHeldBy(stored, before) ? [releasedClaim(stored, parts.clock)] : [];
  });
  return [...taken, ...released];
}

/** The object that holds an address or a port for a service. */
export function newClaim(
  key: ClaimKey,
  service: Service,
  { clock, random }: ClaimParts,
): Companion {
  const uid = random.uuid();
  const name = key.path.slice(1);
  const stamp = { uid, creationTimestamp: formatTime(clock.now()) };
  const parentRef = refTo(service);
  const object: JsonObject =
    key.resource === IP_ADDRESSES
      ? addressObject(name, stamp, parentRef)
      : portObject(name, stamp, parentRef);
  return {
    ...key,
    type: 'added',
    previousResourceVersion: NEVER,
    requires: [],
    json: Buffer.from(formatJson(object)),
    labels: key.resource === IP_ADDRESSES ? labelsOf(name) : {},
    uid,
  };
}

/** A deletion, or where finalizers hold the object its beginning. */
export function releasedClaim(stored: StoredObject, clock: Clock): Companion {
  const object = parsedObject(stored);
  const { metadata } = object;
  const { labels = {}, uid = '', finalizers = [] } = metadata;
  delete metadata.resourceVersion;
  const isHeld = finalizers.length > 0;
  if (isHeld) {
    metadata.deletionTimestamp ??= formatTime(clock.now());
    metadata.deletionGracePeriodSeconds = 0;
  }
  return {
    type: isHeld ? 'modified' : 'deleted',
    requires: [],
    json: Buffer.from(formatJson(object)),
    labels,
    uid,
    ...replacing(stored),
  };
}

/** Whether the IPAddress, or the claim of a port, is that of the service. */
export function isHeldBy(stored: StoredObject, { metadata }: Service): boolean {
  const ref = parentOf(stored);
  return ref !== undefined && ref.namespace === metadata.namespace && ref.name === metadata.name;
}

/** The service that the object is held by; undefined where it is held by something else. */
export function parentOf(stored: StoredObject): { namespace: string; name: string } | undefined {
  // Claims of ports have the same form.
  const { spec } = asKind('networking.k8s.io/v1/ipaddresses', IP_ADDRESSES, parsedObject(stored));
  const { group = '', resource, namespace = '', name = '' } = spec.parentRef ?? {};
  return group === '' && resource === 'services' ? { namespace, name } : undefined;
}

/** Whether the server has made the object for a service, and a client has not. */
export function isOwnClaim(resource: string, labels: JsonObject | undefined): boolean {
  if (resource !== IP_ADDRESSES) return resource === NODE_PORTS;
  return labels?.[MANAGED_BY_LABEL] === MANAGED_BY;
}

function keyText({ resource, path }: ClaimKey): string {
  return `${resource} ${path}`;
}

function refTo({ metadata }: Service): ParentReference {
  const { namespace = '', name = '' } = metadata;
  return { resource: 'services', namespace, name };
}

interface Stamp {
  readonly uid: string;
  readonly creationTimestamp: string;
}

function labelsOf(address: string): Record<string, string> {
  return {
    [FAMILY_LABEL]: address.includes(':') ? 'IPv6' : 'IPv4',
    [MANAGED_BY_LABEL]: MANAGED_BY,
  };
}

/** With the managed fields that upstream's allocator gets for creating it as a client. */
function addressObject(name: string, stamp: Stamp, parentRef: ParentReference): JsonObject {
  const managed = {
    manager: 'kube-apiserver',
    operation: 'Update',
    apiVersion: 'networking.k8s.io/v1',
    time: stamp.creationTimestamp,
    fieldsType: 'FieldsV1',
    fieldsV1: MANAGED_FIELDS,
  };
  return {
    kind: 'IPAddress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name, ...stamp, labels: labelsOf(name), managedFields: [managed] },
    spec: { parentRef: { ...parentRef } },
  };
}

function portObject(name: string, stamp: Stamp, parentRef: ParentReference): JsonObject {
  return {
    kind: 'NodePort',
    apiVersion: 'everwatch/v1',
    metadata: { name, ...stamp },
    spec: { parentRef: { ...parentRef } },
  };
}

const MANAGED_FIELDS = {
  'f:metadata': {
    'f:labels': { '.': {}, [`f:${FAMILY_LABEL}`]: {}, [`f:${MANAGED_BY_LABEL}`]: {} },
  },
  'f:spec': {
    'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} },
  },
};
