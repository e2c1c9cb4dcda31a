/** Where the server behind an APIService is, by the address of its service and by its endpoints, as upstream finds it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { givenControlPlane, type ControlPlane } from '../registry/given-registry.fixture.ts';
import { atEndpoints, atService } from './service-places.ts';

let plane: ControlPlane;
const ADDRESS = { namespace: 'default', name: 'web', port: 443 };
const PORTS = [{ name: 'https', port: 443 }];
const FIRST = { integer: () => 0 };
const SECOND = { integer: () => 1 };

beforeEach(async () => {
  plane = await givenControlPlane();
});

async function service(spec: JsonObject): Promise<void> {
  const body = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'web' }, spec };
  const { code, message } = await plane.post('/api/v1/namespaces/default/services', body);
  if (code !== 201) throw new Error(message);
}

async function slice(name: string, addressType: string, endpoints: JsonObject[], port = 8443) {
  const metadata = { name, labels: { 'kubernetes.io/service-name': 'web' } };
  const ports = [{ name: 'https', port }];
  const { code, message } = await plane.post(
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    {
      ...{ kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', metadata },
      ...{ addressType, ports, endpoints },
    },
  );
  if (code !== 201) throw new Error(message);
}

describe('by the address of the service', () => {
  it.each([
    [
      { ports: PORTS, clusterIP: '10.0.0.9' },
      { ok: true, host: '10.0.0.9', port: 443 },
    ],
    [
      { type: 'NodePort', ports: PORTS, clusterIP: '10.0.0.9' },
      { ok: true, host: '10.0.0.9', port: 443 },
    ],
    [
      { type: 'ExternalName', externalName: 'web.example.com' },
      { ok: true, host: 'web.example.com', port: 443 },
    ],
    [
      { ports: PORTS, clusterIP: 'None' },
      { ok: false, message: 'cannot route to service with ClusterIP "None"' },
    ],
    [
      { ports: [{ port: 80 }] },
      { ok: false, message: 'no service port 443 found for service "web"' },
    ],
  ])('%j is at %j', async (spec, place) => {
    await service(spec);
    expect(atService(plane.objects)(ADDRESS)).toEqual(place);
  });

  it('is nowhere without a service', () => {
    const none = { ok: false, message: 'services "web" not found' };
    expect(atService(plane.objects)(ADDRESS)).toEqual(none);
    expect(atEndpoints(plane.objects, FIRST)(ADDRESS)).toEqual(none);
  });
});

describe('by endpoints, as --enable-aggregator-routing has it', () => {
  const none = { ok: false, message: 'no endpoints available for service "web"' };
  const at = (host: string, port = 8443) => ({ ok: true, host, port });

  it('is one that is ready, from a random one on', async () => {
    await service({ ports: PORTS });
    await slice('a', 'IPv4', [
      { addresses: ['10.1.0.1'], conditions: { ready: false } },
      { addresses: ['10.1.0.2'] },
      { addresses: ['10.1.0.3'], conditions: { ready: true } },
    ]);
    expect(atEndpoints(plane.objects, FIRST)(ADDRESS)).toEqual(at('10.1.0.2'));
    expect(atEndpoints(plane.objects, { integer: () => 2 })(ADDRESS)).toEqual(at('10.1.0.3'));
  });

  it("is one of the service's first family, wherever its slices stand", async () => {
    await service({ ports: PORTS });
    await slice('a', 'IPv6', [{ addresses: ['fd00::1'] }]);
    await slice('b', 'IPv4', [{ addresses: ['10.1.0.1'] }], 9443);
    for (const random of [FIRST, SECOND])
      expect(atEndpoints(plane.objects, random)(ADDRESS)).toEqual(at('10.1.0.1', 9443));
  });

  it('is one of another family where the first has none that is ready', async () => {
    await service({ ports: PORTS });
    await slice('a', 'IPv4', [{ addresses: ['10.1.0.1'], conditions: { ready: false } }]);
    await slice('b', 'IPv6', [{ addresses: ['fd00::1'] }]);
    expect(atEndpoints(plane.objects, FIRST)(ADDRESS)).toEqual(at('fd00::1'));
  });

  it.each([
    [{ ports: [{ name: 'other', port: 443 }] }, none],
    [
      { type: 'ExternalName', externalName: 'web.example.com' },
      { ok: false, message: 'unsupported service type "ExternalName"' },
    ],
    [
      { ports: [{ port: 80 }] },
      { ok: false, message: 'no service port 443 found for service "web"' },
    ],
  ])('%j has no such endpoint', async (spec, place) => {
    await service(spec);
    await slice('a', 'IPv4', [{ addresses: ['10.1.0.1'] }]);
    expect(atEndpoints(plane.objects, FIRST)(ADDRESS)).toEqual(place);
  });

  it('is nowhere where there are no slices', async () => {
    await service({ ports: PORTS });
    expect(atEndpoints(plane.objects, FIRST)(ADDRESS)).toEqual(none);
  });
});
