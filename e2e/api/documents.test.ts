/**
 * The paths that are no resources: discovery, OpenAPI, version, health, metrics, the index.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { expectFailure, expectObject, mapsIn, textOf } from './objects.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('discovery', () => {
  it('lists groups, their versions, and the resources in these', async () => {
    const api = expectObject(await client.get('/api'));
    expect(api).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const address = textAt(api, 'serverAddressByClientCIDRs', 0, 'serverAddress');
    expect(`https://${address}`).toBe(server().url);

    const apis = expectObject(await client.get('/apis'));
    expect(apis).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const names = listAt(apis, 'groups').map((group) => textAt(group, 'name'));
    expect(names).toEqual(expect.arrayContaining(['apps', 'batch', 'coordination.k8s.io']));
    const autoscaling = expectObject(await client.get('/apis/autoscaling'));
    expect(autoscaling).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });

    const apps = expectObject(await client.get('/apis/apps/v1'));
    expect(apps).toMatchObject({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'apps/v1',
    });
    const resources = listAt(apps, 'resources');
    expect(resources.find((one) => textAt(one, 'name') === 'deployments')).toMatchObject({
      singularName: 'deployment',
      namespaced: true,
      kind: 'Deployment',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['deploy'],
      categories: ['all'],
    });
    expect(resources.find((one) => textAt(one, 'name') === 'deployments/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
    for (const path of ['/api/', '/apis/', '/apis/apps/', '/apis/apps/v1/']) {
      expect((await client.get(path)).body).toEqual((await client.get(path.slice(0, -1))).body);
    }
    for (const path of ['/api/v2', '/apis/apps/v2', '/apis/apps/v1/nonesuch', '/version/x']) {
      expectFailure(await client.get(path), { code: 404, reason: 'NotFound' });
    }
    for (const path of [
      '/nonesuch',
      '/apis/nonesuch',
      '/apis/nonesuch.io/v1/things',
      '/metrics/',
    ]) {
      const answer = await client.get(path);
      expect(answer).toMatchObject({ status: 404, body: '404 page not found\n' });
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  });

  it('gives everything in one document that is sent once', async () => {
    for (const path of ['/api', '/apis']) {
      const answer = await client.get(path, { accept: `${AGGREGATED},application/json` });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe(AGGREGATED);
      expect(answer.headers['vary']).toContain('Accept');
      const { etag } = answer.headers;
      expect(etag).toMatch(/^"[0-9A-F]+"$/);
      expect(answer.body).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
      });
      const again = await client.get(path, { accept: AGGREGATED, 'if-none-match': etag ?? '' });
      expect(again).toMatchObject({ status: 304, body: '', headers: { etag } });
      const stale = await client.get(path, { accept: AGGREGATED, 'if-none-match': '"old"' });
      expect(stale.status).toBe(200);
    }
    const { body } = await client.get('/apis', { accept: AGGREGATED });
    const group = listAt(body, 'items').find((one) => textAt(one, 'metadata', 'name') === 'apps');
    const resources = listAt(group, 'versions', 0, 'resources');
    const deployments = resources.find((one) => textAt(one, 'resource') === 'deployments');
    expect(deployments).toMatchObject({
      // Group and version are only said where they are not those of the resource.
      responseKind: { group: '', version: '', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
    });
    const subresources = listAt(deployments, 'subresources').map((one) =>
      textAt(one, 'subresource'),
    );
    expect(subresources.sort()).toEqual(['scale', 'status']);
  });
});

describe('OpenAPI', () => {
  it('v3 has a document per group and version, to be kept for ever under its hash', async () => {
    // Its type says text, as upstream's does.
    const index = parseJson(textOf(await client.get('/openapi/v3')));
    const address = textAt(index, 'paths', 'apis/apps/v1', 'serverRelativeURL');
    expect(address).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/);
    const answer = await client.get(address);
    expect(expectObject(answer)).toMatchObject({ openapi: '3.0.0' });
    expect(answer.headers['cache-control']).toBe('public, immutable');
    expect(Date.parse(answer.headers['expires'] ?? '')).toBeGreaterThan(Date.now());
    expect(at(answer.body, 'components', 'schemas', 'io.k8s.api.apps.v1.Deployment')).toBeDefined();

    const bare = await client.get('/openapi/v3/apis/apps/v1');
    expect(bare.headers['cache-control']).toBe('no-cache, private');
    const { etag } = bare.headers;
    const known = await client.get('/openapi/v3/apis/apps/v1', { 'if-none-match': etag ?? '' });
    expect(known.status).toBe(304);
    const old = await client.get('/openapi/v3/apis/apps/v1?hash=OLD');
    expect(old).toMatchObject({ status: 301, headers: { location: address } });
    expect((await client.get('/openapi/v3/apis/nonesuch/v1')).status).toBe(404);
  });

  it('v2 is there as JSON and as protobuf', async () => {
    const json = await client.get('/openapi/v2');
    expect(expectObject(json)).toMatchObject({ swagger: '2.0' });
    expect(at(json.body, 'definitions', 'io.k8s.api.core.v1.Pod')).toBeDefined();
    expect(at(json.body, 'paths', '/openid/v1/jwks/')).toBeDefined();
    const { etag, 'last-modified': since = '' } = json.headers;
    const known = await client.get('/openapi/v2', { 'if-modified-since': since });
    expect(known.status).toBe(304);
    expect((await client.get('/openapi/v2', { 'if-none-match': etag ?? '' })).status).toBe(304);
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const protobuf = await client.get('/openapi/v2', { accept });
    expect(protobuf.status).toBe(200);
    expect(protobuf.headers['content-type']).toContain(
      'application/com.github.proto-openapi.spec.v2',
    );
    expect(textOf(protobuf)).toContain('2.0');
  });
});

describe('health', () => {
  it('is told in a word, in detail, in part, and check by check', async () => {
    for (const endpoint of ['/healthz', '/livez', '/readyz']) {
      const answer = await client.get(endpoint);
      expect(answer).toMatchObject({ status: 200, body: 'ok' });
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
      const verbose = textOf(await client.get(`${endpoint}?verbose`));
      expect(verbose).toMatch(/^\[\+\]ping ok\n/);
      expect(verbose).toMatch(new RegExp(`${endpoint.slice(1)} check passed\n$`));
      expect(await client.get(`${endpoint}/ping`)).toMatchObject({ status: 200, body: 'ok' });
      const part = textOf(await client.get(`${endpoint}?verbose&exclude=ping`));
      expect(part).toContain('[+]ping excluded: ok\n');
      const wrong = textOf(await client.get(`${endpoint}?verbose&exclude=nonesuch`));
      expect(wrong).toContain(
        'warn: some health checks cannot be excluded: no matches for "nonesuch"\n',
      );
      expect((await client.get(`${endpoint}/nonesuch`)).status).toBe(404);
    }
  });
});

it('says which Kubernetes it can be taken for', async () => {
  const version = expectObject(await client.get('/version'));
  expect(version).toMatchObject({ major: '1', minor: '36' });
  expect(textAt(version, 'gitVersion')).toMatch(/^v1\.36\.\d+\+everwatch/);
});

it('lists its paths', async () => {
  const { paths } = expectObject(await client.get('/'));
  expect(paths).toEqual(
    expect.arrayContaining([
      '/api',
      '/api/v1',
      '/apis/apps/v1',
      '/metrics',
      '/openapi/v3',
      '/readyz',
    ]),
  );
});

it('counts requests as kube-apiserver counts them', async () => {
  const count = async (labels: string[]): Promise<number> => {
    const answer = await client.get('/metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = textOf(answer).split('\n');
    const line = lines.find(
      (one) =>
        one.startsWith('apiserver_request_total{') && labels.every((label) => one.includes(label)),
    );
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const list = [
    'resource="secrets"',
    'verb="LIST"',
    'code="200"',
    'scope="namespace"',
    'version="v1"',
  ];
  const missing = ['resource="secrets"', 'verb="GET"', 'code="404"', 'scope="resource"'];
  const [lists, misses] = [await count(list), await count(missing)];
  for (let index = 0; index < 3; index += 1) {
    await client.get('/api/v1/namespaces/default/secrets');
    await client.get('/api/v1/namespaces/default/secrets/nonesuch');
  }
  expect(await count(list)).toBe(lists + 3);
  expect(await count(missing)).toBe(misses + 3);
  const text = textOf(await client.get('/metrics'));
  for (const family of [
    'apiserver_request_duration_seconds_bucket{',
    'apiserver_response_sizes_bucket{',
    'apiserver_current_inflight_requests{',
    'process_resident_memory_bytes ',
  ]) {
    expect(text).toContain(`\n${family}`);
  }
});

it('writes the labels of every sample by their names, as kube-apiserver does', async () => {
  const text = textOf(await client.get('/metrics'));
  // Those of Node are written by a library.
  const names = Array.from(text.matchAll(/^(?!nodejs_)\w+\{([^}]*)\}/gm), ([, labels = '']) =>
    Array.from(labels.matchAll(/(\w+)="/g), ([, name = '']) => name),
  );
  // The label of a bucket belongs to the type, and comes last.
  const own = names.map((all) => all.filter((name) => name !== 'le' && name !== 'quantile'));
  expect(own.filter((all) => all.length > 1).length).toBeGreaterThan(100);
  expect(own).toEqual(own.map((all) => all.toSorted()));
});

it('puts an audit ID and the word against caches on every answer', async () => {
  const maps = mapsIn('default');
  const paths = [
    '/',
    '/healthz',
    '/metrics',
    '/version',
    '/api',
    maps,
    `${maps}/nonesuch`,
    '/nonesuch',
  ];
  const seen = new Set<string>();
  for (const path of paths) {
    const { headers } = await client.get(path);
    expect(headers['cache-control'], path).toBe('no-cache, private');
    expect(headers['audit-id'], path).toMatch(/^[0-9a-f-]{36}$/);
    seen.add(String(headers['audit-id']));
  }
  expect(seen.size).toBe(paths.length);
  const own = await client.get(maps, { 'audit-id': 'my-own-id' });
  expect(own.headers['audit-id']).toBe('my-own-id');
});
