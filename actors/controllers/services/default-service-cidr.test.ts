import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { keepDefaultServiceCidr } from './default-service-cidr.ts';
import { startServiceCidrs } from './service-cidr-controller.ts';
import type { Controller } from '../controller-parts.ts';

const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs';
const DEFAULT = `${CIDRS}/kubernetes`;
const EVENTS = '/api/v1/namespaces/default/events';
const SERVICES = '/api/v1/namespaces/default/services';
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

const running: Controller[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

async function kept(ranges: readonly string[]) {
  const plane = await givenControllers();
  const keep = (said: readonly string[]) =>
    keepDefaultServiceCidr({ ...plane.parts, ranges: said, until: new AbortController().signal });
  await keep(ranges);
  return { ...plane, keep };
}

function cidr(name: string, ...cidrs: string[]): JsonObject {
  const head = { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1' };
  return { ...head, metadata: { name }, spec: { cidrs } };
}

function service(name: string, clusterIP: string): JsonObject {
  const spec = { clusterIP, ports: [{ port: 80 }] };
  return { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec };
}

const READY = expect.objectContaining({
  type: 'Ready',
  status: 'True',
  reason: '',
  message: 'Kubernetes default Service CIDR is ready',
}) as unknown;

describe('the ServiceCIDR kubernetes', () => {
  it('has the ranges of the flag, and is ready', async () => {
    const { find, problems } = await kept(['10.0.0.0/24', 'fd00::/112']);
    const found = await find(DEFAULT);
    expect(found).toMatchObject({ spec: { cidrs: ['10.0.0.0/24', 'fd00::/112'] } });
    expect(found).toMatchObject({ status: { conditions: [READY] } });
    expect(problems).toEqual([]);
  });

  it('is made again when it has gone', async () => {
    const { find, del, until } = await kept(['10.0.0.0/24']);
    const uid = (await find(DEFAULT))?.metadata.uid;
    await del(DEFAULT);
    const isAnother = async () => ![undefined, uid].includes((await find(DEFAULT))?.metadata.uid);
    await until('it is another one', isAnother);
    await until('it is ready', async () =>
      JSON.stringify(await find(DEFAULT)).includes('is ready'),
    );
  });

  it('grows by the second range that the flag has got', async () => {
    const { find, keep } = await kept(['10.0.0.0/24']);
    await keep(['10.0.0.0/24', 'fd00::/112']);
    const found = await find(DEFAULT);
    expect(found).toMatchObject({ spec: { cidrs: ['10.0.0.0/24', 'fd00::/112'] } });
  });

  it.each([
    [
      ['10.1.0.0/24'],
      '[10.0.0.0/24] does not match the controller flag configurations [10.1.0.0/24]',
    ],
    [
      ['fd00::/112', '10.0.0.0/24'],
      '[10.0.0.0/24] does not match the controller flag configurations [fd00::/112 10.0.0.0/24]',
    ],
  ])('stays as it is where the flag says %j, and one event tells so', async (ranges, what) => {
    const { find, keep, get, patch } = await kept(['10.0.0.0/24']);
    await keep(ranges);
    await patch(DEFAULT, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(await find(DEFAULT)).toMatchObject({ spec: { cidrs: ['10.0.0.0/24'] } });
    const events = await get(EVENTS);
    expect(events.items).toMatchObject([
      {
        involvedObject: { kind: 'ServiceCIDR', name: 'kubernetes' },
        reason: 'KubernetesDefaultServiceCIDRInconsistent',
        message: `The default ServiceCIDR ${what}`,
        type: 'Warning',
        source: { component: 'kubernetes-service-cidr-controller' },
      },
    ]);
  });

  it('that another says is not ready stays so, and an event tells why', async () => {
    const { find, get, post, patch, parts } = await givenControllers();
    await post(CIDRS, cidr('kubernetes', '10.0.0.0/24'));
    const condition = { type: 'Ready', status: 'False', reason: 'Held', message: 'by hand' };
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const status = { conditions: [{ ...condition, lastTransitionTime }] };
    await patch(`${DEFAULT}/status`, 'merge', { status });
    await keepDefaultServiceCidr({
      ...{ ...parts, ranges: ['10.0.0.0/24'], until: new AbortController().signal },
    });
    expect(await find(DEFAULT)).toMatchObject({ status });
    expect((await get(EVENTS)).items).toMatchObject([
      { reason: 'Held', message: 'Configuration matches, but by hand' },
    ]);
  });
});

describe('ServiceCIDRs with the controller that guards them', () => {
  async function guarded() {
    const plane = await givenControllers();
    await plane.post(CIDRS, cidr('kubernetes', '10.0.0.0/24'));
    running.push(await plane.started(startServiceCidrs));
    const said = async (url: string) => JSON.stringify(await plane.find(url));
    const untilSaid = (url: string, what: string) =>
      plane.until(`${url} says ${what}`, async () => (await said(url)).includes(what));
    await untilSaid(DEFAULT, 'Kubernetes Service CIDR is ready');
    return { ...plane, untilSaid };
  }

  it('have a finalizer and are ready', async () => {
    const { post, find, untilSaid, problems } = await guarded();
    await post(CIDRS, cidr('more', '10.9.0.0/24'));
    await untilSaid(`${CIDRS}/more`, 'Kubernetes Service CIDR is ready');
    for (const name of ['kubernetes', 'more']) {
      const found = await find(`${CIDRS}/${name}`);
      expect(found?.metadata.finalizers).toEqual([FINALIZER]);
      expect(found).toMatchObject({ status: { conditions: [{ status: 'True', reason: '' }] } });
    }
    expect(problems).toEqual([]);
  });

  it('go at once when no service needs them', async () => {
    const { post, del, find, until, untilSaid } = await guarded();
    await post(CIDRS, cidr('more', '10.9.0.0/24'));
    await untilSaid(`${CIDRS}/more`, 'is ready');
    await post(SERVICES, service('elsewhere', '10.0.0.5'));
    await del(`${CIDRS}/more`);
    await until('it has gone', async () => (await find(`${CIDRS}/more`)) === undefined);
  });

  it('stay while a service has an address of theirs, and give none meanwhile', async () => {
    const { post, del, find, until, untilSaid } = await guarded();
    await post(CIDRS, cidr('more', '10.9.0.0/24'));
    await untilSaid(`${CIDRS}/more`, 'is ready');
    expect((await post(SERVICES, service('holds', '10.9.0.5'))).code).toBe(201);
    await del(`${CIDRS}/more`);
    await untilSaid(`${CIDRS}/more`, '"reason":"Terminating"');
    expect(await find(`${CIDRS}/more`)).toMatchObject({
      status: {
        conditions: [
          {
            status: 'False',
            message:
              'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
          },
        ],
      },
    });
    expect((await post(SERVICES, service('late', '10.9.0.6'))).code).toBe(422);
    await del(`${SERVICES}/holds`);
    await until('it has gone', async () => (await find(`${CIDRS}/more`)) === undefined);
  });

  it('go when another one has their addresses', async () => {
    const { post, del, find, until, untilSaid } = await guarded();
    await post(CIDRS, cidr('more', '10.9.0.0/24'));
    await untilSaid(`${CIDRS}/more`, 'is ready');
    await post(SERVICES, service('holds', '10.9.0.5'));
    await del(`${CIDRS}/more`);
    await untilSaid(`${CIDRS}/more`, '"reason":"Terminating"');
    await post(CIDRS, cidr('larger', '10.9.0.0/16'));
    await until('it has gone', async () => (await find(`${CIDRS}/more`)) === undefined);
    expect(await find(`${SERVICES}/holds`)).toBeDefined();
  });

  it('are left to another process while it is at work', async () => {
    const { post, find, standAside, until } = await guarded();
    standAside(true);
    await post(CIDRS, cidr('more', '10.9.0.0/24'));
    let turns = 0;
    await until('time has gone on', () => (turns += 1) > 20);
    expect((await find(`${CIDRS}/more`))?.metadata.finalizers).toBeUndefined();
  });
});
