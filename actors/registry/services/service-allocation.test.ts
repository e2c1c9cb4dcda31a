import { describe, expect, it } from 'vitest';
import { stringAt, type JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { ADDRESSES, URL, givenServices, service } from './given-services.fixture.ts';

describe('a new service', () => {
  it('gets an address, and an IPAddress says whose it is', async () => {
    const { make, get } = await givenServices();
    const told = await make('a');
    expect(told.code, told.message).toBe(201);
    const { spec, metadata } = told.object as unknown as { spec: JsonObject; metadata: JsonObject };
    expect(spec).toMatchObject({
      clusterIPs: [spec['clusterIP']],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    const held = await get(`${ADDRESSES}/${stringAt(spec, 'clusterIP')}`);
    expect(held.object).toMatchObject({
      metadata: {
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
    });
    expect(Number(held.object.metadata.resourceVersion)).toBe(
      Number(metadata['resourceVersion']) + 1,
    );
  });
});

describe('what a service asks for', () => {
  it("it gets, or is told with upstream's words why not", async () => {
    const { make } = await givenServices();
    expect(await make('a', { clusterIP: '10.0.0.7' })).toMatchObject({ code: 201 });
    const refused = async (clusterIP: string) => (await make('b', { clusterIP })).message;
    expect(await refused('10.0.0.7')).toBe(
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.7"]: failed to allocate IP 10.0.0.7: provided IP is already allocated',
    );
    const mismatch = (ip: string) =>
      `Service "b" is invalid: spec.clusterIPs: Invalid value: ["${ip}"]: failed to allocate IP ${ip}: the provided network does not match the current range`;
    for (const ip of ['10.0.1.7', '10.0.0.0', '10.0.0.255'])
      expect(await refused(ip)).toBe(mismatch(ip));
    expect(await refused('fd00::7')).toBe(
      'Service "b" is invalid: spec.clusterIPs[0]: Invalid value: ["fd00::7"]: IPv6 is not configured on this cluster',
    );
    expect(await refused('')).toBe('');
  });

  it('may be taken by an IPAddress that a client has made', async () => {
    const { make, post } = await givenServices();
    const parentRef = { group: 'example.com', resource: 'gateways', name: 'mine' };
    const kind = { kind: 'IPAddress', apiVersion: 'networking.k8s.io/v1' };
    await post(ADDRESSES, { ...kind, metadata: { name: '10.0.0.9' }, spec: { parentRef } });
    expect((await make('a', { clusterIP: '10.0.0.9' })).message).toContain('already allocated');
  });

  it('can be none left', async () => {
    const { make, del, specOf } = await givenServices([
      '--service-cluster-ip-range=10.0.0.0/29',
      '--service-node-port-range=30000-30001',
    ]);
    for (let one = 0; one < 6; one += 1) {
      expect(await make(`s${String(one)}`)).toMatchObject({ code: 201 });
    }
    expect(await make('late')).toMatchObject({
      code: 500,
      message:
        'Internal error occurred: failed to allocate a serviceIP for Service "late": range is full',
    });
    const { clusterIP } = await specOf('s3');
    await del(`${URL}/s3`);
    await make('late');
    expect(await specOf('late')).toMatchObject({ clusterIP });

    const nodePort = { type: 'NodePort' };
    await del(`${URL}/s1`);
    await del(`${URL}/s2`);
    await make('n1', {
      ...nodePort,
      ports: [
        { port: 1, name: 'a' },
        { port: 2, name: 'b' },
      ],
    });
    expect(await make('n2', nodePort)).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a nodePort: range is full',
    });
  });

  it('is counted, by whether the client named it and could have it', async () => {
    const flags = ['--service-cluster-ip-range=10.0.0.0/29'];
    const { make, addresses, context } = await givenServices(flags);
    const { allocation } = context;
    const none = allocation.use();
    expect(none.addresses.get('10.0.0.0/29')).toEqual({ held: 0, left: 6 });
    await make('a', { clusterIP: '10.0.0.3', type: 'NodePort' });
    await make('b', { clusterIP: '10.0.0.3' });
    for (const name of 'cdefgh') await make(name);
    expect((await addresses()).length).toBe(6);
    const { ports, ...now } = allocation.use();
    expect([now.addresses.get('10.0.0.0/29'), ports]).toEqual([
      { held: 6, left: 0 },
      { held: 1, left: none.ports.left - 1 },
    ]);
    expect([...allocation.counts.addresses]).toEqual([
      { cidr: '10.0.0.0/29', scope: 'static', given: 1, refused: 1 },
      { cidr: '10.0.0.0/29', scope: 'dynamic', given: 5, refused: 1 },
    ]);
    expect([...allocation.counts.ports]).toEqual([
      { cidr: '', scope: 'dynamic', given: 1, refused: 0 },
    ]);
  });

  it('is counted once where several ask for it at once', async () => {
    const { make, context } = await givenServices();
    const asked = { clusterIP: '10.0.0.7' };
    await Promise.all([make('a', asked), make('b', asked), make('c', asked)]);
    expect([...context.allocation.counts.addresses]).toMatchObject([{ given: 1, refused: 2 }]);
  });

  it('leaves the lower part of a range for addresses and ports that clients choose', async () => {
    const { make, specOf } = await givenServices(['--service-node-port-range=30000-30099']);
    const given: JsonObject[] = [];
    for (let one = 0; one < 84; one += 1) {
      await make(`s${String(one)}`, { type: 'NodePort' });
      given.push(await specOf(`s${String(one)}`));
    }
    const ports = given.map(
      ({ ports: list }) => (list as { nodePort: number }[])[0]?.nodePort ?? 0,
    );
    expect(Math.min(...ports)).toBe(30_016);
    const last = given.map((spec) => Number(stringAt(spec, 'clusterIP').split('.')[3]));
    expect(Math.min(...last)).toBeGreaterThanOrEqual(17);
    await make('low', { type: 'NodePort' });
    expect((await specOf('low'))['ports']).toMatchObject([{ nodePort: 30_015 }]);
  });

  it('is no address for a service without one, or one that is a mere name', async () => {
    const { make, specOf, addresses } = await givenServices();
    await make('headless', { clusterIP: 'None', selector: { app: 'web' } });
    await make('selectorless', { clusterIP: 'None' });
    await make('name', { type: 'ExternalName', externalName: 'example.com' });
    expect(await specOf('headless')).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect(await specOf('selectorless')).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
    expect(await specOf('name')).not.toHaveProperty('clusterIP');
    expect(await addresses()).toEqual([]);
  });
});

describe('node ports', () => {
  it('are given by number, which a service may use for two protocols', async () => {
    const { make, specOf, ports } = await givenServices();
    const both = [
      { name: 'udp', port: 53, protocol: 'UDP' },
      { name: 'tcp', port: 53, protocol: 'TCP' },
    ];
    await make('dns', { type: 'NodePort', ports: both });
    const given = ((await specOf('dns'))['ports'] as { nodePort: number }[]).map(
      ({ nodePort }) => nodePort,
    );
    expect(given).toEqual([given[0], given[0]]);
    expect(ports()).toEqual([String(given[0])]);
    const asked = await make('b', {
      type: 'NodePort',
      ports: [{ port: 1, nodePort: given[0] ?? 0, protocol: 'SCTP' }],
    });
    expect(asked.message).toBe(
      `Service "b" is invalid: spec.ports[0].nodePort: Invalid value: ${String(given[0])}: provided port is already allocated`,
    );
  });

  it('are inside of the range', async () => {
    const { make } = await givenServices();
    expect(
      (await make('b', { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] })).message,
    ).toBe(
      'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
  });

  it('come and go with the type, and with the ports', async () => {
    const { make, specOf, patch, ports, put, get } = await givenServices();
    await make('a', { ports: [{ port: 1, name: 'a' }] });
    const to = (spec: JsonObject) => patch(`${URL}/a`, 'merge', { spec });
    await to({ type: 'NodePort' });
    expect(ports()).toHaveLength(1);
    await to({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    expect(ports()).toHaveLength(2);
    expect((await specOf('a'))['healthCheckNodePort']).toBeGreaterThan(0);
    await to({ externalTrafficPolicy: 'Cluster' });
    expect(ports()).toHaveLength(1);
    const { object } = await get(`${URL}/a`);
    const spec = object['spec'] as JsonObject;
    const more = [...(spec['ports'] as JsonObject[]), { port: 2, name: 'b', nodePort: 30_002 }];
    await put(`${URL}/a`, { ...object, spec: { ...spec, ports: more } });
    expect(ports()).toHaveLength(2);
    await to({ type: 'ClusterIP' });
    expect(ports()).toEqual([]);
    await to({ type: 'ExternalName', externalName: 'example.com', ports: null });
    expect(await specOf('a')).not.toHaveProperty('clusterIP');
  });
});

describe('what a service has', () => {
  it('is released at once when it is deleted, alone or with others', async () => {
    const { make, del, addresses, ports } = await givenServices();
    for (const name of ['a', 'b', 'c']) await make(name, { type: 'NodePort' });
    await del(`${URL}/a`);
    expect([(await addresses()).length, ports().length]).toEqual([2, 2]);
    await del(URL);
    expect([await addresses(), ports()]).toEqual([[], []]);
  });

  it('is kept until its last finalizer has let go', async () => {
    const { post, patch, del, addresses } = await givenServices();
    const made = service('a');
    await post(URL, { ...made, metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    await del(`${URL}/a`);
    expect(await addresses()).toHaveLength(1);
    await patch(`${URL}/a/status`, 'merge', { metadata: { finalizers: null } });
    await patch(`${URL}/a`, 'merge', { metadata: { finalizers: null } });
    expect(await addresses()).toEqual([]);
  });

  it('goes with its endpoints', async () => {
    const { make, post, del, get } = await givenServices();
    await make('a');
    const endpoints = '/api/v1/namespaces/default/endpoints';
    await post(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: 'a' } });
    await del(`${URL}/a`);
    expect(await get(`${endpoints}/a`)).toMatchObject({ code: 404 });
  });

  it('stays when a client deletes the IPAddress', async () => {
    const { make, specOf, del, get } = await givenServices();
    await make('a');
    const at = `${ADDRESSES}/${stringAt(await specOf('a'), 'clusterIP')}`;
    const { uid } = (await get(at)).object.metadata;
    expect(await del(at)).toMatchObject({ code: 200 });
    const again = await get(at);
    expect(again).toMatchObject({ code: 200, object: { spec: { parentRef: { name: 'a' } } } });
    expect(again.object.metadata.uid).not.toBe(uid);
    await del(`${URL}/a`);
    expect(await get(at)).toMatchObject({ code: 404 });
  });

  it('is kept by an update that does not mention it', async () => {
    const { make, specOf, put } = await givenServices();
    await make('a', { type: 'NodePort' });
    const before = await specOf('a');
    expect(await put(`${URL}/a`, service('a', { type: 'NodePort' }))).toMatchObject({ code: 200 });
    expect(await specOf('a')).toMatchObject({
      clusterIP: before['clusterIP'],
      ports: before['ports'],
    });
    const changed = await put(
      `${URL}/a`,
      service('a', { type: 'NodePort', clusterIP: '10.0.0.3' }),
    );
    expect(changed.message).toContain('may not change once set');
  });

  it('is not taken by a dry run', async () => {
    const { post, addresses, ports } = await givenServices();
    const told = await post(`${URL}?dryRun=All`, service('a', { type: 'NodePort' }));
    expect(told.object['spec']).toMatchObject({
      clusterIP: '10.0.0.0',
      ports: [{ nodePort: 32_769 }],
    });
    expect([await addresses(), ports()]).toEqual([[], []]);
  });
});

describe('services that were written before addresses were given', () => {
  const old = (spec: JsonObject) => (object: KubeObject) => {
    Object.assign(object, service('old', { type: 'ClusterIP', sessionAffinity: 'None', ...spec }));
    Object.assign(object.metadata, { namespace: 'default', uid: 'u' });
    return undefined;
  };

  it('get one when they are updated', async () => {
    const { elsewhere, patch, specOf, addresses } = await givenServices();
    await elsewhere('core/services', 'default/old', old({}));
    expect(await specOf('old')).not.toHaveProperty('clusterIP');
    const told = await patch(`${URL}/old`, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(told.code, told.message).toBe(200);
    expect(await specOf('old')).toMatchObject({ ipFamilies: ['IPv4'] });
    expect(await addresses()).toHaveLength(1);
  });

  it('hold what they say before another one can take it', async () => {
    const { elsewhere, make, addresses, ports } = await givenServices();
    const spec = { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'] };
    const nodePort = { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 30_005 }] };
    await elsewhere('core/services', 'default/old', old({ ...spec, ...nodePort }));
    expect((await make('a', { clusterIP: '10.0.0.5' })).message).toContain('already allocated');
    expect(
      (await make('a', { ...nodePort, ports: [{ port: 1, nodePort: 30_005 }] })).message,
    ).toContain('already allocated');
    expect([await addresses(), ports()]).toEqual([['10.0.0.5'], ['30005']]);
  });
});
