import { describe, expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { waitGroup } from '../request/under-way.ts';
import { watchTermination } from './watch-termination.ts';

function visitWith(url: string, { isClosed = false } = {}) {
  const group = waitGroup();
  if (isClosed) group.close();
  const given = givenRouted({ url });
  const tools = { group, faults: testFaults() };
  const visited = sendThrough(given, (next) => watchTermination(tools, next));
  return { ...visited, group, request: given.request };
}

const WATCH = '/api/v1/pods?watch=1';

describe('watch-termination', () => {
  it('counts a watch until its last byte has gone', () => {
    const { group, request, passedOn } = visitWith(WATCH);
    expect(passedOn).toHaveLength(1);
    expect(group.size).toBe(1);
    request.finish({ code: 200, sizeBytes: 0 });
    expect(group.size).toBe(0);
  });

  it('turns new watches away once watches are being ended', () => {
    const { code, message, passedOn, request } = visitWith(WATCH, { isClosed: true });
    expect(passedOn).toEqual([]);
    expect(code).toBe(503);
    expect(message).toBe('apiserver is shutting down');
    expect(request.responseHeaders['Retry-After']).toBe('1');
  });

  it('minds nothing but watches', () => {
    expect(visitWith('/api/v1/pods', { isClosed: true }).passedOn).toHaveLength(1);
  });
});
