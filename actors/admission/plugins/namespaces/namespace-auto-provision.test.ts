import { describe, expect, it } from 'vitest';

import { configMap, givenControlPlane } from '../../../registry/given-registry.fixture.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { pluginsOf } from '../../admission-plugins.ts';

const URL = '/api/v1/namespaces/new/configmaps';

function given() {
  const names = ['NamespaceAutoProvision', 'NamespaceLifecycle'];
  const isOn = (name: string) => names.includes(name);
  const plugins = (world: AdmissionWorld) => pluginsOf(world, { isOn, configurations: new Map() });
  return givenControlPlane({ plugins });
}

describe('NamespaceAutoProvision', () => {
  it('makes the namespace in which something is to be created', async () => {
    const { post, get } = await given();
    expect((await post(URL, configMap('a'))).code).toBe(201);
    expect((await get('/api/v1/namespaces/new')).code).toBe(200);
  });

  it('makes none for a dry run', async () => {
    const { post, get } = await given();
    const told = await post(`${URL}?dryRun=All`, configMap('a'));
    expect(told).toMatchObject({ code: 404, message: 'namespaces "new" not found' });
    expect((await get('/api/v1/namespaces/new')).code).toBe(404);
  });

  it('makes one for many that come at once', async () => {
    const { post } = await given();
    const told = await Promise.all(['a', 'b', 'c'].map((name) => post(URL, configMap(name))));
    expect(told.map(({ code }) => code)).toEqual([201, 201, 201]);
  });

  it('makes none for what is changed', async () => {
    const { put } = await given();
    expect((await put(`${URL}/a`, configMap('a'))).code).toBe(404);
  });

  it('refuses what has a namespace that cannot be', async () => {
    const { post } = await given();
    const told = await post('/api/v1/namespaces/No/configmaps', configMap('a'));
    expect(told.code).toBe(403);
    expect(told.message).toMatch(/^configmaps "a" is forbidden: Namespace "No" is invalid: /);
  });
});
