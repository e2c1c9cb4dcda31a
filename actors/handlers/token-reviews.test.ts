import { describe, expect, it } from 'vitest';

import { serverAuthenticator } from '../authentication/server-authenticator.ts';
import { tokenFileAuthenticator } from '../authentication/token-file.ts';
import { givenVirtual, JANE } from './given-virtual.fixture.ts';

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';

/** The server's own authenticator, which knows one token. */
function given(allowsAnonymous = true) {
  const tokens = tokenFileAuthenticator(new Map([['secret', { ...JANE, groups: ['dev'] }]]));
  const audiences = ['api'];
  const authenticator = serverAuthenticator({ audiences, tokenFile: tokens, allowsAnonymous });
  return givenVirtual({
    authenticate: (request, asked) => authenticator.authenticate(request, asked),
  });
}

describe('TokenReview', () => {
  it('names the user of a token', async () => {
    const { post } = await given();
    const { code, body } = await post(PATH, { spec: { token: 'secret' } });
    expect(code).toBe(201);
    expect(body).toMatchObject({
      kind: 'TokenReview',
      spec: { token: 'secret' },
      status: {
        authenticated: true,
        user: { username: 'jane', uid: '42', groups: ['dev', 'system:authenticated'] },
      },
    });
  });

  it.each([true, false])('says no to a wrong token (anonymous allowed: %s)', async (allowed) => {
    const { post } = await given(allowed);
    const { code, body } = await post(PATH, { spec: { token: 'guess' } });
    expect(code).toBe(201);
    expect(body['status']).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('takes no token for good where an audience is asked for', async () => {
    const { post } = await given();
    const { body } = await post(PATH, { spec: { token: 'secret', audiences: ['vault'] } });
    expect(body['status']).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('says for which of the audiences a token is good', async () => {
    const { post } = await given();
    const { body } = await post(PATH, { spec: { token: 'secret', audiences: ['x', 'api'] } });
    expect(body['status']).toMatchObject({ authenticated: true, audiences: ['api'] });
  });

  it('does not believe an authenticator that does not say for whom a token is', async () => {
    const { post } = await givenVirtual({
      authenticate: () => ({ verdict: 'identified', user: JANE }),
    });
    const { code, message } = await post(PATH, { spec: { token: 'x', audiences: ['vault'] } });
    expect([code, message]).toEqual([
      500,
      'Internal error occurred: unable to validate audience for token',
    ]);
  });

  it('says nothing of its own where no authenticator knows', async () => {
    const { post } = await givenVirtual();
    const { body } = await post(PATH, { spec: { token: 'x' } });
    expect(body['status']).toEqual({ user: {} });
  });

  it('waits for authenticators that have to ask', async () => {
    const { post } = await givenVirtual({
      authenticate: () => Promise.reject(new Error('the webhook is down')),
    });
    const { body } = await post(PATH, { spec: { token: 'x' } });
    expect(body['status']).toEqual({ user: {}, error: 'the webhook is down' });
  });

  it('needs a token', async () => {
    const { post } = await given();
    const message = 'token is required for TokenReview in authentication';
    expect(await post(PATH, { spec: {} })).toMatchObject({ code: 400, message });
  });

  it('does not lend the token the credentials of the client', async () => {
    const { post } = await givenVirtual({
      authenticate: ({ headers, connection }) => {
        expect(headers).toEqual({ authorization: 'Bearer x' });
        expect(connection.clientCertificate()).toBeUndefined();
        return { verdict: 'unknown' };
      },
    });
    expect(await post(PATH, { spec: { token: 'x' } })).toMatchObject({ code: 201 });
  });
});
