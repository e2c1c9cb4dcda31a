import { expect, it } from 'vitest';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { ManualClock } from '../../projections/given.fixture.ts';
import { internalError } from '../../api/meta/status.ts';
import { statusAnswer } from '../answer.ts';
import {
  keepClusterAuthentication,
  publishClusterAuthentication,
} from './cluster-authentication.ts';

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

it('writes nothing where nothing has changed', async () => {
  const { loopback, get } = await givenControlPlane();
  const trust = { clientAuthorities: 'PEM', proxies: undefined };
  await publishClusterAuthentication(loopback, trust);
  const methods: string[] = [];
  await publishClusterAuthentication((request) => {
    methods.push(request.method);
    return loopback(request);
  }, trust);
  expect(methods).toEqual(['GET']);
  expect((await get(MAP)).object['data']).toEqual({ 'client-ca-file': 'PEM' });
});

it('tries on where it is refused, for nothing depends on it', async () => {
  const { loopback, get } = await givenControlPlane();
  const clock = new ManualClock();
  const failures: unknown[] = [];
  let isRefused = true;
  await keepClusterAuthentication({
    loopback: (request) =>
      isRefused && request.method === 'POST'
        ? Promise.resolve(statusAnswer(internalError('failed calling webhook')))
        : loopback(request),
    trust: () => ({ clientAuthorities: 'PEM', proxies: undefined }),
    whenChanged: () => undefined,
    listen: () => undefined,
    clock,
    failed: (error) => failures.push(error),
  });
  expect(String(failures)).toContain('could not be written: Internal error occurred: failed call');
  isRefused = false;
  clock.advance(5_000);
  await expect
    .poll(async () => (await get(MAP)).object['data'])
    .toEqual({ 'client-ca-file': 'PEM' });
});
