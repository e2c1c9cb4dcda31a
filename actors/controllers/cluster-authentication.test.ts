import { expect, it } from 'vitest';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { publishClusterAuthentication } from './cluster-authentication.ts';

const MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

it('says how users are known, and what has changed of it at the next start', async () => {
  const { loopback, get } = await givenControlPlane();
  await publishClusterAuthentication(loopback, { clientAuthorities: 'PEM', proxies: undefined });
  expect((await get(MAP)).object['data']).toEqual({ 'client-ca-file': 'PEM' });
  const proxies = {
    authorities: 'PROXIES',
    allowedNames: ['front'],
    usernameHeaders: ['x-remote-user'],
    uidHeaders: [],
    groupHeaders: ['x-remote-group'],
    extraHeaderPrefixes: ['x-remote-extra-'],
  };
  await publishClusterAuthentication(loopback, { clientAuthorities: 'NEW', proxies });
  expect((await get(MAP)).object['data']).toEqual({
    'client-ca-file': 'NEW',
    'requestheader-allowed-names': '["front"]',
    'requestheader-client-ca-file': 'PROXIES',
    'requestheader-extra-headers-prefix': '["x-remote-extra-"]',
    'requestheader-group-headers': '["x-remote-group"]',
    'requestheader-uid-headers': '[]',
    'requestheader-username-headers': '["x-remote-user"]',
  });
});
