/** A request whose watch waits holds less, and says the same. */
import { describe, expect, it } from 'vitest';
import { givenRouted } from './given.fixture.ts';
import type { Note } from './request.ts';

const URLS = [
  '/api/v1/namespaces/a/pods?watch=1&labelSelector=app%3Da&fieldSelector=metadata.name%3Dx',
  '/apis/apps/v1/deployments?watch=1',
  '/forks/try/api/v1/pods?watch=1',
  '/at/12/still/api/v1/pods?watch=1',
  '/api/v1/namespaces/%61/pods?watch=1',
  '/everwatch/v1/changes?follow=true',
];

describe('a request whose watch waits for changes', () => {
  it.each(URLS)('is about what it was about: %s', (url) => {
    const { request } = givenRouted({ url });
    const { info } = request;
    request.waits();
    expect(request.info).toEqual(info);
  });

  it.each(URLS)('is about what it was routed as last: %s', (url) => {
    const { request } = givenRouted({ url });
    const other = { ...request.info, fork: '', at: '', isStill: false };
    request.routedAs(other);
    request.waits();
    expect(request.info).toEqual(other);
  });

  it('has its own notes, and none that is left later at another', () => {
    const told: string[] = [];
    const common: Note = ({ path }) => told.push(`common ${path}`);
    const [first, second] = ['/api/v1/pods', '/api/v1/secrets'].map((url) => {
      const { request } = givenRouted({ url });
      request.atTheEnd(common);
      request.waits();
      return request;
    });
    first?.atTheEnd(({ path }) => told.push(`own ${path}`));
    second?.finish({ code: 200, sizeBytes: 0 });
    first?.finish({ code: 200, sizeBytes: 0 });
    expect(told).toEqual(['common /api/v1/secrets', 'common /api/v1/pods', 'own /api/v1/pods']);
  });

  it('names its client in the log, and keeps no credentials', () => {
    const headersOf = (agent: string) => {
      const headers = { 'user-agent': agent, authorization: 'Bearer secret' };
      const { request } = givenRouted({ headers });
      request.waits();
      return request.headers;
    };
    const [one, other] = [headersOf('one'), headersOf('other')];
    expect([one, other]).toEqual([{ 'user-agent': 'one' }, { 'user-agent': 'other' }]);
    expect(headersOf('other')).toBe(other);
  });

  it('says nothing more in headers that others share', () => {
    const { request } = givenRouted({});
    request.waits();
    expect(() => (request.responseHeaders['Retry-After'] = '1')).toThrow(TypeError);
  });

  it('keeps all of it until its answer has begun, as one does that another server shows', () => {
    const { request } = givenRouted({ headers: { accept: 'application/json' } });
    request.responseHeaders['Audit-Id'] = 'one';
    let isInitialized = false;
    request.whenInitialized(() => (isInitialized = true));
    request.initialized();
    expect(isInitialized).toBe(true);
    expect(request.responseHeaders).toEqual({ 'Audit-Id': 'one' });
    expect(request.headers['accept']).toBe('application/json');
  });

  it('keeps its headers for a record of audit', () => {
    const { request } = givenRouted({ headers: { 'x-real-ip': '192.0.2.7' } });
    request.recordedBy({
      keepsRequests: false,
      ...{ requested: ignore, patched: ignore, answered: ignore, panicked: ignore, ended: ignore },
    });
    request.waits();
    expect(request.headers['x-real-ip']).toBe('192.0.2.7');
  });
});

function ignore(): void {
  // Nothing is written down.
}
