import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { testClock, testRandom } from '../../request/given.fixture.ts';
import { TOKEN_CHARACTERS_MAX } from '../jwt/compact-token.ts';
import { KeyRing } from '../jwt/key-ring.ts';
import { SigningKey } from '../jwt/signature-key.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { BoundObjects } from './bound-objects.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { TokenCounts } from './token-counts.ts';
import { TokenIssuer, type TokenWish } from './token-issuer.ts';

const ISSUER = 'https://cluster.example';
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const signing = new SigningKey(rsa.privateKey);

const objects = new Map<string, StoredObject>();

function put(path: string, metadata: JsonObject): void {
  const json = Buffer.from(JSON.stringify({ metadata }));
  const [resource = ''] = path.split(' ');
  const stored = { resource, path, resourceVersion: resourceVersion(1), labels: {}, json };
  objects.set(path, stored);
}

function given(clock = testClock(Date.parse('2026-11-22T10:00:00Z'))) {
  const keys = new KeyRing();
  keys.fill(signing, [signing.verification]);
  const audiences = [ISSUER];
  const bound = new BoundObjects({
    get: (resource, path) => objects.get(`${resource} ${path}`),
  });
  const issuers = [ISSUER, 'https://older.example'];
  const counts = new TokenCounts();
  const tokens = new ServiceAccountTokens({ keys, issuers, audiences, bound, clock, counts });
  const options = { issuer: ISSUER, audiences, lifetimeSecondsMax: 0, extendsLifetime: true };
  const issuer = new TokenIssuer(options, keys, testRandom());
  const issue = (wish: Partial<TokenWish> = {}): string => {
    const account = { name: 'till', uid: 'u1' };
    const now = clock.now();
    const whole = { namespace: 'shop', account, audiences, now, lifetimeSeconds: 3_600, ...wish };
    return atOnce(issuer.issue(whole))?.token ?? '';
  };
  const ask = (token: string, asked?: readonly string[]) =>
    atOnce(tokens.authenticateToken(token, asked));
  return { clock, keys, issuer, issue, ask, counts };
}

/** No external signer is there, so that none has to be asked. */
function atOnce<Value>(value: MaybePromise<Value>): Value {
  if (value instanceof Promise) throw new Error('it has to be waited for');
  return value;
}

function reasonOf(answer: ReturnType<ReturnType<typeof given>['ask']>): string {
  return answer.verdict === 'refused' ? answer.reason : answer.verdict;
}

beforeEach(() => {
  objects.clear();
  put('core/serviceaccounts shop/till', { uid: 'u1' });
  put('core/pods shop/p', { uid: 'p1' });
  put('core/nodes /n', { uid: 'n1' });
  put('core/secrets shop/s', { uid: 's1' });
});

