/** What a Service uses of a quota. In Kubernetes: serviceEvaluator, pkg/quota/v1/evaluator/core. */
import type { Service, ServiceSpec } from '../generated/kinds/core-v1.ts';
import { items } from '../json/go-values.ts';
import { NONE, ONE, whole, type Amounts } from './amounts.ts';

export const SERVICE_RESOURCES: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

export function serviceUsage({ spec }: Service): Amounts {
  const { type } = spec;
  const isBalanced = type === 'LoadBalancer';
  const usesNodePorts = isBalanced || type === 'NodePort';
  return new Map([
    ['count/services', ONE],
    ['services', ONE],
    ['services.loadbalancers', isBalanced ? ONE : NONE],
    ['services.nodeports', usesNodePorts ? whole(nodePorts(spec, isBalanced)) : NONE],
  ]);
}

/** None are given yet when it is created, so what counts is how many it is going to have. */
function nodePorts(spec: ServiceSpec, isBalanced: boolean): number {
  const ports = items(spec.ports);
  if (!isBalanced || spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}
