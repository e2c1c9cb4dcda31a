/**
 * What a service is, read from its spec: questions that its rules ask again and again.
 *
 * In Kubernetes: pkg/api/service and registry/core/service.
 */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { isMissing, objectsAt, specOf, stringsAt } from '../../rules/value-validation.ts';

export function typeOf(spec: JsonObject): string {
  return stringAt(spec, 'type');
}

/** Its name leads straight to its pods; there is no address in between. */
export function isHeadless(spec: JsonObject): boolean {
  const ips = stringsAt(spec, 'clusterIPs');
  return ips.length === 1 && ips[0] === 'None';
}

export function needsClusterIp(spec: JsonObject): boolean {
  return typeOf(spec) !== 'ExternalName';
}

export function needsNodePort(spec: JsonObject): boolean {
  return typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer';
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return typeOf(spec) === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
}

export function isExternallyAccessible(spec: JsonObject): boolean {
  return needsNodePort(spec) || (typeOf(spec) === 'ClusterIP' && !isMissing(spec['externalIPs']));
}

/** A patch may share its spec and its ports with the old object; from here on they are its own. */
export function ownSpec(service: KubeObject): void {
  const spec: JsonObject = { ...specOf(service) };
  const ports = objectsAt(spec, 'ports').map((port): JsonObject => ({ ...port }));
  if (ports.length > 0) spec['ports'] = ports;
  service['spec'] = spec;
}
