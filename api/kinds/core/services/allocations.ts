/**
 * Keeps what was handed out to a service when a client's update leaves it out, and `clusterIP`
 * in step with the first of `clusterIPs`, whichever of the two a client knows.
 *
 * In Kubernetes: patchAllocatedValues and normalizeClusterIPs, registry/core/service/storage.
 */
import { type JsonObject, int32At, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing, objectsAt, specOf } from '../../rules/value-validation.ts';
import { needsClusterIp, needsHealthCheckPort, needsNodePort } from './service-spec.ts';

/** Gives a new service that only has a clusterIP the list of it. */
export function pairNewClusterIps(service: KubeObject): void {
  const spec = specOf(service);
  const ip = stringAt(spec, 'clusterIP');
  if (ip !== '' && isMissing(spec['clusterIPs'])) spec['clusterIPs'] = [ip];
}

/** The client that changed only one of the two means both. */
export function pairClusterIps(service: KubeObject, old: KubeObject): void {
  const spec = specOf(service);
  const oldSpec = specOf(old);
  const ip = stringAt(spec, 'clusterIP');
  const oldIp = stringAt(oldSpec, 'clusterIP');
  if (ip === oldIp) {
    if (isMissing(spec['clusterIPs'])) carryOver(spec, oldSpec, 'clusterIPs');
    return;
  }
  if (!sameValue(spec['clusterIPs'], oldSpec['clusterIPs'])) return;
  if (ip === '') Reflect.deleteProperty(spec, 'clusterIPs');
  else spec['clusterIPs'] = [ip];
}

/** Changes `service` to have what `old` has and it does not mention. */
export function carryOverAllocations(service: KubeObject, old: KubeObject): void {
  const spec = specOf(service);
  const oldSpec = specOf(old);
  if (needsClusterIp(spec) && needsClusterIp(oldSpec)) {
    if (stringAt(spec, 'clusterIP') === '') carryOver(spec, oldSpec, 'clusterIP');
    if (isMissing(spec['clusterIPs'])) carryOver(spec, oldSpec, 'clusterIPs');
  }
  if (needsNodePort(spec) && needsNodePort(oldSpec)) carryOverNodePorts(spec, oldSpec);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec)) {
    const port = int32At(spec, 'healthCheckNodePort') ?? 0;
    if (port === 0) carryOver(spec, oldSpec, 'healthCheckNodePort');
  }
}

/** Ports are told apart by name; a node port that is still used by another is not given again. */
function carryOverNodePorts(spec: JsonObject, oldSpec: JsonObject): void {
  const ports = objectsAt(spec, 'ports');
  const oldPorts = objectsAt(oldSpec, 'ports');
  const used = new Set(ports.map(nodePortOf));
  const byName = new Map(oldPorts.map((port) => [stringAt(port, 'name'), nodePortOf(port)]));
  for (const port of ports) {
    const nodePort = byName.get(stringAt(port, 'name')) ?? 0;
    if (nodePortOf(port) !== 0 || nodePort === 0 || used.has(nodePort)) continue;
    port['nodePort'] = nodePort;
  }
}

/** 0 when there is none. */
export function nodePortOf(port: JsonObject): number {
  return int32At(port, 'nodePort') ?? 0;
}
