/**
 * What services were given and what is left, under the names of upstream's allocators.
 *
 * In Kubernetes: metrics.go of registry/core/service/ipallocator and portallocator.
 */
import type { AllocationCount } from '../../actors/registry/services/allocation-counts.ts';
import type { ServiceAllocation } from '../../actors/registry/services/service-allocation.ts';
import type { Metrics } from './metrics.ts';

/** What of it is read when figures are shown. */
export type ShownAllocation = Pick<ServiceAllocation, 'counts' | 'use'>;

/** From now on. */
export function measureAllocation(metrics: Metrics, allocation: ShownAllocation): void {
  measureAddresses(metrics, allocation);
  measurePorts(metrics, allocation);
}

function measureAddresses(metrics: Metrics, allocation: ShownAllocation): void {
  const uses = (which: 'held' | 'left') => () =>
    [...allocation.use().addresses].map(([cidr, one]) => ({ labels: { cidr }, value: one[which] }));
  const told = (which: 'given' | 'refused') => () =>
    byScope(allocation.counts.addresses, which, true);
  metrics.gauge(
    'kube_apiserver_clusterip_allocator_allocated_ips',
    'Addresses that services have, by range.',
    uses('held'),
  );
  metrics.gauge(
    'kube_apiserver_clusterip_allocator_available_ips',
    'Addresses that services can have still, by range.',
    uses('left'),
  );
  metrics.counter(
    'kube_apiserver_clusterip_allocator_allocation_total',
    'Addresses that were given; static: the client named it.',
    told('given'),
  );
  metrics.counter(
    'kube_apiserver_clusterip_allocator_allocation_errors_total',
    'Addresses that could not be given; static: the client named it.',
    told('refused'),
  );
}

function measurePorts(metrics: Metrics, allocation: ShownAllocation): void {
  const told = (which: 'given' | 'refused') => () => byScope(allocation.counts.ports, which, false);
  metrics.gauge(
    'kube_apiserver_nodeport_allocator_allocated_ports',
    'Node ports that services have.',
    () => allocation.use().ports.held,
  );
  metrics.gauge(
    'kube_apiserver_nodeport_allocator_available_ports',
    'Node ports that services can have still.',
    () => allocation.use().ports.left,
  );
  metrics.counter(
    'kube_apiserver_nodeport_allocator_allocation_total',
    'Node ports that were given; static: the client named it.',
    told('given'),
  );
  metrics.counter(
    'kube_apiserver_nodeport_allocator_allocation_errors_total',
    'Node ports that could not be given; static: the client named it.',
    told('refused'),
  );
}

/** Without those that never happened. */
function byScope(
  counts: Iterable<AllocationCount>,
  which: 'given' | 'refused',
  hasRange: boolean,
): { labels: Record<string, string>; value: number }[] {
  return [...counts]
    .filter((one) => one[which] > 0)
    .map(({ cidr, scope, [which]: value }) => {
      return { labels: hasRange ? { cidr, scope } : { scope }, value };
    });
}
