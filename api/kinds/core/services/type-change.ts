/**
 * When the type of a service changes, fields that only the old type has go away by themselves,
 * unless the client changed them too: then it meant something, and validation will tell.
 *
 * In Kubernetes: dropTypeDependentFields, registry/core/service.
 */
import type { JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { sameValue } from '../../rules/same-value.ts';
import { objectsAt, specOf } from '../../rules/value-validation.ts';
import { nodePortOf } from './allocations.ts';
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
  typeOf,
} from './service-spec.ts';

type Question = (spec: JsonObject) => boolean;

/** Changes `service`; its status must be its own already. */
export function dropFieldsOfOldType(service: KubeObject, old: KubeObject): void {
  const spec = specOf(service);
  const oldSpec = specOf(old);
  const noLonger = (question: Question): boolean => question(oldSpec) && !question(spec);
  if (noLonger(needsClusterIp)) dropClusterIps(spec, oldSpec);
  if (noLonger(needsNodePort)) dropNodePorts(spec, oldSpec);
  if (noLonger(needsHealthCheckPort)) dropIfSame(spec, oldSpec, 'healthCheckNodePort');
  if (noLonger(isLoadBalancer)) {
    dropIfSame(spec, oldSpec, 'allocateLoadBalancerNodePorts');
    dropIfSame(spec, oldSpec, 'loadBalancerClass');
  }
  if (noLonger(isExternallyAccessible)) dropIfSame(spec, oldSpec, 'externalTrafficPolicy');
  if (!isLoadBalancer(spec)) service['status'] = { ...withoutLoadBalancer(service) };
}

function isLoadBalancer(spec: JsonObject): boolean {
  return typeOf(spec) === 'LoadBalancer';
}

function dropClusterIps(spec: JsonObject, oldSpec: JsonObject): void {
  const keys = ['clusterIP', 'clusterIPs'];
  if (keys.every((key) => sameValue(spec[key], oldSpec[key]))) {
    for (const key of keys) Reflect.deleteProperty(spec, key);
  }
  dropIfSame(spec, oldSpec, 'ipFamilies');
  dropIfSame(spec, oldSpec, 'ipFamilyPolicy');
}

/** All or none: one port that the old service did not have keeps the others. */
function dropNodePorts(spec: JsonObject, oldSpec: JsonObject): void {
  const ports = objectsAt(spec, 'ports');
  const oldNodePorts = new Set([0, ...objectsAt(oldSpec, 'ports').map(nodePortOf)]);
  if (!ports.every((port) => oldNodePorts.has(nodePortOf(port)))) return;
  for (const port of ports) Reflect.deleteProperty(port, 'nodePort');
}

function dropIfSame(spec: JsonObject, oldSpec: JsonObject, key: string): void {
  if (sameValue(spec[key], oldSpec[key])) Reflect.deleteProperty(spec, key);
}

function withoutLoadBalancer(service: KubeObject): JsonObject {
  const status = service['status'];
  const rest = typeof status === 'object' && !Array.isArray(status) ? status : {};
  return { ...rest, loadBalancer: {} };
}
