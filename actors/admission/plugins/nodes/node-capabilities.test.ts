import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { nodeDeclaredFeatureValidator, podResizeValidator } from './node-capabilities.ts';

function node(labels = {}): readonly [string, JsonObject] {
  const metadata = { name: 'n', labels };
  const status = { allocatable: { cpu: '2', memory: '1Gi' } };
  return ['/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata, status }];
}

function resize(requests: JsonObject, nodeName = 'n', generation = 2) {
  const spec = { nodeName, containers: [{ name: 'c', image: 'i', resources: { requests } }] };
  return {
    ...{ url: `${PODS_URL}/p/resize`, operation: 'UPDATE' as const },
    object: pod('p', spec, { generation }),
    oldObject: pod('p', spec, { generation: 1 }),
  };
}

describe('PodResizeValidator', () => {
  it('lets a pod grow as far as its node', async () => {
    const { admit } = await givenPlugin(podResizeValidator, [node()]);
    expect((await admit(resize({ cpu: '2', memory: '1Gi' }))).message).toBe('');
  });

  it('refuses more', async () => {
    const { admit } = await givenPlugin(podResizeValidator, [node()]);
    const { status } = await admit(resize({ cpu: '2500m', memory: '2Gi' }));
    expect(status).toMatchObject({
      code: 403,
      message:
        'pods "p" is forbidden: node didn\'t have enough allocatable resources: ' +
        'cpu, requested: 2500, allocatable: 2000; ' +
        'memory, requested: 2147483648, allocatable: 1073741824',
      details: { causes: [{ reason: 'NodeCapacity' }] },
    });
  });

  it('refuses it where the node cannot do it', async () => {
    const labels = { 'kubernetes.io/os': 'windows' };
    const { admit } = await givenPlugin(podResizeValidator, [node(labels)]);
    const { status } = await admit(resize({ cpu: '1' }));
    expect(status).toMatchObject({
      message:
        'pods "p" is forbidden: pod resize is only supported on linux nodes, ' +
        'node "n" is "windows"',
      details: { causes: [{ reason: 'UnsupportedPlatform' }] },
    });
  });

  it('asks of nothing but a pod on a node that changes', async () => {
    const { admit } = await givenPlugin(podResizeValidator);
    expect((await admit(resize({ cpu: '9' }))).message).toMatch(/node "n" not found$/);
    expect((await admit(resize({ cpu: '9' }, ''))).message).toBe('');
    expect((await admit(resize({ cpu: '9' }, 'n', 1))).message).toBe('');
  });
});

const OF_PODS = 'InPlacePodLevelResourcesVerticalScaling';
const OF_INIT = 'InPlacePodVerticalScalingInitContainers';

function given(...declaredFeatures: string[]) {
  const node = {
    ...{ kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } },
    status: { declaredFeatures },
  };
  return givenPlugin(nodeDeclaredFeatureValidator, [['/api/v1/nodes', node]]);
}

function update(spec: JsonObject, old: JsonObject) {
  return {
    ...{ url: `${PODS_URL}/p/resize`, operation: 'UPDATE' as const },
    object: pod('p', { nodeName: 'n', ...spec }, { generation: 2 }),
    oldObject: pod('p', { nodeName: 'n', ...old }, { generation: 1 }),
  };
}

const init = (cpu: string, more = {}) => ({
  initContainers: [{ name: 'i', image: 'i', resources: { requests: { cpu } }, ...more }],
});
const whole = (cpu: string) => ({ resources: { requests: { cpu } } });
const sidecar = { restartPolicy: 'Always' };

it.each([
  ['resources of the pod', whole('2'), whole('1'), OF_PODS],
  ['resources of init containers', init('2'), init('1'), OF_INIT],
  [
    'both',
    { ...whole('2'), ...init('2') },
    { ...whole('1'), ...init('1') },
    `${OF_PODS}, ${OF_INIT}`,
  ],
])('refuses to change %s where the node has not said that it can', async (_, spec, old, needed) => {
  const { admit } = await given('Other');
  expect((await admit(update(spec, old))).message).toBe(
    `pods "p" is forbidden: pod update requires features ${needed} ` +
      'which are not available on node "n"',
  );
  const able = await given(OF_PODS, OF_INIT);
  expect((await able.admit(update(spec, old))).message).toBe('');
});

it('refuses a change that depends on what a missing node would declare', async () => {
  const { admit } = await given();
  const asked = update(whole('2'), whole('1'));
  const object = pod('p', { nodeName: 'gone', ...whole('2') }, { generation: 2 });
  expect((await admit({ ...asked, object })).message).toBe(
    'pods "p" is forbidden: node "gone" not found',
  );
  const free = pod('p', { ...whole('2') }, { generation: 2 });
  expect((await admit({ ...asked, object: free })).message).toBe('');
});

it('has nothing against what every node can', async () => {
  const { admit } = await given();
  expect((await admit(update(init('2', sidecar), init('1', sidecar)))).message).toBe('');
  expect((await admit(update(whole('1'), whole('1')))).message).toBe('');
});
