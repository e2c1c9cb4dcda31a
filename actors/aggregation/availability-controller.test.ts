/** What is said of aggregated servers, when they are looked at, and how several replicas agree. */
import { beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { givenPlane, NO_SERVERS } from '../../gateway/server/given-plane.fixture.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { testFaults } from '../request/given.fixture.ts';
import type { AggregatedServers, FetchedDocument, FetchFailure } from './aggregated-servers.ts';
import { AggregatedServices } from './aggregated-services.ts';
import { startAvailability } from './availability-controller.ts';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAME = 'v1.example.com';
const URL = 'https://10.0.0.1:443/apis/example.com/v1';
const WELL: FetchedDocument = { ok: true, code: 200, url: URL, headers: {}, body: Buffer.alloc(0) };
const AWAY: FetchFailure = { ok: false, url: URL, message: `Get "${URL}": EOF` };

let plane: Awaited<ReturnType<typeof givenPlane>>;
let writes: number;
beforeEach(async () => {
  plane = await givenPlane();
  writes = 0;
  plane.listen(({ resource, type }) => {
    if (resource === 'apiregistration.k8s.io/apiservices' && type === 'modified') writes += 1;
  });
});

interface Replica {
  asked: string[];
  answer: () => Promise<FetchedDocument | FetchFailure>;
  failed: (name: string) => void;
  stop(): Promise<void>;
}

function replica(answer: Replica['answer'] = () => Promise.resolve(WELL)): Replica {
  const one: Replica = { asked: [], answer, failed: () => undefined, stop: () => end.stop() };
  const servers: AggregatedServers = {
    ...NO_SERVERS,
    fetch: (_of, path) => {
      one.asked.push(path);
      return one.answer();
    },
    whenFailed: (listener) => {
      one.failed = listener;
      return () => undefined;
    },
  };
  const end = startAvailability({
    ...{ services: new AggregatedServices(plane.followed), servers },
    ...{ loopback: plane.loopback, objects: plane.objects, clock: plane.clock },
    listen: (listener) => void plane.listen(listener),
    faults: testFaults(),
    meters: {
      found: () => undefined,
      becameUnavailable: () => undefined,
      forget: () => undefined,
    },
  });
  return one;
}

async function post(path: string, body: JsonObject) {
  const answer = await plane.loopback({ method: 'POST', path, body });
  expect(answer).toMatchObject({ kind: 'Object' });
}

const apiService = (version = 'v1') =>
  post(SERVICES, {
    ...{ kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' },
    metadata: { name: `${version}.example.com` },
    spec: {
      ...{ group: 'example.com', version, groupPriorityMinimum: 10, versionPriority: 10 },
      service: { namespace: 'default', name: 'api' },
    },
  });
const service = (spec: JsonObject = { ports: [{ name: 'https', port: 443 }] }) =>
  post('/api/v1/namespaces/default/services', {
    ...{ kind: 'Service', apiVersion: 'v1', metadata: { name: 'api' }, spec },
  });
const slice = (ready: boolean) =>
  post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    ...{ kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', addressType: 'IPv4' },
    metadata: {
      name: ready ? 'ready' : 'waiting',
      labels: { 'kubernetes.io/service-name': 'api' },
    },
    ports: [{ name: 'https', port: 8443 }],
    endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready } }],
  });

interface Condition {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

function condition(name = NAME): Partial<Condition> {
  const stored = plane.objects.get('apiregistration.k8s.io/apiservices', `/${name}`);
  if (stored === undefined) return { reason: 'gone' };
  const { status } = parsedObject(stored) as { status?: { conditions?: Condition[] } };
  return status?.conditions?.find(({ type }) => type === 'Available') ?? {};
}

const said = (name = NAME): string => condition(name).reason ?? 'nothing';

/** All that has to come comes by turns of the event loop; time stands still. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('says what is missing, at once when it changes, and asks five times when nothing is', async () => {
  const one = replica();
  await apiService();
  await settled();
  expect(said()).toBe('ServiceNotFound');
  await service({ ports: [{ name: 'https', port: 8080 }] });
  await settled();
  expect(said()).toBe('ServicePortError');
  await plane.loopback({ method: 'DELETE', path: '/api/v1/namespaces/default/services/api' });
  await service();
  await settled();
  expect(said()).toBe('EndpointsNotFound');
  await slice(false);
  await settled();
  expect(said()).toBe('MissingEndpoints');
  expect(one.asked).toEqual([]);
  await slice(true);
  await settled();
  expect(said()).toBe('Passed');
  expect(one.asked.slice(0, 5)).toEqual(Array(5).fill('/apis/example.com/v1'));
  await one.stop();
});

it('looks again when a request has failed, and every thirty seconds', async () => {
  const one = replica();
  await service({ type: 'ExternalName', externalName: 'elsewhere' });
  await apiService();
  await settled();
  expect(said()).toBe('Passed');
  one.answer = () => Promise.resolve(AWAY);
  one.failed(NAME);
  await settled();
  expect(said()).toBe('FailedDiscoveryCheck');
  one.answer = () => Promise.resolve(WELL);
  plane.clock.advance(30_000);
  await settled();
  expect(said()).toBe('Passed');
  await one.stop();
});

it('says where it looked, at once, when an APIService names another port a moment later', async () => {
  const one = replica();
  await service();
  await apiService();
  await settled();
  for (const port of [8081, 8082]) {
    const path = `${SERVICES}/${NAME}`;
    const body = { spec: { service: { port } } };
    await plane.loopback({ method: 'PATCH', path, body });
    await settled();
    expect(condition().message).toBe(
      `service/api in "default" is not listening on port ${String(port)}`,
    );
  }
  await one.stop();
});

it('needs one success of five, and takes a refusal for none', async () => {
  let count = 0;
  const one = replica(() => Promise.resolve((count += 1) % 5 === 0 ? WELL : AWAY));
  await service({ type: 'ExternalName', externalName: 'elsewhere' });
  await apiService();
  await settled();
  expect(said()).toBe('Passed');
  one.answer = () => Promise.resolve({ ...WELL, code: 403 });
  one.failed(NAME);
  await settled();
  expect(said()).toBe('FailedDiscoveryCheck');
  await one.stop();
});

it('a server that hangs keeps no other from being looked at', async () => {
  const one = replica(() => new Promise(() => undefined));
  await service({ type: 'ExternalName', externalName: 'elsewhere' });
  const names = Array.from({ length: 20 }, (_, at) => `v${String(at + 1)}`);
  for (const version of names) await apiService(version);
  await settled();
  expect(new Set(one.asked).size).toBe(20);
  one.answer = () => Promise.resolve(WELL);
  await apiService('v99');
  await settled();
  expect(said('v99.example.com')).toBe('Passed');
});

it('replicas that find the same write it once, and those that cannot agree do not write by turns', async () => {
  const here = replica();
  const there = replica();
  await service({ type: 'ExternalName', externalName: 'elsewhere' });
  await apiService();
  await settled();
  expect([said(), writes]).toEqual(['Passed', 1]);
  there.answer = () => Promise.resolve(AWAY);
  there.failed(NAME);
  await settled();
  expect([said(), writes]).toEqual(['FailedDiscoveryCheck', 2]);
  for (let second = 0; second < 20; second += 1) {
    here.failed(NAME);
    there.failed(NAME);
    plane.clock.advance(1_000);
    await settled();
  }
  expect(writes).toBe(2);
  await Promise.all([here.stop(), there.stop()]);
});
