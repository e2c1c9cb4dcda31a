/** What a Service uses of a quota. In Kubernetes: serviceEvaluator, pkg/quota/v1/evaluator/core. */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../json/json.ts';
import { NONE, ONE, whole, type Amounts } from './amounts.ts';

export const SERVICE_RESOURCES: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

export function serviceUsage(service: JsonObject): Amounts {
  const spec = objectAt(service, 'spec');
  const type = stringAt(spec, 'type');
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
function nodePorts(spec: JsonObject | undefined, isBalanced: boolean): number {
  const ports = itemsAt(spec, 'ports');
  if (!isBalanced || spec?.['allocateLoadBalancerNodePorts'] !== false) return ports.length;
  return ports.filter((port) => typeof port['nodePort'] === 'number' && port['nodePort'] !== 0)
    .length;
}