describe('ServiceAccountTokens', () => {
  it('knows the account of a token, and gives the same user each time', () => {
    const { issue, ask } = given();
    const token = issue();
    expect(ask(token)).toEqual({
      verdict: 'identified',
      audiences: [ISSUER],
      user: {
        name: 'system:serviceaccount:shop:till',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=uuid-1'] },
      },
    });
    const [one, other] = [ask(token), ask(token)];
    expect(one.verdict === 'identified' && other.verdict === 'identified').toBe(true);
    expect(one.verdict === 'identified' && one.user).toBe(
      other.verdict === 'identified' && other.user,
    );
  });

  it('tells which pod on which node it is', () => {
    const { issue, ask } = given();
    const pod = { name: 'p', uid: 'p1' };
    const node = { name: 'n', uid: 'n1' };
    expect(ask(issue({ pod, node }))).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['p1'],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['n1'],
        },
      },
    });
  });

  it.each([
    ['core/serviceaccounts shop/till', {}, 'serviceaccounts "till" not found'],
    [
      'core/pods shop/p',
      { pod: { name: 'p', uid: 'p1' } },
      'service account token has been invalidated',
    ],
    [
      'core/secrets shop/s',
      { secret: { name: 's', uid: 's1' } },
      'service account token has been invalidated',
    ],
    [
      'core/nodes /n',
      { node: { name: 'n', uid: 'n1' } },
      'service account token has been invalidated',
    ],
  ])('ends with %s, at once', (path, wish, why) => {
    const { issue, ask } = given();
    const token = issue(wish);
    expect(ask(token).verdict).toBe('identified');
    objects.delete(path);
    expect(reasonOf(ask(token))).toBe(why);
    put(path, { uid: 'another' });
    expect(reasonOf(ask(token))).toMatch(/UID \(another\) does not match/);
  });

  it('goes on for the time that a deleted pod is given, and a minute', () => {
    const { issue, ask, clock } = given();
    const token = issue({ pod: { name: 'p', uid: 'p1' } });
    put('core/pods shop/p', { uid: 'p1', deletionTimestamp: '2026-11-22T10:00:30Z' });
    clock.advance(89 * SECOND);
    expect(reasonOf(ask(token))).toBe('identified');
    clock.advance(3 * SECOND);
    expect(reasonOf(ask(token))).toBe('service account token has been invalidated');
  });

  it('lets tokens run out, and begin', () => {
    const { issue, ask, clock } = given();
    const token = issue();
    const later = issue({ now: clock.now() + 10 * 60 * SECOND });
    expect(reasonOf(ask(later))).toBe('service account token is not valid yet');
    clock.advance(HOUR + 59 * SECOND);
    expect(reasonOf(ask(token))).toBe('identified');
    clock.advance(2 * SECOND);
    expect(reasonOf(ask(token))).toBe('service account token has expired');
  });

  it('is for the audiences that are asked for, and no others', () => {
    const { issue, ask } = given();
    expect(reasonOf(ask(issue({ audiences: ['vault'] })))).toBe(
      `token audiences ["vault"] is invalid for the target audiences ["${ISSUER}"]`,
    );
    const both = issue({ audiences: ['vault', 'bank'] });
    expect(ask(both, ['vault', 'x'])).toMatchObject({ audiences: ['vault'] });
  });

  it('notes a token that lives on', () => {
    const { issue, ask, clock, counts } = given();
    const token = issue({ warnAfterSeconds: 3_607, lifetimeSeconds: 1_000_000 });
    expect(ask(token)).not.toHaveProperty('annotations');
    expect(counts).toMatchObject({ valid: 1, stale: 0 });
    clock.advance(2 * HOUR);
    ask(token);
    expect(counts).toMatchObject({ valid: 1, stale: 1 });
    expect(ask(token)).toMatchObject({
      annotations: {
        'authentication.k8s.io/stale-token':
          'subject: system:serviceaccount:shop:till, seconds after warning threshold: 3593',
      },
    });
  });

  it('believes an older key and an older issuer as long as they are named', () => {
    const { keys, issuer, issue, ask } = given();
    const token = issue();
    const old = issuer.sign({ iss: 'https://older.example', aud: ISSUER, sub: 'x', ...ACCOUNT });
    expect(reasonOf(ask(old ?? ''))).toBe('identified');
    const fresh = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    keys.fill(fresh, [fresh.verification, signing.verification]);
    expect(reasonOf(ask(token))).toBe('identified');
    expect(reasonOf(ask(issue()))).toBe('identified');
  });

  it('believes no key any more that was taken away, whatever it has remembered', () => {
    const { keys, issue, ask } = given();
    const token = issue();
    expect(reasonOf(ask(token))).toBe('identified');
    const fresh = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    keys.fill(fresh, [fresh.verification]);
    expect(reasonOf(ask(token))).toMatch(/^invalid signature/);
  });

  it('issues no token where there is no key to sign it with', () => {
    const { keys, issuer } = given();
    keys.fill(undefined, []);
    const account = { name: 'till', uid: 'u1' };
    const wish = { namespace: 'shop', account, audiences: [], now: 0, lifetimeSeconds: 60 };
    expect(issuer.issue(wish)).toBeUndefined();
  });
});

