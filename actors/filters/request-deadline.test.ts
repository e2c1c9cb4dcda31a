import { describe, expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { requestDeadline } from './request-deadline.ts';

function visitWith(url: string) {
  const given = givenRouted({ url });
  given.request.received(1_000);
  const tools = { requestTimeoutMs: 60_000, faults: testFaults() };
  const visited = sendThrough(given, (next) => requestDeadline(tools, next));
  return { ...visited, deadline: given.request.deadline };
}

describe('request-deadline', () => {
  it.each([
    ['/api/v1/pods', 61_000],
    ['/api/v1/pods?timeout=', 61_000],
    ['/api/v1/pods?timeout=5s', 6_000],
    ['/api/v1/pods?limit=1&timeout=1m1s', 61_000],
    ['/api/v1/pods?timeout=1h', 61_000],
    ['/api/v1/pods?timeout=0', 61_000],
    ['/api/v1/pods?timeout=-5s', 61_000],
    ['/api/v1/pods?watch=1', Number.POSITIVE_INFINITY],
    ['/api/v1/pods?watch=1&timeout=bad', Number.POSITIVE_INFINITY],
  ])('%s may take until %d', (url, expected) => {
    const { deadline, passedOn } = visitWith(url);
    expect(deadline).toBe(expected);
    expect(passedOn).toHaveLength(1);
  });

  it.each([
    ['bad', 'time: invalid duration "bad"'],
    ['5', 'time: missing unit in duration "5"'],
  ])('refuses ?timeout=%s', (timeout, problem) => {
    const { code, message, passedOn } = visitWith(`/api/v1/pods?timeout=${timeout}`);
    expect(passedOn).toEqual([]);
    expect(code).toBe(400);
    expect(message).toBe(`invalid timeout specified in the request URL - ${problem}`);
  });
});
