import { describe, expect, it } from 'vitest';

import { serviceUnavailable } from '../../api/meta/status.ts';
import type { LoopbackRequest } from '../loopback/loopback.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { statusAnswer } from '../request/answer.ts';
import {
  makeSystemNamespaces,
  makeSystemPriorityClasses,
  SYSTEM_NAMESPACES,
} from './system-objects.ts';

describe('the namespaces of every control plane', () => {
  it('are made at the first start', async () => {
    const { get } = await givenControlPlane();
    const { items } = await get('/api/v1/namespaces');
    expect(items.map(({ metadata }) => metadata.name)).toEqual([...SYSTEM_NAMESPACES].sort());
    expect(items[0]).toMatchObject({
      metadata: { name: 'default', labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('are left as they are at a later one', async () => {
    const { loopback, applied } = await givenControlPlane();
    const before = applied.current;
    await makeSystemNamespaces(loopback);
    expect(applied.current).toBe(before);
  });

  it('may have been made by another server at the same moment', async () => {
    const { loopback, objects } = await givenControlPlane();
    // What is there is not seen, and yet it cannot be made.
    const blind = (request: LoopbackRequest) =>
      request.method === 'GET'
        ? loopback({ method: 'GET', path: '/api/v1/namespaces/nonesuch' })
        : loopback(request);
    await makeSystemNamespaces(blind);
    expect(objects.of('core/namespaces').size).toBe(SYSTEM_NAMESPACES.length);
  });

  it('stop the start when they cannot be made', async () => {
    const unavailable = () => Promise.resolve(statusAnswer(serviceUnavailable('no log')));
    await expect(makeSystemNamespaces(unavailable)).rejects.toThrow(
      'namespace kube-system could not be made: no log',
    );
  });
});

it('are made at the first start, and left alone at a later one', async () => {
  const { loopback, get, applied } = await givenControlPlane();
  await makeSystemPriorityClasses(loopback);
  const { items } = await get('/apis/scheduling.k8s.io/v1/priorityclasses');
  expect(items).toMatchObject([
    { metadata: { name: 'system-cluster-critical' }, value: 2_000_000_000 },
    { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
  ]);
  const before = applied.current;
  await makeSystemPriorityClasses(loopback);
  expect(applied.current).toBe(before);
});

it('stop the start when they cannot be made', async () => {
  const unavailable = () => Promise.resolve(statusAnswer(serviceUnavailable('no log')));
  await expect(makeSystemPriorityClasses(unavailable)).rejects.toThrow(
    'unable to add default system priority classes: no log',
  );
});
