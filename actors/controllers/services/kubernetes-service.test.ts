import { afterEach, describe, expect, it } from 'vitest';
import { MemoryEventLog } from '../../../streams/memory/memory-event-log.ts';
import { testFaults } from '../../request/given.fixture.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';
import { KubernetesService, type EndpointReconciler } from './kubernetes-service.ts';
import { OnlyServer, SharedPresence } from './server-presence.ts';

const CORE = '/api/v1/namespaces/default';
const SERVICE = `${CORE}/services/kubernetes`;
const ENDPOINTS = `${CORE}/endpoints/kubernetes`;
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
const ROUND_MS = 5_000;
const TURNS = 500;

const running: KubernetesService[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

interface GivenServer {
  readonly address?: string;
  readonly port?: number;
  readonly nodePort?: number;
  /** Another server's log; its own where nothing is said. */
  readonly log?: MemoryEventLog;
  readonly counted?: number;
  readonly isLeft?: boolean;
}

async function server(given: GivenServer = {}) {
  const { address = '192.0.2.1', port = 6443, nodePort = 0, log, counted, isLeft } = given;
  let uuids = 0;
  const random = {
    integer: () => 0,
    uuid: () => `${address}-${String((uuids += 1))}`,
  };
  const plane = await givenControlPlane(log === undefined ? { random } : { random, log });
  const { committer, clock } = plane.context;
  const { objects, loopback } = plane;
  let reconciler: EndpointReconciler = { type: 'none' };
  if (counted !== undefined) reconciler = { type: 'master-count', count: counted };
  else if (isLeft !== true && log === undefined) {
    reconciler = { type: 'lease', presence: new OnlyServer(address) };
  } else if (isLeft !== true) {
    const presence = new SharedPresence({ committer, clock, random, objects, address });
    plane.hear((writer) => {
      presence.heard(writer);
    });
    reconciler = { type: 'lease', presence };
  }
  const faults = testFaults();
  const state = { isReady: true };
  const listen = plane.listen.bind(plane);
  const service = new KubernetesService({
    ...{ loopback, objects, listen, clock, faults, address, port, nodePort, reconciler },
    clusterIp: '10.0.0.1',
    isReady: () => state.isReady,
  });
  running.push(service);
  const read = async (url: string) => {
    const { code, object } = await plane.get(url);
    return code === 200 ? object : undefined;
  };
  /** Turns of the event loop, in which what is under way is done. */
  const settle = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((done) => setImmediate(done));
  };
  const round = async () => {
    plane.clock.advance(ROUND_MS);
    await settle();
  };
  const addresses = async () => {
    const slice = JSON.stringify((await read(SLICE)) ?? {});
    const found = [...slice.matchAll(/"addresses":\["([^"]+)"\]/g)].map(([, one]) => one);
    const endpoints = JSON.stringify((await read(ENDPOINTS)) ?? {});
    const same = [...endpoints.matchAll(/"ip":"([^"]+)"/g)].map(([, one]) => one);
    expect(found).toEqual(same);
    return found;
  };
  return { ...plane, service, faults, state, read, settle, round, addresses };
}

describe('the service kubernetes', () => {
  it('has the first address of the range, and leads to the server', async () => {
    const { service, read, settle, faults } = await server();
    await service.start();
    await settle();
    expect(await read(SERVICE)).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        ...{ type: 'ClusterIP', clusterIP: '10.0.0.1', ipFamilyPolicy: 'SingleStack' },
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      },
    });
    const ports = [{ name: 'https', port: 6443, protocol: 'TCP' }];
    expect(await read(ENDPOINTS)).toMatchObject({
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports }],
    });
    expect(await read(SLICE)).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      ...{ addressType: 'IPv4', ports },
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
    });
    expect(faults.count).toBe(0);
  });

  it('is of type NodePort where a port is asked for', async () => {
    const { service, read } = await server({ nodePort: 30_443 });
    await service.start();
    expect(await read(SERVICE)).toMatchObject({
      spec: { type: 'NodePort', ports: [{ nodePort: 30_443 }] },
    });
  });

  it('that is there stays as it is', async () => {
    const { service, read, patch, round } = await server();
    await service.start();
    await patch(SERVICE, 'merge', { metadata: { labels: { component: 'mine' } } });
    await round();
    expect(await read(SERVICE)).toMatchObject({ metadata: { labels: { component: 'mine' } } });
  });

  it('leads to a server only when that is ready', async () => {
    const { service, state, addresses, settle, clock } = await server();
    state.isReady = false;
    await service.start();
    await settle();
    expect(await addresses()).toEqual([]);
    state.isReady = true;
    clock.advance(100);
    await settle();
    expect(await addresses()).toEqual(['192.0.2.1']);
  });

  it('is made again, with its endpoints, when it is deleted', async () => {
    const { service, read, del, addresses, settle } = await server();
    await service.start();
    await settle();
    for (const url of [SLICE, ENDPOINTS, SERVICE]) {
      await del(url);
      await settle();
      expect(await read(url)).toBeDefined();
    }
    expect(await addresses()).toEqual(['192.0.2.1']);
  });

  it('has endpoints that are put right in the next round', async () => {
    const { service, patch, addresses, settle, round } = await server();
    await service.start();
    await settle();
    await patch(ENDPOINTS, 'merge', { subsets: [{ addresses: [{ ip: '198.51.100.1' }] }] });
    await patch(SLICE, 'merge', { endpoints: [] });
    await round();
    expect(await addresses()).toEqual(['192.0.2.1']);
  });

  it('is written once: a server that goes on writes nothing', async () => {
    const { service, applied, settle, round } = await server();
    await service.start();
    await settle();
    const before = applied.current;
    for (let count = 0; count < 10; count += 1) await round();
    expect(applied.current).toBe(before);
  });

  it('leads nowhere when its server has stopped', async () => {
    const { service, read, settle, round } = await server();
    await service.start();
    await settle();
    await service.stop();
    await round();
    expect((await read(ENDPOINTS))?.['subsets'] ?? []).toEqual([]);
    expect(await read(SLICE)).toMatchObject({ addressType: 'IPv4', endpoints: null });
  });

  it('has the port of the latest start', async () => {
    const { service, read, settle, post } = await server();
    const subset = (port: number) => ({
      ...{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
    });
    const metadata = { name: 'kubernetes' };
    const head = { kind: 'Endpoints', apiVersion: 'v1', metadata };
    expect((await post(`${CORE}/endpoints`, { ...head, subsets: [subset(1)] })).code).toBe(201);
    await service.start();
    await settle();
    expect((await read(ENDPOINTS))?.['subsets']).toEqual([subset(6443)]);
  });

  it('has no endpoints of a server that leaves them alone', async () => {
    const { service, read, settle, round } = await server({ isLeft: true });
    await service.start();
    await settle();
    await round();
    expect(await read(SERVICE)).toBeDefined();
    expect(await read(ENDPOINTS)).toBeUndefined();
  });
});

