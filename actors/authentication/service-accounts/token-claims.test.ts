import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { readClaims, timeProblem } from './token-claims.ts';

const OURS = { namespace: 'n', serviceaccount: { name: 'a', uid: 'u' } };
const NOW = 1_000_000;

function problem(times: JsonObject): string | undefined {
  const claims = readClaims({ ...times, 'kubernetes.io': OURS });
  return claims === undefined ? 'unreadable' : timeProblem(claims, NOW * 1_000);
}

describe('the time of a token', () => {
  it.each([
    [{ exp: NOW - 60, nbf: NOW + 60, iat: NOW + 60 }, undefined],
    [{ exp: NOW - 61 }, 'service account token has expired'],
    [{ nbf: NOW + 61 }, 'service account token is not valid yet'],
    [{ iat: NOW + 61 }, 'service account token is issued in the future'],
    [{ exp: NOW - 61, nbf: NOW + 61 }, 'service account token is not valid yet'],
    // A null says nothing; nought is a time, and long past.
    [{ exp: null, nbf: null }, undefined],
    [{ exp: 0 }, 'service account token has expired'],
    [{ nbf: 0, iat: 0 }, undefined],
    [{}, undefined],
    [{ exp: 'soon' }, 'unreadable'],
    [{ nbf: 'soon' }, 'unreadable'],
    [{ iat: true }, 'unreadable'],
  ] as [JsonObject, string | undefined][])('%j: %s', (times, said) => {
    expect(problem(times)).toBe(said);
  });
});

describe('the claims of a token', () => {
  it('are all that is read', () => {
    const bound = { pod: { name: 'p', uid: '1' }, secret: { name: 's' }, node: { uid: '2' } };
    const payload = {
      ...{ sub: 'x', aud: ['a', 'b'], jti: 'id', exp: 1, nbf: 2, iat: 3 },
      'kubernetes.io': { ...OURS, ...bound, warnafter: 4 },
    };
    expect(readClaims(payload)).toEqual({
      ...{ subject: 'x', audiences: ['a', 'b'], id: 'id', expiry: 1, notBefore: 2, issuedAt: 3 },
      ...{ namespace: 'n', account: { name: 'a', uid: 'u' }, warnAfter: 4 },
      pod: { name: 'p', uid: '1' },
      secret: { name: 's', uid: '' },
      node: { name: '', uid: '2' },
    });
    expect(readClaims({})).toMatchObject({ account: { name: '', uid: '' }, pod: undefined });
  });

  it.each([
    [undefined, []],
    [null, []],
    ['a', ['a']],
    [['a'], ['a']],
    [['a', 1], undefined],
    [7, undefined],
  ])('have the audiences %j as %j', (aud, audiences) => {
    expect(readClaims(aud === undefined ? {} : { aud })?.audiences).toEqual(audiences);
  });

  it('are none with a warning at no time', () => {
    expect(readClaims({ 'kubernetes.io': { warnafter: 'x' } })).toBeUndefined();
  });
});
