/** What a service asks for by an update, and the ranges that it asks. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { givenControlPlane } from '../given-registry.fixture.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs';

async function given() {
  const plane = await givenControlPlane();
  const make = (name: string, spec: JsonObject) =>
    plane.post(SERVICES, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  const change = (name: string, spec: JsonObject) =>
    plane.patch(`${SERVICES}/${name}`, 'merge', { spec });
  const held = () =>
    [...plane.objects.of('everwatch/nodeports').inOrder('')].map(({ path }) => path.slice(1));
  return { ...plane, make, change, held };
}

const port = (number: number, nodePort: number) => ({
  name: `p${String(number)}`,
  port: number,
  nodePort,
});

describe('node ports that an update asks for', () => {
  it('are held, and refused where another service has them or no range does', async () => {
    const { make, change, held } = await given();
    await make('other', { type: 'NodePort', ports: [port(1, 30_001)] });
    await make('own', { type: 'NodePort', ports: [port(1, 30_002)] });
    const asked = (nodePort: number) =>
      change('own', { ports: [port(1, 30_002), port(2, nodePort)] });

    expect((await asked(30_001)).message).toContain('provided port is already allocated');
    for (const outside of [29_999, 32_768])
      expect((await asked(outside)).message).toContain('not in the valid range');
    expect(held()).toEqual(['30001', '30002']);

    expect((await asked(30_003)).code).toBe(200);
    expect(held()).toEqual(['30001', '30002', '30003']);
  });

  it('are none for a load balancer that does without', async () => {
    const { make, change, held } = await given();
    await make('a', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
    const changed = await change('a', {
      ports: [
        { name: 'x', port: 1 },
        { name: 'y', port: 2 },
      ],
    });
    expect(changed.code).toBe(200);
    expect(held()).toEqual([]);
  });

  it('and those of health checks are held by the number that a client names', async () => {
    const { make, held } = await given();
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const quiet = { allocateLoadBalancerNodePorts: false, healthCheckNodePort: 30_100 };
    expect((await make('a', { ...local, ...quiet })).object['spec']).toMatchObject(quiet);
    expect(held()).toEqual(['30100']);
    expect((await make('b', { ...local, ...quiet })).message).toContain(
      'failed to allocate requested HealthCheck NodePort 30100: provided port is already allocated',
    );
  });
});

describe('further ranges of addresses', () => {
  it('are used until their controller says that they are not ready', async () => {
    const { make, post, put, get } = await given();
    await post(CIDRS, { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/28'] } });
    expect((await make('a', { clusterIP: '10.9.0.5' })).code).toBe(201);

    const { object } = await get(`${CIDRS}/more`);
    const said = (status: string) => [
      { type: 'Other', status: 'True', reason: 'r', message: '', lastTransitionTime: null },
      { type: 'Ready', status, reason: 'r', message: '', lastTransitionTime: null },
    ];
    await put(`${CIDRS}/more/status`, { ...object, status: { conditions: said('False') } });
    expect((await make('b', { clusterIP: '10.9.0.6' })).message).toContain('does not match');
    const { object: unready } = await get(`${CIDRS}/more`);
    await put(`${CIDRS}/more/status`, { ...unready, status: { conditions: said('True') } });
    expect((await make('c', { clusterIP: '10.9.0.7' })).code).toBe(201);
  });
});
