/** Which server a path belongs to, in what order groups stand, and when a change is seen. */
import { beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { givenPlane } from '../../gateway/server/given-plane.fixture.ts';
import { AggregatedServices } from './aggregated-services.ts';

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';

let plane: Awaited<ReturnType<typeof givenPlane>>;
let services: AggregatedServices;
beforeEach(async () => {
  plane = await givenPlane();
  services = new AggregatedServices(plane.followed);
});

async function made(name: string, priorities: readonly [number, number], service?: JsonObject) {
  const [version = '', ...group] = name.split('.');
  const [groupPriorityMinimum, versionPriority] = priorities;
  const spec = { group: group.join('.'), version, groupPriorityMinimum, versionPriority };
  const body = { metadata: { name }, spec: service === undefined ? spec : { ...spec, service } };
  const head = { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' };
  const answer = await plane.loopback({ method: 'POST', path: PATH, body: { ...head, ...body } });
  expect(answer).toMatchObject({ kind: 'Object' });
}

const BEHIND = { namespace: 'default', name: 'api' };

it('takes the group version and all below it, and nothing that only begins alike', async () => {
  await made('v1.example.com', [100, 10], BEHIND);
  expect(services.forPath('/apis/example.com/v1')?.name).toBe('v1.example.com');
  expect(services.forPath('/apis/example.com/v1/')?.name).toBe('v1.example.com');
  expect(services.forPath('/apis/example.com/v1/namespaces/a/b')?.service.port).toBe(443);
  const others = ['/apis/example.com', '/apis/example.com/v1beta1/a', '/apis/example.com.a/v1'];
  for (const path of [...others, '/apis', '/api/v1/pods', '/', '']) {
    expect(services.forPath(path)).toBeUndefined();
  }
});

it('gives /api to another server, but never the group of APIServices itself', async () => {
  await made('v1.', [100, 10], BEHIND);
  await made('v1.apiregistration.k8s.io', [100, 10], BEHIND);
  expect(services.forPath('/api/v1/pods')?.name).toBe('v1.');
  expect(services.forPath('/apis/apiregistration.k8s.io/v1/apiservices')).toBeUndefined();
});

it('stands in the order of upstream, and tells of each change', async () => {
  const told: string[] = [];
  const end = services.listen((name) => told.push(name));
  await made('v1alpha1.low.com', [10, 5], BEHIND);
  await made('v1.low.com', [9, 5], BEHIND);
  await made('v2.high.com', [2_000, 1]);
  await made('v1.high.com', [2_000, 9], BEHIND);
  const names = () => services.registered().map(({ name }) => name);
  expect(names()).toEqual(['v1.high.com', 'v2.high.com', 'v1.low.com', 'v1alpha1.low.com']);
  expect(services.all()).toHaveLength(3);
  expect(services.all()).toBe(services.all());
  expect(told).toHaveLength(4);
  await plane.loopback({ method: 'DELETE', path: `${PATH}/v1.high.com` });
  expect(names()).toEqual(['v2.high.com', 'v1.low.com', 'v1alpha1.low.com']);
  expect(services.at('high.com', 'v1')).toBeUndefined();
  expect(told.at(-1)).toBe('v1.high.com');
  end();
});
