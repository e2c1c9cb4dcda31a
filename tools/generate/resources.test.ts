import { describe, expect, test } from 'vitest';
import { readGenerated } from '../../api/generated/read-generated.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import { findKubernetes } from './golden.fixture.ts';
import { formatResources, generateResources } from './resources.ts';

const kubernetes = findKubernetes();

describe('the facts about resources', () => {
  test('have one entry for each resource of a version', () => {
    const keys = resourceFacts().map((one) => `${one.group}/${one.version}/${one.resource}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(68);
    expect(keys[0]).toBe('/v1/bindings');
  });

  test('know what a subresource speaks', () => {
    const deployments = resourceFacts().find((one) => one.resource === 'deployments');
    expect(deployments?.subresources.find((one) => one.name === 'scale')).toEqual({
      name: 'scale',
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: ['get', 'patch', 'update'],
      typeId: 'io.k8s.api.autoscaling.v1.Scale',
    });
  });

  test('know which deletes are answered with the object', () => {
    const facts = (resource: string) => resourceFacts().find((one) => one.resource === resource);
    expect(facts('pods')?.returnedByDelete).toBe(true);
    expect(facts('configmaps')?.returnedByDelete).toBeUndefined();
  });

  test.skipIf(kubernetes === undefined)('are what the modules say', () => {
    expect(readGenerated('resources.json')).toBe(formatResources(generateResources()));
  });
});