const ACCOUNT = {
  'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'till', uid: 'u1' } },
};

describe('forged tokens', () => {
  const claims = { iss: ISSUER, aud: [ISSUER], sub: 'system:serviceaccount:shop:till', ...ACCOUNT };
  const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const kid = signing.verification.id;

  function forged(header: JsonObject, signature: (data: Buffer) => Buffer): string {
    const signed = `${part(header)}.${part(claims)}`;
    return `${signed}.${signature(Buffer.from(signed)).toString('base64url')}`;
  }

  it('is the real thing that the others are forged from', () => {
    const real = forged({ alg: 'RS256', kid }, (data) => sign('sha256', data, rsa.privateKey));
    expect(reasonOf(given().ask(real))).toBe('identified');
  });

  it.each(['none', 'None', 'nOnE', ''])('refuses the algorithm %j', (alg) => {
    const { ask } = given();
    expect(reasonOf(ask(forged({ alg, kid }, () => Buffer.from('x'))))).toBe('invalid signature');
    const unsigned = `${part({ alg, kid })}.${part(claims)}.`;
    expect(reasonOf(ask(unsigned))).toBe('unknown');
  });

  it('refuses the public key taken for a secret (algorithm confusion)', () => {
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
    const token = forged({ alg: 'HS256', kid }, (data) =>
      createHmac('sha256', pem).update(data).digest(),
    );
    expect(reasonOf(given().ask(token))).toBe('invalid signature');
  });

  it('refuses a good signature under another algorithm’s name', () => {
    const token = forged({ alg: 'RS512', kid }, (data) => sign('sha512', data, rsa.privateKey));
    expect(reasonOf(given().ask(token))).toBe('invalid signature');
  });

  it('refuses another key, with or without our id, and a key that comes along', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const by = (data: Buffer) => sign('sha256', data, other.privateKey);
    const jwk = other.publicKey.export({ format: 'jwk' }) as JsonObject;
    const { ask } = given();
    expect(reasonOf(ask(forged({ alg: 'RS256', kid }, by)))).toBe('invalid signature');
    expect(reasonOf(ask(forged({ alg: 'RS256' }, by)))).toBe('invalid signature');
    expect(reasonOf(ask(forged({ alg: 'RS256', jwk }, by)))).toBe('invalid signature');
    expect(reasonOf(ask(forged({ alg: 'RS256', kid: '__proto__' }, by)))).toBe(
      'invalid signature, no keys found',
    );
  });

  it('refuses claims that were changed', () => {
    const { issue, ask } = given();
    const [header = '', , signature = ''] = issue().split('.');
    const changed = part({ ...claims, exp: 9_999_999_999 });
    expect(reasonOf(ask(`${header}.${changed}.${signature}`))).toBe('invalid signature');
  });

  it('does not know tokens of others, and things that are none', () => {
    const { ask, issuer } = given();
    const foreign = issuer.sign({ ...claims, iss: 'https://elsewhere.example' }) ?? '';
    const many = `a.${'b'.repeat(TOKEN_CHARACTERS_MAX)}.c`;
    const deep = `e30.${Buffer.from('['.repeat(40_000)).toString('base64url')}.e30`;
    for (const token of [foreign, '', '...', 'a.b', 'a.b.c.d', 'é.é.é', many, deep]) {
      expect(reasonOf(ask(token))).toBe('unknown');
    }
    const critical = forged({ alg: 'RS256', kid, crit: ['x'] }, (data) =>
      sign('sha256', data, rsa.privateKey),
    );
    expect(reasonOf(ask(critical))).toBe('unknown');
  });

  it('refuses times that are no numbers', () => {
    const { ask, issuer } = given();
    for (const wrong of [{ exp: 'never' }, { nbf: {} }, { aud: [1] }]) {
      const token = issuer.sign({ ...claims, ...wrong }) ?? '';
      expect(reasonOf(ask(token))).toBe('service account token claims could not be read');
    }
  });
});
