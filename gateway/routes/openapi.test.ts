import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/json/json.ts';
import { codeOf, givenRouted, testClock } from '../../actors/request/given.fixture.ts';
import type { DocumentAnswer } from '../../actors/request/answer.ts';
import type { IncomingHeaders } from '../../actors/request/request-line.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { ServedResources } from '../../actors/served-resources/served-resources.ts';
import { OpenApiView } from '../../projections/openapi/openapi-view.ts';
import { openApiRoute } from './openapi.ts';

const facts = new ServedResources(builtInResources(testClock())).facts();
const view = new OpenApiView(facts.filter(({ group }) => group === 'apps'));
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

function document(url: string, headers: IncomingHeaders = {}): DocumentAnswer {
  const { request } = givenRouted({ url, headers });
  request.received(Date.parse('2026-11-21T09:00:00Z'));
  const answer = openApiRoute(() => view, request);
  if (answer === undefined || answer instanceof Promise || answer.kind !== 'Document')
    throw new Error(`${url} is no document`);
  return answer;
}

const bodyOf = ({ body }: DocumentAnswer): JsonObject =>
  JSON.parse(Buffer.from(body).toString()) as JsonObject;

describe('/openapi/v2', () => {
  it('is JSON, or protobuf', () => {
    const json = document('/openapi/v2');
    expect(json.headers['Content-Type']).toBe('application/json');
    expect(bodyOf(json)).toMatchObject({ swagger: '2.0' });
    const protobuf = document('/openapi/v2', { accept: PROTOBUF });
    expect(protobuf.headers['Content-Type']).toContain('protobuf');
    expect(Buffer.from(protobuf.body).includes('2.0')).toBe(true);
  });

  it('says since when it is as it is, and is not sent again to a client that has it', () => {
    const { headers } = document('/openapi/v2');
    const since = 'Sat, 21 Nov 2026 09:00:00 GMT';
    expect(headers['Last-Modified']).toBe(since);
    const code = (asked: IncomingHeaders): number => document('/openapi/v2', asked).code;
    expect(code({ 'if-modified-since': since })).toBe(304);
    expect(code({ 'if-modified-since': 'Sat, 21 Nov 2026 08:59:59 GMT' })).toBe(200);
    expect(code({ 'if-modified-since': 'yesterday' })).toBe(200);
    expect(code({ 'if-modified-since': since, 'if-none-match': '"other"' })).toBe(200);
    expect(code({ 'if-none-match': headers['ETag'] })).toBe(304);
    const unchanged = document('/openapi/v2', { 'if-modified-since': since }).headers;
    expect(unchanged).toEqual({ ETag: headers['ETag'], Vary: 'Accept' });
  });

  it('is nothing else', () => {
    const { request } = givenRouted({ url: '/openapi/v2', headers: { accept: 'text/html' } });
    const refused = openApiRoute(() => view, request);
    expect(refused instanceof Promise ? 0 : codeOf(refused)).toBe(406);
  });
});

describe.each(['text/html', 'application/yaml', 'text/plain, application/nope'])(
  'a client that takes nothing but %s',
  (accept) => {
    it('gets no document, and is told by the code alone', () => {
      for (const url of ['/openapi/v2', '/openapi/v3/apis/apps/v1']) {
        const { code, headers, body } = document(url, { accept });
        expect([code, headers, body.byteLength]).toEqual([406, { Vary: 'Accept' }, 0]);
      }
    });

    it('gets the list of documents all the same', () => {
      expect(document('/openapi/v3', { accept }).code).toBe(200);
    });
  },
);

