import { expect, it } from 'vitest';

import { configMap } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { namespaceExists } from './namespace-exists.ts';

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
