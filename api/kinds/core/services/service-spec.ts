/**
 * What a service is, read from its spec: questions that its rules ask again and again.
 *
 * In Kubernetes: pkg/api/service and registry/core/service.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { isMissing } from '../../rules/value-validation.ts';

/** `spec.type`; '' where it is not said. */
export function typeOf(spec: ServiceSpec): string {
  return spec.type ?? '';
}

/** Its name leads straight to its pods; there is no address in between. */
export function isHeadless(spec: ServiceSpec): boolean {
  const ips = items(spec.clusterIPs);
  return ips.length === 1 && ips[0] === 'None';
}

/** Whether it has addresses, or says that it has none. */
export function needsClusterIp(spec: ServiceSpec): boolean {
  return typeOf(spec) !== 'ExternalName';
}

/** Whether its ports are opened on nodes. */
export function needsNodePort(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer';
}

/** Whether a load balancer asks each node for its own pods. */
export function needsHealthCheckPort(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

export function isExternallyAccessible(spec: ServiceSpec): boolean {
  return needsNodePort(spec) || (typeOf(spec) === 'ClusterIP' && !isMissing(spec.externalIPs));
}

/** A patch may share its spec and its ports with the old object; from here on they are its own. */
export function ownSpec(service: Service): void {
  const { ports } = service.spec;
  service.spec = { ...service.spec };
  if (ports !== undefined) service.spec.ports = ports.map((port) => ({ ...port }));
}
