import { describe, expect, it } from 'vitest';

import { resourceVersion } from '../../../streams/resource-version.ts';
import { configMap, givenControlPlane } from '../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../given-plugin.fixture.ts';
import { namespaceExists, namespaceLifecycle } from './namespaces.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { pluginsOf } from '../admission-plugins.ts';

const MAP = configMap('a');
const AWAY = '/api/v1/namespaces/away/configmaps';
const NAMESPACES = '/api/v1/namespaces';

/** A namespace that is going away: something in it holds it. */
async function givenGoing() {
  const given = await givenPlugin(namespaceLifecycle);
  const held = { name: 'away', finalizers: ['example.com/held'] };
  await given.post(NAMESPACES, { kind: 'Namespace', apiVersion: 'v1', metadata: held });
  await given.del(`${NAMESPACES}/away`);
  return given;
}

describe('NamespaceLifecycle', () => {
  it('lets things into a namespace that is there', async () => {
    const { admit } = await givenPlugin(namespaceLifecycle);
    const url = '/api/v1/namespaces/default/configmaps';
    expect((await admit({ url, object: MAP })).message).toBe('');
  });

  it.each(['CREATE', 'UPDATE'] as const)('refuses a %s where there is none', async (operation) => {
    const { admit } = await givenPlugin(namespaceLifecycle);
    const url = operation === 'CREATE' ? AWAY : `${AWAY}/a`;
    const { status } = await admit({ url, operation, object: MAP });
    expect(status).toMatchObject({ code: 404, message: 'namespaces "away" not found' });
  });

  it('refuses what is new in a namespace that is going away, and says why', async () => {
    const { admit } = await givenGoing();
    const { status } = await admit({ url: AWAY, object: MAP });
    expect(status).toMatchObject({
      code: 403,
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace away ' +
        'because it is being terminated',
      details: {
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace away is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  it('lets what is there change and go', async () => {
    const { admit } = await givenGoing();
    const url = `${AWAY}/a`;
    expect((await admit({ url, operation: 'UPDATE', object: MAP })).message).toBe('');
    expect((await admit({ url, operation: 'DELETE' })).message).toBe('');
  });

  it.each(['default', 'kube-system', 'kube-public'])('keeps %s', async (name) => {
    const { admit } = await givenPlugin(namespaceLifecycle);
    const { status } = await admit({ url: `${NAMESPACES}/${name}`, operation: 'DELETE' });
    const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
    expect(status).toMatchObject({ code: 403, message });
  });

  it('lets other namespaces go', async () => {
    const { admit } = await givenPlugin(namespaceLifecycle);
    const url = `${NAMESPACES}/kube-node-lease`;
    expect((await admit({ url, operation: 'DELETE' })).message).toBe('');
  });

  it('does not tell by a review whether a namespace is there', async () => {
    const { admit } = await givenPlugin(namespaceLifecycle);
    const url = '/apis/authorization.k8s.io/v1/namespaces/secret/localsubjectaccessreviews';
    const object = { kind: 'LocalSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1' };
    expect((await admit({ url, object })).message).toBe('');
  });

  it('makes the commit depend on the namespace as it was looked at', async () => {
    const { post, log } = await givenControlPlane();
    const made = await post('/api/v1/namespaces/default/configmaps', MAP);
    const version = resourceVersion(Number(made.object.metadata.resourceVersion));
    expect(log.at(version)?.requires).toMatchObject([
      { resource: 'core/namespaces', path: '/default' },
    ]);
  });

  it('has nothing to say to a pod that is connected to', async () => {
    const { admit } = await givenPlugin(namespaceLifecycle);
    const url = `${PODS_URL.replace('default', 'away')}/p/exec`;
    expect((await admit({ url, operation: 'CONNECT' })).message).toBe('');
  });
});

it.each(['CREATE', 'UPDATE', 'DELETE'] as const)(
  'NamespaceExists lets a %s through only where the namespace is',
  async (operation) => {
    const { admit } = await givenPlugin(namespaceExists);
    const below = operation === 'CREATE' ? '' : '/a';
    const at = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps${below}`;
    const object = configMap('a');
    expect((await admit({ url: at('default'), operation, object })).message).toBe('');
    const { status } = await admit({ url: at('away'), operation, object });
    expect(status).toMatchObject({ code: 404, message: 'namespaces "away" not found' });
  },
);

it('NamespaceExists has nothing to say of what has no namespace', async () => {
  const { admit } = await givenPlugin(namespaceExists);
  const object = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'new' } };
  expect((await admit({ url: '/api/v1/namespaces', object })).message).toBe('');
  const url = '/api/v1/nodes';
  expect((await admit({ url, object: { ...object, kind: 'Node' } })).message).toBe('');
});

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