describe('/openapi/v3', () => {
  it('names every document with its hash', () => {
    const index = document('/openapi/v3');
    expect(index.headers['Content-Type']).toBe('text/plain; charset=utf-8');
    const { paths } = bodyOf(index);
    expect(Object.keys(paths as JsonObject)).toContain('apis/apps/v1');
    expect(JSON.stringify(paths)).toMatch(/"\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+"/);
  });

  it('has each in protobuf too, under the same hash', () => {
    const plain = document('/openapi/v3/apis/apps/v1');
    for (const separator of ['@', '.']) {
      const accept = `application/com.github.proto-openapi.spec.v3${separator}v1.0+protobuf`;
      const { code, headers, body } = document('/openapi/v3/apis/apps/v1', { accept });
      expect([code, headers['ETag']]).toEqual([200, plain.headers['ETag']]);
      expect(headers['Content-Type']).toBe(
        'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
      );
      expect(Buffer.from(body).includes('/apis/apps/v1/deployments')).toBe(true);
      expect(document('/openapi/v3/apis/apps/v1', { accept }).body).toBe(body);
    }
  });

  it('has each of them, which can be kept for ever under its hash', () => {
    const plain = document('/openapi/v3/apis/apps/v1');
    expect(bodyOf(plain)['openapi']).toMatch(/^3\./);
    expect(plain.headers).not.toHaveProperty('Cache-Control');
    const hash = (plain.headers['ETag'] ?? '').replaceAll('"', '');
    const kept = document(`/openapi/v3/apis/apps/v1?hash=${hash}`);
    expect(kept.headers).toMatchObject({
      'Cache-Control': 'public, immutable',
      Expires: 'Sun, 21 Nov 2027 09:00:00 GMT',
    });
    const moved = document('/openapi/v3/apis/apps/v1?hash=OLD');
    expect(moved).toMatchObject({
      code: 301,
      headers: { Location: `/openapi/v3/apis/apps/v1?hash=${hash}` },
    });
  });

  it('of a fork or a moment is found below it', () => {
    for (const prefix of ['/at/17', '/at/2026-11-20T10:00:00+01:00', '/forks/try/at/17']) {
      const index = document(`${prefix}/openapi/v3`);
      const { paths } = bodyOf(index) as { paths: Record<string, { serverRelativeURL: string }> };
      const address = paths['apis/apps/v1']?.serverRelativeURL ?? '';
      expect(address.startsWith(`${prefix}/openapi/v3/apis/apps/v1?hash=`)).toBe(true);
      expect(bodyOf(document(address))['openapi']).toMatch(/^3\./);
      expect(index.headers['ETag']).not.toBe(document('/openapi/v3').headers['ETag']);
      const { code, headers } = document(`${prefix}/openapi/v3/apis/apps/v1?hash=OLD`);
      expect([code, headers['Location']]).toEqual([301, address]);
    }
  });

  it.each(['/openapi/v3/', '/openapi/v3/apis/nonesuch/v1', '/openapi/v3/constructor'])(
    '%s is not there, of which nothing more is said',
    (url) => {
      expect(document(url)).toMatchObject({ code: 404, headers: {}, body: Buffer.alloc(0) });
    },
  );

  it.each(['/openapi', '/openapi/v4', '/openapi/v2/x'])('%s is another route’s', (url) => {
    expect(openApiRoute(() => view, givenRouted({ url }).request)).toBeUndefined();
  });
});

describe('every document', () => {
  it.each(['/openapi/v2', '/openapi/v3', '/openapi/v3/apis/apps/v1'])(
    '%s is not sent to a client that has it',
    (url) => {
      const { headers } = document(url);
      const again = document(url, { 'if-none-match': headers['ETag'] });
      expect([again.code, again.body.byteLength]).toEqual([304, 0]);
    },
  );

  it('is compressed for a client that takes that, and the same behind it', () => {
    const plain = document('/openapi/v2');
    const small = document('/openapi/v2', { 'accept-encoding': 'gzip' });
    expect(small.headers['Content-Encoding']).toBe('gzip');
    expect(gunzipSync(small.body).equals(plain.body)).toBe(true);
    expect(document('/openapi/v3', { 'accept-encoding': 'gzip' }).headers).not.toHaveProperty(
      'Content-Encoding',
    );
  });
});
