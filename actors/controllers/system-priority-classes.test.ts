import { expect, it } from 'vitest';
import { serviceUnavailable } from '../../api/meta/status.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { statusAnswer } from '../request/answer.ts';
import { makeSystemPriorityClasses } from './system-priority-classes.ts';

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
