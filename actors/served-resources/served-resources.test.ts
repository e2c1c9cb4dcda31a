import { describe, expect, it } from 'vitest';

import { testClock } from '../request/given.fixture.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { ServedResources } from './served-resources.ts';

const served = new ServedResources(builtInResources(testClock()));

const storageOf = (apiGroup: string, apiVersion: string, resource: string): string | undefined =>
  served.lookup({ apiGroup, apiVersion, resource })?.definition.storage;

describe('what is served', () => {
  it('is found by group, version and plural', () => {
    expect(storageOf('', 'v1', 'pods')).toBe('core/pods');
    expect(storageOf('apps', 'v1', 'deployments')).toBe('apps/deployments');
    expect(served.has('apps', 'v1', 'deployments')).toBe(true);
  });

  it('may be one store in several versions', () => {
    const inTwo = ['v1', 'v2'].map((version) =>
      storageOf('autoscaling', version, 'horizontalpodautoscalers'),
    );
    expect(new Set(inTwo).size).toBe(1);
    expect(storageOf('events.k8s.io', 'v1', 'events')).toBe(storageOf('', 'v1', 'events'));
  });

  it.each([
    ['', 'v1', 'deployments'],
    ['apps', 'v1beta1', 'deployments'],
    ['apps', 'v1', 'Deployment'],
    ['', 'v1', ''],
    ['', '', ''],
    ['', 'v1', 'constructor'],
    ['__proto__', 'v1', 'pods'],
  ])('is not %j %j %j', (group, version, resource) => {
    expect(storageOf(group, version, resource)).toBeUndefined();
    expect(served.has(group, version, resource)).toBe(false);
  });

  it('is told to discovery in order, each once', () => {
    const names = served
      .facts()
      .map(({ group, version, resource }) => `${group}/${version}/${resource}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.indexOf('/v1/pods')).toBeLessThan(names.indexOf('apps/v1/deployments'));
  });
});
