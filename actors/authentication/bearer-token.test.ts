import { describe, expect, it } from 'vitest';
import { givenRouted } from '../request/given.fixture.ts';
import { refused, identified, UNKNOWN } from './authenticator.ts';
import { bearerTokenAuthenticator } from './bearer-token.ts';

const JANE = identified({ name: 'jane', uid: '', groups: [], extra: {} });

const authenticator = bearerTokenAuthenticator({
  authenticateToken(token) {
    if (token === 'later') return Promise.resolve(UNKNOWN);
    return token === 'good' ? JANE : UNKNOWN;
  },
});

function asked(authorization: string | undefined) {
  const headers = authorization === undefined ? {} : { authorization };
  const { request } = givenRouted({ headers });
  return { request, answer: authenticator.authenticate(request) };
}

describe('bearerTokenAuthenticator', () => {
  it.each(['Bearer good', 'bearer good', '  BEARER good', 'Bearer good more'])('%s', (header) => {
    expect(asked(header).answer).toBe(JANE);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic good', 'good'])(
    'does not read %j',
    (header) => {
      expect(asked(header).answer).toEqual(UNKNOWN);
    },
  );

  it('refuses a token that is not known', async () => {
    expect(asked('Bearer bad').answer).toEqual(refused('invalid bearer token'));
    expect(await asked('Bearer later').answer).toEqual(refused('invalid bearer token'));
  });

  it('warns of a space too many', () => {
    const { request, answer } = asked('Bearer  good');
    expect(answer).toEqual(UNKNOWN);
    expect(request.warnings).toEqual([
      'the provided Authorization header contains extra space before the bearer token, ' +
        'and is ignored',
    ]);
  });
});
