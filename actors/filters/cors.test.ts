import { describe, expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { cors } from './cors.ts';

function visitFrom(
  origin: string | undefined,
  method = 'GET',
  allowed = [/^https:\/\/good\.example$/],
) {
  const given = givenRouted({ method, headers: origin === undefined ? {} : { origin } });
  const tools = { allowedOrigins: allowed, faults: testFaults() };
  const visited = sendThrough(given, (next) => cors(tools, next));
  return { ...visited, headers: given.request.responseHeaders };
}

describe('cors', () => {
  it('lets pages of an allowed origin in', () => {
    const { headers, passedOn } = visitFrom('https://good.example');
    expect(passedOn).toHaveLength(1);
    expect(headers).toEqual({
      'Access-Control-Allow-Origin': 'https://good.example',
      'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
      'Access-Control-Allow-Headers':
        'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, ' +
        'X-Requested-With, If-Modified-Since',
      'Access-Control-Expose-Headers': 'Date',
      'Access-Control-Allow-Credentials': 'true',
    });
  });

  it('answers a preflight itself', () => {
    const { code, passedOn, headers } = visitFrom('https://good.example', 'OPTIONS');
    expect(code).toBe(204);
    expect(passedOn).toEqual([]);
    expect(headers['Access-Control-Allow-Origin']).toBe('https://good.example');
  });

  it.each([undefined, '', 'https://evil.example', 'https://good.example.evil'])(
    'says nothing to %j and passes on',
    (origin) => {
      const { headers, passedOn } = visitFrom(origin, 'OPTIONS');
      expect(headers).toEqual({});
      expect(passedOn).toHaveLength(1);
    },
  );

  it('says nothing to any page where no origin is allowed', () => {
    expect(visitFrom('https://good.example', 'GET', []).headers).toEqual({});
  });
});
