/** Other servers of a log: what is passed on to them, and what discovery shows of them. */
import { expect, it } from 'vitest';
import { itemsAt, type JsonObject } from '../../api/json/json.ts';
import { nameOfGroup } from '../../projections/discovery/merged-discovery.ts';
import { FollowedObjects } from '../../projections/followed-objects.ts';
import { ObjectView } from '../../projections/objects/object-view.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { AggregatedServers } from '../aggregation/aggregated-servers.ts';
import { givenAuthenticated, testClock, testFaults } from '../request/given.fixture.ts';
import { PeerServers, PROXIED_HEADER } from './peer-servers.ts';
import { peerPlace } from './peer-service.ts';

const OWN = { body: Buffer.alloc(0), object: listOf(['apps/v1/deployments']), typeId: '' };
const URL_OF_NEW = '/apis/new.example/v1/things/a';

/** @param served as `GROUP/VERSION/RESOURCE`. */
function listOf(served: readonly string[]): JsonObject {
  const items = served.map((one) => {
    const [name = '', version = '', resource = ''] = one.split('/');
    const resources = [{ resource, verbs: ['get'] }];
    return { metadata: name === '' ? {} : { name }, versions: [{ version, resources }] };
  });
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items };
}

function given() {
  const followed = new FollowedObjects(new ObjectView());
  const clock = testClock();
  const served = new Map<string, readonly string[]>();
  const passed: string[] = [];
  const codes: number[] = [];
  const failing: ((name: string) => void)[] = [];
  const shared = new Set<string>();
  let fetched = 0;
  const servers: AggregatedServers = {
    proxy: (_, { name, caBundle, service }) => {
      passed.push(`${name} ${caBundle} ${JSON.stringify(peerPlace(service))}`);
      return Promise.resolve({ kind: 'Document', code: 201, headers: {}, body: Buffer.alloc(0) });
    },
    fetch: ({ name }, path, { headers }) => {
      fetched += 1;
      expect(headers?.['accept']).toContain('profile=nopeer');
      const all = served.get(name);
      if (all === undefined) return Promise.resolve({ ok: false, message: '', url: '' });
      const isCore = path === '/api';
      const list = listOf(all.filter((one) => one.startsWith('/') === isCore));
      const body = Buffer.from(JSON.stringify(list));
      return Promise.resolve({ ok: true, code: 200, url: '', headers: {}, body });
    },
    whenFailed: (listener) => {
      failing.push(listener);
      return () => undefined;
    },
  };
  const trust = { ca: 'an authority' };
  const peers = new PeerServers({
    ...{ clock, faults: testFaults(), followed, servers, identity: 'apiserver-m' },
    ...{ random: { integer: () => 1 }, authorities: () => trust.ca },
    isShared: (group, version) => shared.has(`${group}/${version}`),
    meters: {
      rerouted: (_, answer) => codes.push('code' in answer ? (answer.code ?? 0) : 0),
      notFetched: () => undefined,
      discovered: () => undefined,
    },
  });
  let at = 0;
  const happens = (type: CommittedEvent['type'], name: string, lease: JsonObject): void => {
    at += 1;
    const version = resourceVersion(at);
    const [resource, path] = ['coordination.k8s.io/leases', `kube-system/${name}`];
    const json = Buffer.from(JSON.stringify(lease));
    const object = { resource, path, resourceVersion: version, labels: {}, json };
    followed.apply({ type, resource, path, resourceVersion: version, object, previous: undefined });
  };
  const lease = (name: string, holder: string, labels: JsonObject = LABELS): JsonObject => ({
    metadata: {
      ...{ name, namespace: 'kube-system', labels },
      annotations: { 'kubernetes.io/peer-advertise-address': '[2001:db8::1]:6443' },
    },
    spec: { holderIdentity: holder },
  });
  const comes = (name: string, holder = name): void => {
    happens('added', name, lease(name, holder));
  };
  const asks = (url: string, headers = {}) => {
    const { request } = givenAuthenticated({ method: 'GET', url, headers });
    return peers.proxy(request);
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
  };
  const groups = (): string[] => itemsAt(peers.withPeers(OWN).object, 'items').map(nameOfGroup);
  const world = { clock, served, passed, codes, failing, shared, trust, fetched: () => fetched };
  return { ...world, peers, happens, lease, comes, asks, settle, groups };
}

