import { describe, expect, it } from 'vitest';
import type { RequestLine } from '../../actors/request/request-line.ts';
import { requestLine } from '../inbound/request-reader.ts';
import { parseHeadlampClusters } from '../flags/headlamp-clusters.ts';
import { headlampLine } from './headlamp-line.ts';

const API = '/everwatch/headlamp/clusters/everwatch';
const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };
const CLUSTERS = parseHeadlampClusters(['then=/at/12/still', 'try=/forks/try']);
const COOKIE = 'a=1; headlamp-auth-everwatch.0=secret';

function lineOf(target: string, headers: Record<string, string>): RequestLine {
  return requestLine({
    method: 'GET',
    target,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    connection: { remoteAddress: '192.0.2.1', clientCertificate: () => undefined },
    isWebSocket: false,
  });
}

function meant(target: string, headers: Record<string, string>) {
  const {
    path,
    query,
    headers: all,
    rawHeaders = [],
  } = headlampLine(CLUSTERS, lineOf(target, headers));
  return { path, query, authorization: all['authorization'], cookie: all['cookie'], rawHeaders };
}

describe('a request of the page', () => {
  it('is one to the API, with the token of the cookie and without the cookie', () => {
    const { rawHeaders, ...line } = meant(`${API}/api/v1/pods?limit=1`, { ...OWN, cookie: COOKIE });
    expect(line).toEqual({
      path: '/api/v1/pods',
      query: 'limit=1',
      authorization: 'Bearer secret',
      cookie: 'a=1',
    });
    expect(rawHeaders.join()).not.toContain('headlamp-auth');
    expect(rawHeaders).toContain('Bearer secret');
  });

  it('keeps the token that it has, and places of the path', () => {
    const headers = { ...OWN, cookie: COOKIE, authorization: 'Bearer own' };
    expect(meant(`${API}/at/12/api/v1/pods`, headers)).toMatchObject({
      path: '/at/12/api/v1/pods',
      authorization: 'Bearer own',
    });
  });

  it.each([
    ['then', '/api/v1/pods', '/at/12/still/api/v1/pods'],
    ['try', '/api/v1/pods', '/forks/try/api/v1/pods'],
    ['try', '/at/12/api/v1/pods', '/forks/try/at/12/api/v1/pods'],
    ['then', '/me', '/everwatch/headlamp/clusters/then/me'],
  ])('of the cluster %s, %s is %s', (cluster, asked, path) => {
    const headers = { ...OWN, cookie: COOKIE };
    expect(meant(`/everwatch/headlamp/clusters/${cluster}${asked}`, headers)).toMatchObject({
      path,
      authorization: 'Bearer secret',
    });
  });

  it.each(['/everwatch/headlamp/wsMultiplexer', `${API}/me`])('has its token at %s', (path) => {
    expect(meant(path, { ...OWN, cookie: COOKIE })).toMatchObject({
      path,
      authorization: 'Bearer secret',
    });
  });

  it('is told by Origin where the browser says no more', () => {
    const headers = { host: 'a:6443', origin: 'https://a:6443', cookie: COOKIE };
    expect(meant(`${API}/api`, headers).authorization).toBe('Bearer secret');
  });
});

describe('any other request stays what it is, without a token', () => {
  it.each([
    ['says nothing', {}],
    ['is of another site', { 'sec-fetch-site': 'cross-site' }],
    ['is of another port', { 'sec-fetch-site': 'same-site' }],
    ['is typed or a bookmark', { 'sec-fetch-site': 'none' }],
    ['is a window', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }],
    ['is a frame', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }],
    ['has another Origin', { host: 'a:6443', origin: 'https://a:8443' }],
    ['has the Origin of plain text', { host: 'a:6443', origin: 'http://a:6443' }],
    ['has an Origin without a name', { host: 'a:6443', origin: 'null' }],
    [
      'says by Origin what Sec-Fetch-Site denies',
      { host: 'a:6443', origin: 'https://a:6443', 'sec-fetch-site': 'cross-site' },
    ],
  ])('that %s', (_what, headers: Record<string, string>) => {
    const path = `${API}/api/v1/secrets`;
    const line = meant(path, { ...headers, cookie: COOKIE });
    expect([line.path, line.authorization]).toEqual([path, undefined]);
  });

  it.each([
    ...['/api/v1/pods', '/everwatch/headlamp/clusters/other/api', '/everwatch/headlamp/config'],
    ...['/everwatch/headlamp/clusters/other/me', '/everwatch/headlamp/clusters/then'],
  ])('that is for %s', (path) => {
    expect(meant(path, { ...OWN, cookie: COOKIE })).toMatchObject({
      path,
      authorization: undefined,
      cookie: COOKIE,
    });
  });

  it('that gives a token to be kept', () => {
    expect(meant(`${API}/set-token`, { ...OWN, cookie: COOKIE }).path).toBe(`${API}/set-token`);
  });

  it('leads to the API once only', () => {
    const once = headlampLine(CLUSTERS, lineOf(`${API}${API}/api`, { ...OWN }));
    expect(once.path).toBe(`${API}/api`);
  });
});
