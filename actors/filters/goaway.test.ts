import { describe, expect, it } from 'vitest';
import { givenRouted, testFaults, testRandom, sendThrough } from '../request/given.fixture.ts';
import { goaway } from './goaway.ts';

function connectionHeader({ chance = 0.02, drawn = 0, isHttp2 = true }) {
  const given = givenRouted({ headers: isHttp2 ? { ':method': 'GET' } : {} });
  const random = { ...testRandom(), integer: () => drawn };
  const tools = { chance, random, faults: testFaults() };
  expect(sendThrough(given, (next) => goaway(tools, next)).passedOn).toHaveLength(1);
  return given.request.responseHeaders['Connection'];
}

describe('goaway', () => {
  it('tells those whom chance hits', () => {
    expect(connectionHeader({ drawn: 19_999 })).toBe('close');
    expect(connectionHeader({ drawn: 20_000 })).toBeUndefined();
  });

  it('tells no client on HTTP/1.1', () => {
    expect(connectionHeader({ isHttp2: false })).toBeUndefined();
  });
});