const LABELS = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };

async function givenOne() {
  const all = given();
  all.served.set('apiserver-n', ['/v1/pods', 'new.example/v1/things', 'apps/v1/deployments']);
  await all.peers.begin();
  all.comes('apiserver-n');
  await all.settle();
  return all;
}

it('a request for what another server serves alone is passed on to it', async () => {
  const { asks, passed, codes } = await givenOne();
  const answer = await asks(URL_OF_NEW);
  expect(answer).toMatchObject({ code: 201 });
  expect(passed).toEqual(['apiserver-n an authority {"ok":true,"host":"2001:db8::1","port":6443}']);
  expect(codes).toEqual([201]);
});

it.each([
  ['no server serves', '/apis/new.example/v2/things', {}],
  ['no server serves in the group', '/apis/new.example/v1/others', {}],
  ['another server has passed on', URL_OF_NEW, { [PROXIED_HEADER]: 'true' }],
])('what %s is not passed on', async (_, url, headers) => {
  const { asks } = await givenOne();
  expect(asks(url, headers)).toBeUndefined();
});

it('what a definition serves is the same everywhere, and is not asked for elsewhere', async () => {
  const { asks, shared, groups } = await givenOne();
  shared.add('new.example/v1');
  expect(asks(URL_OF_NEW)).toBeUndefined();
  expect(groups()).toEqual(['apps']);
});

it('discovery shows what any of them serves, and the same document while it is the same', async () => {
  const { peers, groups, clock, settle, served, fetched } = await givenOne();
  expect(groups()).toEqual(['new.example', 'apps']);
  const shown = peers.withPeers(OWN);
  expect(shown.etag).toMatch(/^"[0-9A-F]{128}"$/);
  const before = fetched();
  clock.advance(60_000);
  await settle();
  expect(fetched()).toBe(before + 2);
  expect(peers.withPeers(OWN)).toBe(shown);
  served.set('apiserver-n', ['old.example/v1/things']);
  clock.advance(60_000);
  await settle();
  expect(groups()).toEqual(['apps', 'old.example']);
});

it('a server that has gone, or does not say any more what it serves, is asked for nothing', async () => {
  const { asks, happens, lease, groups, served, failing, settle } = await givenOne();
  served.delete('apiserver-n');
  for (const tell of failing) tell('apiserver-n');
  await settle();
  expect(asks(URL_OF_NEW)).toBeUndefined();
  served.set('apiserver-n', ['new.example/v1/things']);
  for (const tell of failing) tell('apiserver-n');
  await settle();
  expect(asks(URL_OF_NEW)).toBeDefined();
  happens('deleted', 'apiserver-n', lease('apiserver-n', ''));
  expect(asks(URL_OF_NEW)).toBeUndefined();
  expect(groups()).toEqual(['apps']);
});

it('a Lease that is no identity of another server names none', async () => {
  const { served, peers, comes, happens, lease, settle, asks } = given();
  for (const name of ['apiserver-m', 'kube-scheduler', 'apiserver-x'])
    served.set(name, ['new.example/v1/things']);
  await peers.begin();
  comes('apiserver-m');
  happens('added', 'kube-scheduler', lease('kube-scheduler', 'a', {}));
  await settle();
  expect(asks(URL_OF_NEW)).toBeUndefined();
});

it('a server that is started anew is asked at once, and a renewal asks for nothing', async () => {
  const { happens, lease, settle, fetched } = await givenOne();
  const before = fetched();
  happens('modified', 'apiserver-n', lease('apiserver-n', 'apiserver-n'));
  await settle();
  expect(fetched()).toBe(before);
  happens('modified', 'apiserver-n', lease('apiserver-n', 'another'));
  await settle();
  expect(fetched()).toBe(before + 2);
});

it('authorities that have changed count from the next request on', async () => {
  const { asks, trust, passed } = await givenOne();
  trust.ca = 'another';
  await asks(URL_OF_NEW);
  expect(passed.map((one) => one.split(' ')[1])).toEqual(['another']);
});
