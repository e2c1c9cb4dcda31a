/** Plug-ins that are a sentence each. */
import { expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { pod } from '../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../given-plugin.fixture.ts';
import { denyServiceExternalIPs } from './networking.ts';
import { extendedResourceToleration } from './pods/toleration-plugins.ts';
import { limitPodHardAntiAffinityTopology } from './pods/pod-topology.ts';
import { taintNodesByCondition } from './nodes/taint-nodes-by-condition.ts';

it('TaintNodesByCondition taints a new node, once', async () => {
  const { admit } = await givenPlugin(taintNodesByCondition);
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } };
  const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
  const first = await admit({ url: '/api/v1/nodes', object: node });
  expect(first.object['spec']).toEqual({ taints });
  const second = await admit({ url: '/api/v1/nodes', object: { ...node, spec: { taints } } });
  expect(second.object['spec']).toEqual({ taints });
});

it('ExtendedResourceToleration tolerates the taints of devices, in order', async () => {
  const { admit } = await givenPlugin(extendedResourceToleration);
  const requests = { cpu: '1', 'example.com/z': '1', 'example.com/a': '1' };
  const object = pod('p', { containers: [{ name: 'c', image: 'i', resources: { requests } }] });
  const tolerating = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });
  expect((await admit({ url: PODS_URL, object })).object['spec']).toMatchObject({
    tolerations: [tolerating('example.com/a'), tolerating('example.com/z')],
  });
});

it('LimitPodHardAntiAffinityTopology lets pods keep others off their node and no further', async () => {
  const { admit } = await givenPlugin(limitPodHardAntiAffinityTopology);
  const away = (...keys: string[]) => {
    const requiredDuringSchedulingIgnoredDuringExecution = keys.map((topologyKey) => {
      return { topologyKey };
    });
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution };
    return { url: PODS_URL, object: pod('p', { affinity: { podAntiAffinity } }) };
  };
  expect((await admit(away('kubernetes.io/hostname'))).message).toBe('');
  expect((await admit(away('kubernetes.io/hostname', 'zone'))).message).toBe(
    'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ' +
      'zone but only key kubernetes.io/hostname is allowed',
  );
});

it('DenyServiceExternalIPs lets addresses go, and none come', async () => {
  const { admit } = await givenPlugin(denyServiceExternalIPs);
  const service = (...externalIPs: string[]): JsonObject => {
    const metadata = { name: 's' };
    return { kind: 'Service', apiVersion: 'v1', metadata, spec: { externalIPs } };
  };
  const url = '/api/v1/namespaces/default/services';
  const why = 'services "s" is forbidden: Use of external IPs is denied by admission control';
  expect((await admit({ url, object: service() })).message).toBe('');
  expect((await admit({ url, object: service('1.1.1.1') })).message).toBe(why);
  const update = { url: `${url}/s`, operation: 'UPDATE' } as const;
  const had = { ...update, oldObject: service('1.1.1.1', '2.2.2.2') };
  expect((await admit({ ...had, object: service('2.2.2.2') })).message).toBe('');
  expect((await admit({ ...had, object: service('3.3.3.3') })).message).toBe(why);
});
