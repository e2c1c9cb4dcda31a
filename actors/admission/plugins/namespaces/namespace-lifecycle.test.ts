import { describe, expect, it } from 'vitest';

import { resourceVersion } from '../../../../streams/resource-version.ts';
import { givenControlPlane, configMap } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

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

  it('tells nobody by a review whether a namespace is there', async () => {
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
