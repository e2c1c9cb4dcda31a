import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { testClock } from '../../request/given.fixture.ts';
import type { IssuerMeters } from '../authentication-meters.ts';
import { readAuthenticationConfiguration } from './authentication-configuration.ts';
import { judgeConfiguration } from './configuration-validation.ts';
import type { FetchedDocument } from './issuer-keys.ts';
import { jwtAuthenticator } from './jwt-authenticator.ts';

const URL = 'https://issuer.example';
const NOW = Date.parse('2026-11-22T10:00:00Z');
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });

function jwk(key: KeyObject, kid: string): JsonObject {
  return { ...(key.export({ format: 'jwk' }) as JsonObject), kid, use: 'sig', alg: 'RS256' };
}

const CLAIMS = { iss: URL, aud: 'us', sub: 'jane', exp: NOW / 1_000 + 60 };

function token(claims: JsonObject = {}, header: JsonObject = {}, key = pair.privateKey): string {
  const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = { alg: 'RS256', kid: 'k1', ...header };
  const signed = `${part(head)}.${part({ ...CLAIMS, ...claims })}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

type Counted = (...what: unknown[]) => void;

function given(mappings: JsonObject = {}, more: JsonObject = {}, count?: Counted) {
  const clock = testClock(NOW);
  const read = readAuthenticationConfiguration({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: URL, audiences: ['us'] },
        claimMappings: { username: { claim: 'sub', prefix: 'x:' }, ...mappings },
        ...more,
      },
    ],
  });
  if (!read.ok) throw new Error(read.problem);
  const [configuration] = read.configuration.jwt;
  const judged = judgeConfiguration(read.configuration, []);
  const [expressions] = judged.expressions;
  if (configuration === undefined || expressions === undefined) throw new Error('not one issuer');
  expect(judged.errors).toEqual([]);
  const state = {
    keys: [jwk(pair.publicKey, 'k1')],
    isDown: false,
    issuer: URL,
    keysUrl: `${URL}/keys`,
    keysText: '',
    delayMs: 0,
  };
  const asked: string[] = [];
  const failures: string[] = [];
  const fetch = (url: string): Promise<FetchedDocument> => {
    asked.push(url);
    if (state.isDown) return Promise.resolve({ ok: false, problem: 'connection refused' });
    clock.advance(state.delayMs);
    const value = url.endsWith('configuration')
      ? { issuer: state.issuer, jwks_uri: state.keysUrl }
      : { keys: state.keys };
    const isBroken = url.endsWith('/keys') && state.keysText !== '';
    const text = isBroken ? state.keysText : JSON.stringify(value);
    return Promise.resolve({ ok: true, code: 200, text });
  };
  const failed = (problem: string): void => void failures.push(problem);
  const meters: IssuerMeters | undefined = count && {
    judged: (...what) => {
      count('judged', ...what);
    },
    keysFetched: (...what) => {
      count('keysFetched', ...what);
    },
    forgotten: () => undefined,
  };
  const parts = { clock, fetch, failed, algorithms: ['RS256'], ...(meters && { meters }) };
  const authenticator = jwtAuthenticator(configuration, expressions, parts);
  const begin = async (): Promise<void> => {
    authenticator.start();
    await new Promise((done) => setImmediate(done));
  };
  const ask = async (sent: string) => authenticator.authenticateToken(sent);
  const reason = async (sent: string): Promise<string> => {
    const answer = await ask(sent);
    return answer.verdict === 'refused' ? answer.reason : answer.verdict;
  };
  return { clock, state, asked, failures, authenticator, begin, ask, reason };
}

describe('jwtAuthenticator', () => {
  it('knows whom the claims name', async () => {
    const { begin, ask } = given({ groups: { claim: 'teams', prefix: 't:' } });
    await begin();
    expect(await ask(token({ teams: ['a', 'b'], jti: 'j' }))).toEqual({
      verdict: 'identified',
      user: {
        name: 'x:jane',
        uid: '',
        groups: ['t:a', 't:b'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
      },
    });
    expect(await ask(token({ teams: 'one' }))).toMatchObject({ user: { groups: ['t:one'] } });
    expect(await ask(token())).toMatchObject({ user: { groups: [] } });
  });

  it('has nothing to say of the tokens of others', async () => {
    const { begin, ask, asked } = given();
    await begin();
    for (const foreign of [token({ iss: 'https://other.example' }), 'abc', '', 'a.b.c']) {
      expect(await ask(foreign)).toEqual({ verdict: 'unknown' });
    }
    expect(asked).toEqual([`${URL}/.well-known/openid-configuration`]);
  });

  it.each([
    ['but not all the time', 5_000],
    ['also where the clock was set back', -3_600_000],
  ])(
    'asks for the keys when a token comes, and again when none of them fits, %s',
    async (_, later) => {
      const { begin, reason, asked, state, clock } = given();
      await begin();
      expect(await reason(token())).toBe('identified');
      expect(await reason(token())).toBe('identified');
      const newer = token({}, { kid: 'k2' }, other.privateKey);
      state.keys = [jwk(other.publicKey, 'k2')];
      expect(await reason(newer)).toMatch(/failed to verify/);
      clock.advance(later);
      expect(await reason(newer)).toBe('identified');
      expect(asked.filter((url) => url.endsWith('/keys'))).toHaveLength(2);
      expect(await reason(token())).toMatch(/failed to verify/);
    },
  );

  it('waits for an issuer that is not there yet, and does not believe one that is another', async () => {
    const { begin, reason, state, clock, failures } = given();
    state.isDown = true;
    await begin();
    expect(await reason(token())).toBe('oidc: authenticator not initialized');
    Object.assign(state, { isDown: false, issuer: 'https://evil.example' });
    clock.advance(10_000);
    await new Promise((done) => setImmediate(done));
    expect(await reason(token())).toBe('oidc: authenticator not initialized');
    expect(failures).toEqual([
      `${URL}/.well-known/openid-configuration: connection refused`,
      `oidc: issuer did not match the issuer returned by provider, expected "${URL}" got "https://evil.example"`,
    ]);
    state.issuer = URL;
    clock.advance(10_000);
    await new Promise((done) => setImmediate(done));
    expect(await reason(token())).toBe('identified');
  });

  it.each<[string, string]>([
    [token({ aud: ['a', 'b'] }), 'oidc: verify token: oidc: expected audience "us" got ["a" "b"]'],
    [token({ aud: null }), 'oidc: verify token: oidc: expected audience "us" got []'],
    [
      token({ exp: NOW / 1_000 - 1 }),
      'oidc: verify token: oidc: token is expired (Token Expiry: 2026-11-22T09:59:59.000Z)',
    ],
    // Times that JavaScript has no date for.
    [
      token({ exp: -1e300 }),
      'oidc: verify token: oidc: token is expired (Token Expiry: -271821-04-20T00:00:00.000Z)',
    ],
    [
      token({ nbf: 9e18 }),
      'oidc: verify token: oidc: current time 2026-11-22T10:00:00.000Z before the nbf ' +
        '(not before) time: +275760-09-13T00:00:00.000Z',
    ],
    [
      token({ exp: 'never' }),
      'oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01T00:00:00.000Z)',
    ],
    [
      token({ nbf: NOW / 1_000 + 301 }),
      'oidc: verify token: oidc: current time 2026-11-22T10:00:00.000Z before the nbf (not before) time: 2026-11-22T10:05:01.000Z',
    ],
    [
      token({}, { alg: 'none' }),
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "none"',
    ],
    [
      token({}, { alg: 'RS512' }),
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "RS512"',
    ],
    [
      token({}, {}, other.privateKey),
      'oidc: verify token: failed to verify signature: failed to verify id token signature',
    ],
    [token({ sub: 7 }), 'oidc: parse username claims "sub": it is no text'],
  ])('refuses %#', async (sent, why) => {
    const { begin, reason } = given();
    await begin();
    expect(await reason(sent)).toBe(why);
  });

  it('refuses a published secret as a key, and a public key as a secret', async () => {
    const { begin, reason, state } = given();
    const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const secret = Buffer.from(JSON.stringify(jwk(pair.publicKey, 'k1')));
    state.keys = [{ kty: 'oct', k: secret.toString('base64url'), kid: 'k1', alg: 'HS256' }];
    await begin();
    const signed = `${part({ alg: 'HS256', kid: 'k1' })}.${part(CLAIMS)}`;
    const mac = createHmac('sha256', secret).update(signed).digest('base64url');
    expect(await reason(`${signed}.${mac}`)).toMatch(/unsupported algorithm/);
  });

  it('does not believe an email that is not verified', async () => {
    const { begin, reason } = given({ username: { claim: 'email', prefix: '' } });
    await begin();
    const email = 'a@b.example';
    expect(await reason(token({ email, email_verified: false }))).toBe('oidc: email not verified');
    expect(await reason(token({ email, email_verified: true }))).toBe('identified');
    expect(await reason(token({ email }))).toBe('identified');
    expect(await reason(token())).toBe('oidc: parse username claims "email": claim not present');
  });

  it('maps and judges by expressions', async () => {
    const { begin, ask, reason } = given(
      {
        username: { expression: 'claims.sub + "@" + claims.foo__dot__bar' },
        groups: { expression: 'dyn(claims.teams).map(t, "g:" + t)' },
        uid: { expression: 'claims.id' },
        extra: [{ key: 'a.example/b', valueExpression: '["1", "", string(claims.sub)]' }],
      },
      {
        claimValidationRules: [
          { expression: 'claims.level >= 2', message: 'too low' },
          { claim: 'tier', requiredValue: 'gold' },
        ],
        userValidationRules: [{ expression: 'user.groups.size() < 3', message: 'too many' }],
      },
    );
    await begin();
    const good = { 'foo.bar': 'b', teams: ['x'], id: '7', level: 2, tier: 'gold' };
    expect(await ask(token(good))).toMatchObject({
      user: { name: 'jane@b', uid: '7', groups: ['g:x'], extra: { 'a.example/b': ['1', 'jane'] } },
    });
    expect(await reason(token({ ...good, level: 1 }))).toBe(
      "oidc: error evaluating claim validation expression: validation expression 'claims.level >= 2' failed: too low",
    );
    expect(await reason(token({ ...good, teams: ['a', 'b', 'c'] }))).toBe(
      "oidc: error evaluating user info validation rule: validation expression 'user.groups.size() < 3' failed: too many",
    );
    expect(await reason(token({ ...good, tier: 'hush' }))).toBe(
      'oidc: required claim tier value does not match, want = gold',
    );
    expect(await reason(token({ ...good, id: 7 }))).toMatch(
      /uid claim expression must return a str/,
    );
    expect(await reason(token({ ...good, teams: 7 }))).toMatch(/group claim/);
    const { teams: _, ...teamless } = good;
    expect(await reason(token(teamless))).toMatch(/no such key: teams/);
  });

  it('takes no group from a claim that the configuration does not name', async () => {
    const { begin, ask } = given();
    await begin();
    const claims = { '': ['system:masters'], groups: ['system:masters'] };
    expect(await ask(token(claims))).toMatchObject({ user: { groups: [] } });
  });

  it('refuses groups of which one is no text', async () => {
    const { begin, reason } = given({ groups: { claim: 'teams', prefix: '' } });
    await begin();
    expect(await reason(token({ teams: ['a', 7] }))).toBe(
      'oidc: parse groups claim "teams": it is neither a text nor a list of texts',
    );
  });

  it('asks for groups where the token says they lie, and not at all where none are wanted', async () => {
    const lost = {
      _claim_names: { teams: 'src' },
      _claim_sources: { src: { endpoint: `${URL}/teams` } },
    };
    const wanting = given({ groups: { claim: 'teams', prefix: '' } });
    await wanting.begin();
    expect(await wanting.reason(token(lost))).toMatch(/^oidc: could not expand distributed claims/);
    expect(wanting.asked).toContain(`${URL}/teams`);
    const other = given();
    await other.begin();
    expect(await other.reason(token(lost))).toBe('identified');
    expect(other.asked).not.toContain(`${URL}/teams`);
  });

  it('asks no more when it was stopped', async () => {
    const { begin, authenticator, asked, state, clock } = given();
    state.isDown = true;
    await begin();
    expect(asked).toHaveLength(1);
    authenticator.stop();
    clock.advance(100_000);
    expect(asked).toHaveLength(1);
  });

  it('waits for an issuer whose keys would come over an open line', async () => {
    const { begin, reason, state, failures } = given();
    state.keysUrl = 'http://issuer.example/keys';
    await begin();
    expect(failures).toEqual(['provider did not return JWKS URL']);
    expect(await reason(token())).toBe('oidc: authenticator not initialized');
  });

  it('counts its judgements with their times, and the keys that it fetched', async () => {
    const counted: unknown[] = [];
    const { begin, reason, state, clock } = given({}, {}, (...what) => counted.push(what));
    await begin();
    state.delayMs = 7;
    expect(await reason(token())).toBe('identified');
    expect(await reason(token({ sub: 7 }))).toMatch(/no text/);
    state.keysText = 'no JSON';
    clock.advance(10_000);
    expect(await reason(token({}, { kid: 'k2' }))).toMatch(/failed to verify/);

    const keySet = JSON.stringify({ keys: state.keys });
    expect(counted).toEqual([
      ['keysFetched', URL, keySet],
      ['judged', URL, true, 7],
      ['judged', URL, false, 0],
      ['keysFetched', URL, undefined],
      ['judged', URL, false, 7],
    ]);
  });
});
