import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { podResizeValidator } from './pod-resize-validator.ts';

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
