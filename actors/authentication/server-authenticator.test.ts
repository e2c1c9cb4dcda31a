import { describe, expect, it } from 'vitest';
import { givenRouted, type GivenRequest } from '../request/given.fixture.ts';
import type { ClientCertificate } from '../request/request-line.ts';
import { identified, UNKNOWN, type TokenAuthenticator } from './authenticator.ts';
import { serverAuthenticator } from './server-authenticator.ts';
import { tokenFileAuthenticator } from './token-file.ts';

const tokens = tokenFileAuthenticator(
  new Map([
    ['good', { name: 'jane', uid: '1', groups: ['dev'], extra: {} }],
    ['odd', { name: 'odd', uid: '2', groups: ['system:unauthenticated'], extra: {} }],
  ]),
);

const ADMIN: ClientCertificate = {
  raw: new Uint8Array([1]),
  commonName: 'kubernetes-admin',
  organizations: ['system:masters'],
};
const EXPIRED: ClientCertificate = { ...ADMIN, raw: new Uint8Array([2]) };
const clientAuthorities = {
  problemOf: (one: ClientCertificate) => (one === EXPIRED ? 'x509: it has expired' : ''),
};
const BEARER = { headers: { authorization: 'Bearer good' } };

function asked(given: GivenRequest, allowsAnonymous = true) {
  const answer = serverAuthenticator({
    tokenFile: tokens,
    allowsAnonymous,
    clientAuthorities,
  }).authenticate(givenRouted(given).request);
  if (answer instanceof Promise) throw new Error('nothing here has to ask');
  return answer.verdict === 'identified' ? [answer.user.name, ...answer.user.groups] : answer;
}

describe('serverAuthenticator', () => {
  it('adds system:authenticated to all users that proved their names', () => {
    expect(asked(BEARER)).toEqual(['jane', 'dev', 'system:authenticated']);
    expect(asked({ certificate: ADMIN })).toEqual([
      'kubernetes-admin',
      'system:masters',
      'system:authenticated',
    ]);
    expect(asked({ headers: { authorization: 'Bearer odd' } })).toEqual([
      'odd',
      'system:unauthenticated',
    ]);
  });

  it('takes a client that shows nothing for anonymous where it loads the page, allowed or not', () => {
    const anonymous = ['system:anonymous', 'system:unauthenticated'];
    expect(asked({ url: '/everwatch/' }, false)).toEqual(anonymous);
    expect(asked({ url: '/everwatch/assets/page-A.js' }, false)).toEqual(anonymous);
    expect(asked({ url: '/everwatch/v1/log' }, false)).toEqual(UNKNOWN);
    expect(asked({ url: '/everwatch/', method: 'POST' }, false)).toEqual(UNKNOWN);
  });

  it('takes a client that shows nothing for anonymous, if that is allowed', () => {
    expect(asked({})).toEqual(['system:anonymous', 'system:unauthenticated']);
    expect(asked({}, false)).toEqual({ verdict: 'unknown' });
  });

  it('does not take a client that shows something wrong for anonymous', () => {
    expect(asked({ certificate: EXPIRED })).toMatchObject({ verdict: 'refused' });
    expect(asked({ headers: { authorization: 'Bearer bad' } })).toMatchObject({
      verdict: 'refused',
    });
  });

  it('forgives a bad certificate beside a good token', () => {
    expect(asked({ certificate: EXPIRED, ...BEARER })).toEqual([
      'jane',
      'dev',
      'system:authenticated',
    ]);
  });

  it('gives the same user object for the same credential, so that others may remember it', () => {
    const authenticator = serverAuthenticator({ tokenFile: tokens, allowsAnonymous: true });
    const first = authenticator.authenticate(givenRouted(BEARER).request);
    expect(authenticator.authenticate(givenRouted(BEARER).request)).toBe(first);
  });

  it('believes the tokens of service accounts, new and old', () => {
    const saying = (token: string, name: string): TokenAuthenticator => ({
      authenticateToken: (sent) =>
        sent === token ? identified({ name, uid: '', groups: [], extra: {} }) : UNKNOWN,
    });
    const authenticator = serverAuthenticator({
      tokenFile: tokens,
      serviceAccounts: saying('new', 'till'),
      legacyServiceAccounts: saying('old', 'drawer'),
      allowsAnonymous: false,
    });
    const nameBy = (token: string) =>
      authenticator.authenticate(
        givenRouted({ headers: { authorization: `Bearer ${token}` } }).request,
      );
    expect(nameBy('new')).toMatchObject({ user: { name: 'till' } });
    expect(nameBy('old')).toMatchObject({ user: { name: 'drawer' } });
    expect(nameBy('good')).toMatchObject({ user: { name: 'jane' } });
  });
});
