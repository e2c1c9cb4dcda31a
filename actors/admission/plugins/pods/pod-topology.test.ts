import { expect, it } from 'vitest';

import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { podTopologyLabels } from './pod-topology.ts';

const LABELS = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' };
const NODE = {
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: 'n', labels: { ...LABELS, rack: '7' } },
};

it('PodTopologyLabels gives a pod on a node the labels of zone and region', async () => {
  const { admit } = await givenPlugin(podTopologyLabels, [['/api/v1/nodes', NODE]]);
  const labels = { app: 'a', 'topology.kubernetes.io/zone': 'mine' };
  const { object } = await admit({
    url: PODS_URL,
    object: pod('p', { nodeName: 'n' }, { labels }),
  });
  expect(object.metadata.labels).toEqual({ app: 'a', ...LABELS });
});

it('PodTopologyLabels gives none without a node, or with one that is not there', async () => {
  const { admit } = await givenPlugin(podTopologyLabels, [['/api/v1/nodes', NODE]]);
  for (const spec of [{}, { nodeName: 'other' }]) {
    const { object } = await admit({ url: PODS_URL, object: pod('p', spec) });
    expect(object.metadata.labels).toBeUndefined();
  }
});

it('PodTopologyLabels leaves all else of a pod alone', async () => {
  const { admit } = await givenPlugin(podTopologyLabels, [['/api/v1/nodes', NODE]]);
  const target = { kind: 'Rack', name: 'n' };
  const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'p' }, target };
  const bound = await admit({ url: `${PODS_URL}/p/binding`, object: binding });
  expect(bound.object.metadata.labels).toBeUndefined();
  const eviction = { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'p' } };
  const evicted = await admit({
    url: `${PODS_URL}/p/eviction`,
    object: { ...eviction, target: { kind: 'Node', name: 'n' } },
  });
  expect(evicted.object.metadata.labels).toBeUndefined();
});

it('PodTopologyLabels gives them to a pod that is bound', async () => {
  const target = { kind: 'Node', name: 'n' };
  const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'p' }, target };
  const { admit } = await givenPlugin(podTopologyLabels, [['/api/v1/nodes', NODE]]);
  const { object } = await admit({ url: `${PODS_URL}/p/binding`, object: binding });
  expect(object.metadata.labels).toEqual(LABELS);
});
