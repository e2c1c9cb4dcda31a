import { expect, it } from 'vitest';
import { givenAuthority } from '../authentication/given-certificates.fixture.ts';
import type { Loopback } from '../loopback/loopback.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { testClock } from '../request/given.fixture.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { objectAt, stringAt } from '../../api/json/json.ts';
import { internalError } from '../../api/meta/status.ts';
import { statusAnswer } from '../request/answer.ts';
import {
  keepClusterAuthentication,
  publishClusterAuthentication,
} from './cluster-authentication.ts';

const MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const HOUR_MS = 3_600_000;
const NOW = Date.now();

async function pemOf(name: string, endsInMs = HOUR_MS): Promise<string> {
  const validity = { notBefore: NOW - 10 * HOUR_MS, notAfter: NOW + endsInMs };
  return `${(await givenAuthority(name, validity)).certificate.trim()}\n`;
}

const [ours, theirs, front, back, stale] = await Promise.all([
  pemOf('ours'),
  pemOf('theirs'),
  pemOf('front'),
  pemOf('back'),
  pemOf('stale', -6 * 60_000),
]);
const FRONT = {
  authorities: front,
  allowedNames: ['front'],
  usernameHeaders: ['x-remote-user'],
  uidHeaders: [],
  groupHeaders: ['x-remote-group'],
  extraHeaderPrefixes: ['x-remote-extra-'],
};

it('says how users are known, and adds what a server with other flags says', async () => {
  const { loopback, get } = await givenControlPlane();
  await publishClusterAuthentication(loopback, { clientAuthorities: ours, proxies: FRONT }, NOW);
  const said = {
    'client-ca-file': ours,
    'requestheader-allowed-names': '["front"]',
    'requestheader-client-ca-file': front,
    'requestheader-extra-headers-prefix': '["x-remote-extra-"]',
    'requestheader-group-headers': '["x-remote-group"]',
    'requestheader-username-headers': '["x-remote-user"]',
  };
  expect((await get(MAP)).object['data']).toEqual(said);
  const BACK = {
    ...{ authorities: `${front}${back}`, allowedNames: ['back', 'front'], uidHeaders: ['x-uid'] },
    ...{ usernameHeaders: ['x-remote-user', 'x-user'], groupHeaders: [], extraHeaderPrefixes: [] },
  };
  const other = { clientAuthorities: `${theirs}${ours}`, proxies: BACK };
  await publishClusterAuthentication(loopback, other, NOW);
  const together = {
    ...said,
    'client-ca-file': `${ours}${theirs}`,
    'requestheader-allowed-names': '["front","back"]',
    'requestheader-client-ca-file': `${front}${back}`,
    'requestheader-uid-headers': '["x-uid"]',
    'requestheader-username-headers': '["x-remote-user","x-user"]',
  };
  expect((await get(MAP)).object['data']).toEqual(together);
  // The first is started again, and one without any of it.
  await publishClusterAuthentication(loopback, { clientAuthorities: ours, proxies: FRONT }, NOW);
  await publishClusterAuthentication(loopback, { clientAuthorities: '', proxies: undefined }, NOW);
  expect((await get(MAP)).object['data']).toEqual(together);
});

it('drops what has expired some minutes ago, and what no server here says', async () => {
  const { loopback, get } = await givenControlPlane();
  const early = NOW - 2 * 60_000;
  const trust = { clientAuthorities: stale, proxies: { ...FRONT, authorities: stale } };
  await publishClusterAuthentication(loopback, trust, early);
  expect((await get(MAP)).object['data']).toMatchObject({ 'client-ca-file': stale });
  const next = { clientAuthorities: ours, proxies: undefined };
  await publishClusterAuthentication(loopback, next, NOW);
  expect((await get(MAP)).object['data']).toEqual({ 'client-ca-file': ours });
});

it('loses nothing where two servers write at once', async () => {
  const { loopback, get } = await givenControlPlane();
  await publishClusterAuthentication(loopback, { clientAuthorities: '', proxies: undefined }, NOW);
  const all = [ours, theirs, front];
  await Promise.all(
    all.map((pem) =>
      publishClusterAuthentication(loopback, { clientAuthorities: pem, proxies: undefined }, NOW),
    ),
  );
  const said = stringAt(objectAt((await get(MAP)).object, 'data'), 'client-ca-file');
  expect(all.filter((pem) => !said.includes(pem))).toEqual([]);
});

it('writes nothing where nothing has changed', async () => {
  const { loopback, get } = await givenControlPlane();
  const trust = { clientAuthorities: ours, proxies: undefined };
  await publishClusterAuthentication(loopback, trust, NOW);
  const methods: string[] = [];
  const counting: Loopback = (request) => {
    methods.push(request.method);
    return loopback(request);
  };
  await publishClusterAuthentication(counting, trust, NOW);
  expect(methods).toEqual(['GET']);
  expect((await get(MAP)).object['data']).toEqual({ 'client-ca-file': ours });
});

it('tries on where it is refused, for nothing depends on it', async () => {
  const { loopback, get } = await givenControlPlane();
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const stopping = new AbortController();
  let isRefused = true;
  await keepClusterAuthentication({
    loopback: (request) =>
      isRefused && request.method === 'POST'
        ? Promise.resolve(statusAnswer(internalError('failed calling webhook')))
        : loopback(request),
    trust: () => ({ clientAuthorities: ours, proxies: undefined }),
    whenChanged: () => () => undefined,
    listen: () => undefined,
    clock,
    failed: (error) => failures.push(error),
    until: stopping.signal,
  });
  expect(String(failures)).toContain('could not be written: Internal error occurred: failed call');
  isRefused = false;
  clock.advance(5_000);
  await expect
    .poll(async () => (await get(MAP)).object['data'])
    .toEqual({ 'client-ca-file': ours });
});

it('looks once a minute, until it is ended', async () => {
  const { loopback } = await givenControlPlane();
  const clock = testClock();
  const stopping = new AbortController();
  let looks = 0;
  let changed: (() => void) | undefined;
  const trust = () => {
    looks += 1;
    return { clientAuthorities: ours, proxies: undefined };
  };
  const parts = { loopback, trust, clock, until: stopping.signal };
  await keepClusterAuthentication({
    ...parts,
    whenChanged: (listener) => {
      changed = listener;
      return () => {
        changed = undefined;
      };
    },
    listen: () => undefined,
    failed: () => undefined,
  });
  for (let minute = 1; minute <= 3; minute += 1) {
    clock.advance(60_000);
    clock.advance(0);
  }
  expect(looks).toBe(4);
  changed?.();
  stopping.abort();
  expect(clock.waiting).toBe(0);
  expect(changed).toBeUndefined();
  clock.advance(600_000);
  expect(looks).toBe(4);
});
