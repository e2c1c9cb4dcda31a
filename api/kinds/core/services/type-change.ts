/**
 * When the type of a service changes, fields that only the old type has go away by themselves,
 * unless the client changed them too: then it meant something, and validation will tell.
 *
 * In Kubernetes: dropTypeDependentFields, registry/core/service.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { sameValue } from '../../rules/same-value.ts';
import { nodePortOf } from './allocations.ts';
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
  typeOf,
} from './service-spec.ts';

type Question = (spec: ServiceSpec) => boolean;

/** Changes `service`; its status must be its own already. */
export function dropFieldsOfOldType(service: Service, old: Service): void {
  const spec = service.spec;
  const oldSpec = old.spec;
  const noLonger = (question: Question): boolean => question(oldSpec) && !question(spec);
  if (noLonger(needsClusterIp)) dropClusterIps(spec, oldSpec);
  if (noLonger(needsNodePort)) dropNodePorts(spec, oldSpec);
  if (noLonger(needsHealthCheckPort)) dropIfSame(spec, oldSpec, 'healthCheckNodePort');
  if (noLonger(isLoadBalancer)) {
    dropIfSame(spec, oldSpec, 'allocateLoadBalancerNodePorts');
    dropIfSame(spec, oldSpec, 'loadBalancerClass');
  }
  if (noLonger(isExternallyAccessible)) dropIfSame(spec, oldSpec, 'externalTrafficPolicy');
  if (!isLoadBalancer(spec)) service.status = { ...service.status, loadBalancer: {} };
}

function isLoadBalancer(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'LoadBalancer';
}

function dropClusterIps(spec: ServiceSpec, oldSpec: ServiceSpec): void {
  const keys = ['clusterIP', 'clusterIPs'] as const;
  if (keys.every((key) => sameValue(spec[key], oldSpec[key]))) {
    for (const key of keys) Reflect.deleteProperty(spec, key);
  }
  dropIfSame(spec, oldSpec, 'ipFamilies');
  dropIfSame(spec, oldSpec, 'ipFamilyPolicy');
}

/** All or none: one port that the old service did not have keeps the others. */
function dropNodePorts(spec: ServiceSpec, oldSpec: ServiceSpec): void {
  const ports = items(spec.ports);
  const oldNodePorts = new Set([0, ...items(oldSpec.ports).map(nodePortOf)]);
  if (!ports.every((port) => oldNodePorts.has(nodePortOf(port)))) return;
  for (const port of ports) Reflect.deleteProperty(port, 'nodePort');
}

function dropIfSame(spec: ServiceSpec, oldSpec: ServiceSpec, key: keyof ServiceSpec): void {
  if (sameValue(spec[key], oldSpec[key])) Reflect.deleteProperty(spec, key);
}
