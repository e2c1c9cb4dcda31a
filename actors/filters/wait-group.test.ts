import { describe, expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { badRequest } from '../../api/meta/status.ts';
import { statusAnswer } from '../request/answer.ts';
import { waitGroup } from '../request/under-way.ts';
import { waitGroupFilter } from './wait-group.ts';

function visitWith(group: ReturnType<typeof waitGroup>, url: string) {
  const given = givenRouted({ url });
  const visited = sendThrough(given, (next) =>
    waitGroupFilter({ group, faults: testFaults() }, next),
  );
  return { ...visited, request: given.request };
}

describe('wait-group', () => {
  it('counts a request until its last byte has gone', () => {
    const group = waitGroup();
    const { request, passedOn } = visitWith(group, '/api/v1/pods');
    expect(passedOn).toHaveLength(1);
    expect(group.size).toBe(1);
    request.finish({ code: 200, sizeBytes: 0 });
    expect(group.size).toBe(0);
  });

  it.each(['/api/v1/pods?watch=1', '/api/v1/watch/pods', '/api/v1/namespaces/x/pods/a/log'])(
    'does not wait for the long-running %s',
    (url) => {
      const group = waitGroup();
      expect(visitWith(group, url).passedOn).toHaveLength(1);
      expect(group.size).toBe(0);
    },
  );

  it('does not wait for a connection that goes on in another protocol, only for its beginning', () => {
    const group = waitGroup();
    const given = givenRouted({
      url: '/apis/a.example.com/v1/things/x/console',
      isWebSocket: true,
    });
    const filter = (next: Parameters<typeof waitGroupFilter>[1]) =>
      waitGroupFilter({ group, faults: testFaults() }, next);
    sendThrough(given, filter);
    expect(group.size).toBe(1);
    given.request.reply({ kind: 'Upgrade', begin: () => undefined });
    expect(group.size).toBe(0);
    given.request.finish({ code: 101, sizeBytes: 0 });
    expect(group.size).toBe(0);
    const refused = givenRouted({ url: '/apis/a.example.com/v1/things', isWebSocket: true });
    sendThrough(refused, filter);
    refused.request.reply(statusAnswer(badRequest('no')));
    expect(group.size).toBe(1);
    refused.request.finish({ code: 400, sizeBytes: 0 });
    expect(group.size).toBe(0);
  });

  it('turns requests away once the group is closed', () => {
    const group = waitGroup();
    group.close();
    const { code, message, passedOn, request } = visitWith(group, '/api/v1/pods');
    expect(passedOn).toEqual([]);
    expect(code).toBe(503);
    expect(message).toBe('apiserver is shutting down');
    expect(request.responseHeaders['Retry-After']).toBe('1');
    expect(group.size).toBe(0);
  });

  it.each(['/readyz', '/livez/ping', '/healthz', '/metrics'])(
    'lets %s through even then, without counting it',
    (url) => {
      const group = waitGroup();
      group.close();
      const { passedOn, request } = visitWith(group, url);
      expect(passedOn).toHaveLength(1);
      request.finish({ code: 200, sizeBytes: 0 });
      expect(group.size).toBe(0);
    },
  );
});
