/**
 * Keeps what was handed out to a service when a client's update leaves it out, and `clusterIP`
 * in step with the first of `clusterIPs`, whichever of the two a client knows.
 *
 * In Kubernetes: patchAllocatedValues and normalizeClusterIPs, registry/core/service/storage.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec, ServicePort } from '../../../generated/kinds/core-v1.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { needsClusterIp, needsHealthCheckPort, needsNodePort, typeOf } from './service-spec.ts';

/** Gives a new service that only has a clusterIP the list of it. */
export function pairNewClusterIps(service: Service): void {
  const spec = service.spec;
  const ip = spec.clusterIP ?? '';
  if (ip !== '' && isMissing(spec.clusterIPs)) spec.clusterIPs = [ip];
}

/** The client that changed only one of the two means both. */
export function pairClusterIps(service: Service, old: Service): void {
  const spec = service.spec;
  const oldSpec = old.spec;
  const ip = spec.clusterIP ?? '';
  const oldIp = oldSpec.clusterIP ?? '';
  if (ip === oldIp) {
    if (isMissing(spec.clusterIPs)) carryOver(spec, oldSpec, 'clusterIPs');
    return;
  }
  if (!sameValue(spec.clusterIPs, oldSpec.clusterIPs)) return;
  if (ip === '') Reflect.deleteProperty(spec, 'clusterIPs');
  else spec.clusterIPs = [ip];
}

/** Changes `service` to have what `old` has and it does not mention. */
export function carryOverAllocations(service: Service, old: Service): void {
  const spec = service.spec;
  const oldSpec = old.spec;
  if (needsClusterIp(spec) && needsClusterIp(oldSpec)) {
    if ((spec.clusterIP ?? '') === '') carryOver(spec, oldSpec, 'clusterIP');
    if (isMissing(spec.clusterIPs)) carryOver(spec, oldSpec, 'clusterIPs');
  }
  if (isGivenPorts(spec) && isGivenPorts(oldSpec)) carryOverNodePorts(spec, oldSpec);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec)) {
    const port = spec.healthCheckNodePort ?? 0;
    if (port === 0) carryOver(spec, oldSpec, 'healthCheckNodePort');
  }
}

function isGivenPorts(spec: ServiceSpec): boolean {
  return (
    needsNodePort(spec) &&
    (typeOf(spec) === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false)
  );
}

/** Ports are told apart by name; a node port that is still used by another is not given again. */
function carryOverNodePorts(spec: ServiceSpec, oldSpec: ServiceSpec): void {
  const ports = items(spec.ports);
  const oldPorts = items(oldSpec.ports);
  const used = new Set(ports.map(nodePortOf));
  const byName = new Map(oldPorts.map((port) => [port.name ?? '', nodePortOf(port)]));
  for (const port of ports) {
    const nodePort = byName.get(port.name ?? '') ?? 0;
    if (nodePortOf(port) !== 0 || nodePort === 0 || used.has(nodePort)) continue;
    port.nodePort = nodePort;
  }
}

/** 0 when there is none. */
export function nodePortOf(port: ServicePort): number {
  return port.nodePort ?? 0;
}

/** Those that a service holds: one that is a mere name may speak of some and has none. */
export function nodePortsOf(spec: ServiceSpec): readonly number[] {
  return needsNodePort(spec) ? items(spec.ports).map(nodePortOf) : [];
}
