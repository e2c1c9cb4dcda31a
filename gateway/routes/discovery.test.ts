import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/json/json.ts';
import { codeOf, givenAuthenticated, testClock } from '../../actors/request/given.fixture.ts';
import type { DocumentAnswer } from '../../actors/request/answer.ts';
import type { IncomingHeaders } from '../../actors/request/request-line.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { ServedResources } from '../../actors/served-resources/served-resources.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { acceptanceOf } from '../negotiation/accept.ts';
import { discoveryRoute } from './discovery.ts';

const facts = new ServedResources(builtInResources(testClock())).facts();
const view = new DiscoveryView(facts, '127.0.0.1:6443');
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const SERVICE = {
  ...{ clientCIDR: '10.0.0.0/24', serverAddress: '10.0.0.1:443' },
  has: (address: string) => address.startsWith('10.0.0.'),
};

function asked(path: string, headers: IncomingHeaders = {}, method = 'GET') {
  const acceptance = acceptanceOf(headers, '');
  const given = { method, url: path, headers, accepted: acceptance.any, acceptance };
  const { request } = givenAuthenticated({ ...given, remoteAddress: '' });
  return discoveryRoute(() => view, request, { service: SERVICE });
}

function document(path: string, headers: IncomingHeaders = {}): DocumentAnswer {
  const answer = asked(path, headers);
  if (answer?.kind !== 'Document') throw new Error(`${path} is no document`);
  return answer;
}

const bodyOf = ({ body }: DocumentAnswer): JsonObject =>
  JSON.parse(Buffer.from(body).toString()) as JsonObject;

describe('discovery', () => {
  it.each([
    ['/api', 'APIVersions'],
    ['/api/', 'APIVersions'],
    ['/api/v1', 'APIResourceList'],
    ['/apis', 'APIGroupList'],
    ['/apis/', 'APIGroupList'],
    ['/apis/apps', 'APIGroup'],
    ['/apis/apps/v1', 'APIResourceList'],
    ['/apis/apps/v1/', 'APIResourceList'],
  ])('%s is %s', (path, kind) => {
    const answer = document(path);
    expect(bodyOf(answer)['kind']).toBe(kind);
    expect(answer.headers).toEqual({ 'Content-Type': 'application/json', Vary: 'Accept' });
  });

  it.each([
    '/',
    '/api/v2',
    '/apis/nonesuch',
    '/apis/apps/v9',
    '/apis/constructor',
    '/apis/__proto__/v1',
    '/apix',
    '',
  ])('%s is another route’s', (path) => {
    expect(asked(path)).toBeUndefined();
  });

  it('comes in other forms as a value', () => {
    for (const headers of [
      { accept: 'application/yaml' },
      { accept: 'application/vnd.kubernetes.protobuf' },
      { 'user-agent': 'curl/8' },
    ]) {
      expect(asked('/apis/apps/v1', headers)).toMatchObject({
        kind: 'Value',
        code: 200,
        typeId: 'io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList',
        value: { groupVersion: 'apps/v1' },
      });
    }
  });

  it('is read and nothing else, but where there is no router', () => {
    for (const method of ['HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
      for (const path of ['/api', '/api/', '/api/v1', '/apis/apps/v1']) {
        expect(codeOf(asked(path, {}, method))).toBe(405);
      }
      for (const path of ['/apis', '/apis/', '/apis/apps', '/apis/apps/']) {
        expect(codeOf(asked(path, {}, method))).toBe(200);
      }
    }
    expect(asked('/apis/nonesuch', {}, 'POST')).toBeUndefined();
  });
});

describe('aggregated discovery', () => {
  it.each([
    AGGREGATED,
    `application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io`,
    `text/html,${AGGREGATED},application/json`,
  ])('is given to %s', (accept) => {
    for (const path of ['/api', '/apis']) {
      const answer = document(path, { accept });
      expect(answer.headers).toMatchObject({
        'Content-Type': AGGREGATED,
        'Cache-Control': 'public',
        Vary: 'Accept',
      });
      expect(answer.headers['ETag']).toMatch(/^"[0-9A-F]+"$/);
      expect(bodyOf(answer)).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
      });
    }
  });

  it('is not given below the two roots, nor in another version', () => {
    expect(
      bodyOf(document('/apis/apps', { accept: `${AGGREGATED},application/json` }))['kind'],
    ).toBe('APIGroup');
    const old = AGGREGATED.replace('v=v2', 'v=v2beta1');
    expect(bodyOf(document('/apis', { accept: `${old},application/json` }))['kind']).toBe(
      'APIGroupList',
    );
  });

  it('is not sent to a client that has it', () => {
    const { headers } = document('/apis', { accept: AGGREGATED });
    const again = document('/apis', { accept: AGGREGATED, 'if-none-match': headers['ETag'] });
    expect([again.code, again.body.byteLength]).toEqual([304, 0]);
    expect(again.headers['ETag']).toBe(headers['ETag']);
    expect(document('/apis', { accept: AGGREGATED, 'if-none-match': '"other"' }).code).toBe(200);
    expect(document('/api', { accept: AGGREGATED, 'if-none-match': headers['ETag'] }).code).toBe(
      200,
    );
  });
});

describe('the addresses at /api', () => {
  const usual = { clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' };
  const closer = { clientCIDR: '10.0.0.0/24', serverAddress: '10.0.0.1:443' };
  const shown = (from: string) =>
    bodyOf(document('/api', from === '' ? {} : { 'x-forwarded-for': from }));

  it('are that of the service as well to clients in the range of services', () => {
    expect(shown('10.0.0.7, 192.0.2.1')['serverAddressByClientCIDRs']).toEqual([usual, closer]);
    for (const from of ['', '192.0.2.1, 10.0.0.7'])
      expect(shown(from)['serverAddressByClientCIDRs']).toEqual([usual]);
  });
});
