import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { testClock } from '../../request/given.fixture.ts';
import { DistributedClaims } from './distributed-claims.ts';
import type { FetchDocument, FetchedDocument } from './issuer-keys.ts';

const URL = 'https://issuer.example';
const ELSEWHERE = 'https://directory.example';
const ENDPOINT = `${ELSEWHERE}/groups/jane`;
const NOW = Date.parse('2026-11-22T10:00:00Z');
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });

function token(claims: JsonObject, key: KeyObject = pair.privateKey): string {
  const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const whole = { iss: ELSEWHERE, aud: 'us', exp: NOW / 1_000 + 60, ...claims };
  const signed = `${part({ alg: 'RS256', kid: 'k1' })}.${part(whole)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

function given(answer: FetchedDocument) {
  const asked: string[] = [];
  const jwk = pair.publicKey.export({ format: 'jwk' }) as JsonObject;
  const documents: Readonly<Record<string, JsonObject>> = {
    [`${ELSEWHERE}/.well-known/openid-configuration`]: {
      issuer: ELSEWHERE,
      jwks_uri: `${ELSEWHERE}/keys`,
    },
    [`${ELSEWHERE}/keys`]: { keys: [{ ...jwk, kid: 'k1', use: 'sig', alg: 'RS256' }] },
  };
  const fetch: FetchDocument = (url, { certificateAuthority }, accessToken = '') => {
    asked.push([url, certificateAuthority, accessToken].join(' '));
    const document = documents[url];
    if (document === undefined) return Promise.resolve(url === ENDPOINT ? answer : notFound);
    return Promise.resolve({ ok: true, code: 200, text: JSON.stringify(document) });
  };
  const issuer = {
    url: URL,
    discoveryURL: '',
    certificateAuthority: 'PEM',
    audiences: ['us'],
    audienceMatchPolicy: '',
    egressSelectorType: '',
  };
  const parts = { clock: testClock(NOW), fetch, failed: () => undefined, algorithms: ['RS256'] };
  return { asked, claims: new DistributedClaims(issuer, 'groups', parts) };
}

const notFound: FetchedDocument = { ok: true, code: 404, text: '' };
const JANE = {
  sub: 'jane',
  _claim_names: { groups: 'src' },
  _claim_sources: { src: { endpoint: ENDPOINT, access_token: 'key' } },
};

function found(text: string): FetchedDocument {
  return { ok: true, code: 200, text };
}

describe('DistributedClaims', () => {
  it('asks where the token says, and takes that claim alone', async () => {
    const { claims, asked } = given(found(token({ groups: ['a', 'b'], sub: 'root' })));
    const expanded = await claims.expand(JANE);
    expect(expanded).toEqual({ ok: true, claims: { ...JANE, groups: ['a', 'b'] } });
    expect(asked).toEqual([
      `${ENDPOINT} PEM key`,
      `${ELSEWHERE}/.well-known/openid-configuration PEM `,
      `${ELSEWHERE}/keys PEM `,
    ]);
    await claims.expand(JANE);
    expect(asked.slice(3)).toEqual([`${ENDPOINT} PEM key`]);
    claims.stop();
  });

  it.each<[string, JsonObject]>([
    ['the claim is there', { ...JANE, groups: ['own'] }],
    ['no claim lies elsewhere', { sub: 'jane' }],
    ['another one does', { ...JANE, _claim_names: { teams: 'src' } }],
    ['it stands in the token', { ...JANE, _claim_sources: { src: { JWT: 'x' } } }],
  ])('asks no endpoint where %s', async (_what, own) => {
    const { claims, asked } = given(notFound);
    expect(await claims.expand(own)).toEqual({ ok: true, claims: own });
    expect(asked).toEqual([]);
  });

  it.each<[string, JsonObject, FetchedDocument, string]>([
    ['there is no source', { _claim_names: { groups: 'src' } }, notFound, 'oidc: no claim sources'],
    [
      'the source is not named',
      { ...JANE, _claim_names: { groups: 'constructor' } },
      notFound,
      'id token _claim_names contained a source constructor missing in _claims_sources',
    ],
    [
      'names are none',
      { ...JANE, _claim_names: { groups: 1 } },
      notFound,
      'oidc: error parsing distributed claim names: it is no map of texts',
    ],
    [
      'one of the names is none',
      { ...JANE, _claim_names: { groups: 'src', teams: 1 } },
      notFound,
      'oidc: error parsing distributed claim names: it is no map of texts',
    ],
    [
      'the endpoint does not answer',
      JANE,
      { ok: false, problem: 'connection refused' },
      'while getting distributed claim "groups": connection refused',
    ],
    [
      'the answer leads elsewhere',
      JANE,
      { ok: true, code: 302, text: '' },
      'while getting distributed claim "groups": error while getting distributed claim JWT: 302',
    ],
    [
      'the answer is no token',
      JANE,
      found('{"groups":["system:masters"]}'),
      `getting untrusted issuer from endpoint ${ENDPOINT} failed for claim "groups": malformed token`,
    ],
    [
      'its issuer cannot be asked',
      JANE,
      found(token({ iss: 'https://nobody.example' })),
      'verifying untrusted issuer https://nobody.example failed: verifier not initialized for issuer: "https://nobody.example"',
    ],
    [
      'another issuer has signed it',
      JANE,
      found(token({ groups: ['system:masters'] }, other.privateKey)),
      'verify distributed claim token: failed to verify signature: failed to verify id token signature',
    ],
    [
      'it is for another audience',
      JANE,
      found(token({ groups: ['a'], aud: 'others' })),
      'verify distributed claim token: oidc: expected audience "us" got ["others"]',
    ],
    [
      'it lacks the claim',
      JANE,
      found(token({})),
      `jwt returned by distributed claim endpoint "${ENDPOINT}" did not contain claim: groups`,
    ],
  ])('refuses the token where %s', async (_what, own, answer, problem) => {
    const { claims } = given(answer);
    expect(await claims.expand(own)).toEqual({ ok: false, problem });
    claims.stop();
  });
});
