import { describe, expect, it } from 'vitest';
import { problem, parsed } from '../given-flags.fixture.ts';

describe('the ranges of services', () => {
  it('are one of a family, or one of each', () => {
    const { ranges, nodePorts } = parsed([
      '--service-cluster-ip-range=fd00:1::/108,10.96.0.5/12',
      '--service-node-port-range=30000+99',
    ]);
    expect(ranges.map(({ family, text }) => `${family} ${text}`)).toEqual([
      'IPv6 fd00:1::/108',
      'IPv4 10.96.0.0/12',
    ]);
    expect(nodePorts).toEqual({ first: 30_000, last: 30_099 });
  });

  it.each([
    ['--service-cluster-ip-range=10.0.0.1', 'service-cluster-ip-range[0] is not a valid cidr'],
    ['--service-cluster-ip-range=10.0.0.0/8,x', 'service-cluster-ip-range[1] is not an ip net'],
    [
      '--service-cluster-ip-range=10.0.0.0/30',
      'the service cluster IP range must be at least 8 IP addresses',
    ],
    [
      '--service-cluster-ip-range=10.0.0.0/8,11.0.0.0/8',
      '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
    ],
    [
      '--service-cluster-ip-range=10.0.0.0/8,fd00::/64,fd01::/64',
      '--service-cluster-ip-range must not contain more than two entries',
    ],
  ])('%s is refused', (flag, why) => {
    expect(problem([flag])).toBe(`${flag.split('=')[0] ?? ''}: ${why}`);
  });
});

describe('the service kubernetes', () => {
  it('is reconciled by leases unless something else is said', () => {
    expect(parsed([]).endpointReconcilerType).toBe('lease');
    expect(parsed(['--endpoint-reconciler-type=']).endpointReconcilerType).toBe('lease');
    expect(parsed(['--endpoint-reconciler-type=none']).endpointReconcilerType).toBe('none');
    const counted = parsed(['--endpoint-reconciler-type=master-count', '--apiserver-count=3']);
    expect([counted.endpointReconcilerType, counted.apiserverCount]).toEqual(['master-count', 3]);
  });

  it('may have one of the node ports that services get', () => {
    const argv = ['--kubernetes-service-node-port=30443'];
    expect(parsed(argv).kubernetesServiceNodePort).toBe(30_443);
  });

  it.each([
    [
      '--endpoint-reconciler-type=etcd',
      '--endpoint-reconciler-type: Reconciler not implemented: etcd',
    ],
    [
      '--kubernetes-service-node-port=443',
      "kubernetes service node port range 30000-32767 doesn't contain 443",
    ],
    [
      '--kubernetes-service-node-port=-1',
      '--kubernetes-service-node-port -1 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP',
    ],
    [
      '--apiserver-count=-2',
      "--apiserver-count should be a positive number, but value '-2' provided",
    ],
  ])('%s is refused', (flag, why) => {
    expect(problem([flag])).toBe(why);
  });
});
