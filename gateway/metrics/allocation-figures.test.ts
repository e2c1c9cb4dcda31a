import { expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { AllocationCounts } from '../../actors/registry/services/allocation-counts.ts';
import { measureAllocation } from './allocation-figures.ts';
import { Metrics } from './metrics.ts';

it('shows what is held, left, given and refused, by range and by whether the client named it', async () => {
  const counts = new AllocationCounts();
  for (const isGiven of [true, true, false]) {
    counts.address('10.0.0.0/24', 'static', isGiven);
    counts.port('dynamic', isGiven);
  }
  counts.address('fd00::/112', 'dynamic', true);
  const addresses = new Map([['10.0.0.0/24', { held: 3, left: 251 }]]);
  const metrics = new Metrics({ clock: testClock(), isServed: () => true });
  const ports = { held: 2, left: 30 };
  measureAllocation(metrics, { counts, use: () => ({ addresses, ports }) });
  const lines = (await metrics.format()).split('\n');
  const [ip, port] = ['kube_apiserver_clusterip_allocator', 'kube_apiserver_nodeport_allocator'];
  expect(lines.filter((line) => line.startsWith('kube_apiserver_')).sort()).toEqual([
    `${ip}_allocated_ips{cidr="10.0.0.0/24"} 3`,
    `${ip}_allocation_errors_total{cidr="10.0.0.0/24",scope="static"} 1`,
    `${ip}_allocation_total{cidr="10.0.0.0/24",scope="static"} 2`,
    `${ip}_allocation_total{cidr="fd00::/112",scope="dynamic"} 1`,
    `${ip}_available_ips{cidr="10.0.0.0/24"} 251`,
    `${port}_allocated_ports 2`,
    `${port}_allocation_errors_total{scope="dynamic"} 1`,
    `${port}_allocation_total{scope="dynamic"} 2`,
    `${port}_available_ports 30`,
  ]);
});