describe('servers on one log', () => {
  async function two() {
    const log = new MemoryEventLog();
    const one = await server({ log, address: '192.0.2.1' });
    const other = await server({ log, address: '192.0.2.2' });
    for (const { service, settle } of [one, other]) {
      await service.start();
      await settle();
    }
    const round = async () => {
      await one.round();
      await other.round();
    };
    await round();
    return { one, other, round };
  }

  it('are all in the endpoints, and stay while nothing else is written', async () => {
    const { one, round } = await two();
    for (let count = 0; count < 12; count += 1) {
      expect(await one.addresses()).toEqual(['192.0.2.1', '192.0.2.2']);
      await round();
    }
    expect(one.verdicts.marker).toBeGreaterThan(5);
  });

  it('leave them when they are heard of no more, and not before three rounds', async () => {
    const { one } = await two();
    const seen: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      await one.round();
      seen.push((await one.addresses()).length);
    }
    expect(seen.slice(0, 2)).toEqual([2, 2]);
    expect(await one.addresses()).toEqual(['192.0.2.1']);
  });

  it('come back when they were only slow', async () => {
    const { one, other } = await two();
    for (let count = 0; count < 6; count += 1) await one.round();
    expect(await one.addresses()).toEqual(['192.0.2.1']);
    await other.round();
    await one.round();
    expect(await one.addresses()).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('leave at once when they stop, and the last leaves nothing', async () => {
    const { one, other } = await two();
    await other.service.stop();
    await one.settle();
    expect(await one.addresses()).toEqual(['192.0.2.1']);
    await one.service.stop();
    expect((await one.read(ENDPOINTS))?.['subsets'] ?? []).toEqual([]);
    expect([...one.objects.of('dev.everwatch/servers').inOrder('')]).toEqual([]);
  });

  it('are never taken for dead while the log cannot be reached', async () => {
    const { one, other } = await two();
    const { committer } = one.context;
    const reach = committer.reach.bind(committer);
    committer.reach = () => Promise.resolve(undefined);
    for (let count = 0; count < 10; count += 1) await one.round();
    committer.reach = reach;
    await one.round();
    expect(await one.addresses()).toEqual(['192.0.2.1', '192.0.2.2']);
    await other.round();
    await one.round();
    expect(await one.addresses()).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('are counted, where that is asked for', async () => {
    const log = new MemoryEventLog();
    const servers = [];
    for (const end of ['3', '1', '2']) {
      const one = await server({ log, address: `192.0.2.${end}`, counted: 2 });
      await one.service.start();
      await one.settle();
      servers.push(one);
    }
    const [first] = servers;
    expect((await first?.addresses())?.length).toBe(2);
  });
});
