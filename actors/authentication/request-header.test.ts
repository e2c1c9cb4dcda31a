import { describe, expect, it } from 'vitest';
import { givenRouted, testClock } from '../request/given.fixture.ts';
import type { ClientCertificate, IncomingHeaders } from '../request/request-line.ts';
import { AuthorityPool } from './authority-pool.ts';
import { givenAuthority } from './given-certificates.fixture.ts';
import { requestHeaderAuthenticator, type RequestHeaderOptions } from './request-header.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const HOUR = 3_600_000;
const validity = { notBefore: NOW - HOUR, notAfter: NOW + HOUR };
const authority = await givenAuthority('front-proxy', validity);
const other = await givenAuthority('front-proxy', validity);

async function certificate(
  signer = authority,
  use: 'client' | 'server' = 'client',
  commonName = 'proxy',
): Promise<ClientCertificate> {
  const raw = await signer.issue(commonName, use);
  return { raw, commonName, organizations: [] };
}

const HEADERS = {
  'x-remote-user': 'omar',
  'x-remote-uid': '7',
  'x-remote-group': ['ops', 'dev'],
  'x-remote-extra-example.org%2fscope': 'a',
  accept: '*/*',
};

function asked(
  from: ClientCertificate | undefined,
  headers: IncomingHeaders = HEADERS,
  more: Partial<RequestHeaderOptions> = {},
) {
  const clock = testClock(NOW);
  const authenticator = requestHeaderAuthenticator({
    authorities: new AuthorityPool(authority.certificate, clock),
    allowedNames: ['proxy'],
    usernameHeaders: ['x-remote-name', 'x-remote-user'],
    uidHeaders: ['x-remote-uid'],
    groupHeaders: ['x-remote-group'],
    extraHeaderPrefixes: ['x-remote-extra-'],
    ...more,
  });
  const { request } = givenRouted({ headers: { ...headers }, ...(from && { certificate: from }) });
  const ask = () => authenticator.authenticate(request);
  return { clock, request, ask, answer: ask() };
}

describe('requestHeaderAuthenticator', () => {
  it('believes a proxy whose certificate is good, and forgets the headers', async () => {
    const { request, answer } = asked(await certificate());
    expect(answer).toEqual({
      verdict: 'identified',
      user: {
        name: 'omar',
        uid: '7',
        groups: ['ops', 'dev'],
        extra: { 'example.org/scope': ['a'] },
      },
    });
    const left = Object.entries(request.headers).filter(([, value]) => value !== undefined);
    expect(left).toEqual([['accept', '*/*']]);
  });

  it('knows no user without a certificate or a name', async () => {
    expect(asked(undefined).answer).toEqual({ verdict: 'unknown' });
    expect(asked(await certificate(), { 'x-remote-group': 'system:masters' }).answer).toEqual({
      verdict: 'unknown',
    });
  });

  it.each<[string, () => Promise<ClientCertificate>, string]>([
    [
      'of another authority of the same name',
      () => certificate(other),
      expect.stringContaining('x509: certificate signed by unknown authority') as string,
    ],
    [
      'of a server',
      () => certificate(authority, 'server'),
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'of a proxy that is not named',
      () => certificate(authority, 'client', 'x'),
      'subject with cn=x is not in the allowed list',
    ],
  ])('refuses a certificate %s', async (_what, made, reason) => {
    const { answer, request } = asked(await made());
    expect(answer).toEqual({ verdict: 'refused', reason });
    expect(request.headers['x-remote-user']).toBe('omar');
  });

  it('refuses one that has run out meanwhile, and all when the authority has changed', async () => {
    const from = await certificate();
    const { clock, ask } = asked(from);

    clock.advance(2 * HOUR);
    expect(ask()).toEqual({
      verdict: 'refused',
      reason: expect.stringContaining('x509: certificate has expired') as string,
    });
    const authorities = new AuthorityPool(authority.certificate, testClock(NOW));
    const changed = asked(from, HEADERS, { authorities });
    expect(changed.answer).toMatchObject({ verdict: 'identified' });
    authorities.replace(other.certificate);
    expect(changed.ask()).toMatchObject({
      reason: expect.stringContaining('x509: certificate signed by unknown authority') as string,
    });
  });

  it('takes no group without a name', async () => {
    const headers = { 'x-remote-user': 'omar', 'x-remote-group': ['', 'ops'] };
    expect(asked(await certificate(), headers).answer).toMatchObject({ user: { groups: ['ops'] } });
  });

  it('reads and forgets headers of each prefix that is for extra', async () => {
    const headers = { 'x-remote-user': 'omar', 'x-a-scope': '1', 'x-b-scope': '2', 'x-c': '3' };
    const extraHeaderPrefixes = ['x-a-', 'x-b-'];
    const { request, answer } = asked(await certificate(), headers, { extraHeaderPrefixes });
    expect(answer).toMatchObject({ user: { extra: { scope: ['1', '2'] } } });
    const left = Object.entries(request.headers).filter(([, value]) => value !== undefined);
    expect(left).toEqual([['x-c', '3']]);
  });
});
