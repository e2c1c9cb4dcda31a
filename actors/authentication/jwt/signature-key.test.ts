/** Tokens and the keys that sign and check them, as they lie in files and are shown to others. */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatCompactToken, parseCompactToken, TOKEN_CHARACTERS_MAX } from './compact-token.ts';
import { KeyRing, type TokenSigner } from './key-ring.ts';
import { SigningKey, signingKeyIn, VerificationKey, verificationKeysIn } from './signature-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curves = ['prime256v1', 'secp384r1', 'secp521r1'].map((namedCurve) =>
  generateKeyPairSync('ec', { namedCurve }),
);
const [p256 = rsa] = curves;
const ed25519 = generateKeyPairSync('ed25519');
const DATA = Buffer.from('data');

const privatePem = (key: typeof rsa.privateKey): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = (key: typeof rsa.publicKey): string =>
  key.export({ type: 'spki', format: 'pem' }).toString();

describe('a key', () => {
  const known = [rsa, ...curves].map((pair, at) => ({
    pair,
    algorithm: ['RS256', 'ES256', 'ES384', 'ES512'][at],
    digest: ['sha256', 'sha256', 'sha384', 'sha512'][at],
  }));

  it.each(known)(
    'signs $algorithm, which its public half checks',
    ({ pair, algorithm, digest }) => {
      const signing = new SigningKey(pair.privateKey);
      const signature = signing.sign(DATA);
      expect(signing.header).toEqual({ alg: algorithm, kid: signing.verification.id });
      const checking = new VerificationKey(pair.publicKey);
      expect(checking.id).toBe(signing.verification.id);
      expect(checking.verifies(DATA, signature)).toBe(true);
      expect(checking.verifies(Buffer.from('other'), signature)).toBe(false);
      const key = { key: pair.publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verify(digest, DATA, key, signature)).toBe(true);
    },
  );

  it.each(known)('of $algorithm is shown without its secret half', ({ pair, algorithm }) => {
    const shown = new VerificationKey(pair.privateKey).publicJwk;
    const own = algorithm === 'RS256' ? ['e', 'n'] : ['crv', 'x', 'y'];
    expect(Object.keys(shown).sort()).toEqual(['alg', 'kid', 'kty', 'use', ...own].sort());
    const again = createPublicKey({ key: shown as Record<string, string>, format: 'jwk' });
    expect(publicPem(again)).toBe(publicPem(pair.publicKey));
    expect(shown).toMatchObject({ alg: algorithm, use: 'sig' });
  });

  it('is refused where it is of another kind, or has no secret half', () => {
    expect(() => new SigningKey(ed25519.privateKey)).toThrow('unknown key, must be RSA or ECDSA');
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect(() => new VerificationKey(other.publicKey)).toThrow('unknown key');
    expect(() => new SigningKey(rsa.publicKey)).toThrow('a public key signs nothing');
  });

  it('is called as its caller says, where the caller does', () => {
    const { id, isExcluded } = new VerificationKey(rsa.publicKey, { id: 'a', isExcluded: true });
    expect([id, isExcluded]).toEqual(['a', true]);
    expect(new VerificationKey(rsa.publicKey).isExcluded).toBe(false);
  });
});

describe('a file of keys', () => {
  const parameters =
    '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const file = [
    ...['notes of an author\n', parameters, publicPem(p256.publicKey), 'and\n'],
    ...[privatePem(rsa.privateKey), privatePem(ed25519.privateKey)],
  ].join('');

  it('has the keys that can be used, private ones too', () => {
    const ids = [p256.publicKey, rsa.publicKey].map((key) => new VerificationKey(key).id);
    expect(verificationKeysIn(file).map(({ id }) => id)).toEqual(ids);
    expect(signingKeyIn(file)?.verification.id).toBe(ids[1]);
  });

  it.each(['', 'text', parameters, publicPem(ed25519.publicKey), '-----BEGIN PUBLIC KEY-----'])(
    'has none in %j',
    (text) => {
      expect(verificationKeysIn(text)).toEqual([]);
      expect(signingKeyIn(text)).toBeUndefined();
    },
  );

  it('has none in a block that ends as another', () => {
    const crossed = publicPem(rsa.publicKey).replace('END PUBLIC KEY', 'END RSA PUBLIC KEY');
    expect(verificationKeysIn(crossed)).toEqual([]);
  });
});

describe('a token', () => {
  const sign = (data: Buffer): Buffer => Buffer.from([...data].reverse());
  const token = formatCompactToken({ alg: 'x' }, { sub: 'ä' }, sign);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('is read as it was written', () => {
    const read = parseCompactToken(token);
    expect(read).toMatchObject({ header: { alg: 'x' }, payload: { sub: 'ä' } });
    expect(read?.signed.toString()).toBe(token.split('.').slice(0, 2).join('.'));
    expect(read?.signature).toEqual(sign(read?.signed ?? Buffer.alloc(0)));
  });

  it.each([
    '',
    'a.b',
    `${token}.x`,
    `${part({})}.${part({})}.`,
    // One character is no byte.
    `${part({})}.${part({})}.a`,
    `${part([])}.${part({})}.aaaa`,
    `${part({})}.${part('x')}.aaaa`,
    `${part({})}.aaaa.aaaa`,
    `${part({})}.${part({})}.a+b=`,
    ` ${token}`,
    `${part({ crit: [] })}.${part({})}.aaaa`,
  ])('is not %j', (text) => {
    expect(parseCompactToken(text)).toBeUndefined();
  });

  it('is as long as headers may be, and no longer', () => {
    const signature = (length: number) => 'a'.repeat(length - `${part({})}.${part({})}.`.length);
    const long = (length: number) => `${part({})}.${part({})}.${signature(length)}`;
    expect(parseCompactToken(long(TOKEN_CHARACTERS_MAX))).toBeDefined();
    expect(parseCompactToken(long(TOKEN_CHARACTERS_MAX + 1))).toBeUndefined();
  });
});

describe('the ring of keys', () => {
  const keys = [rsa, p256].map(({ publicKey }) => new VerificationKey(publicKey));
  const [first, second] = keys;
  const hidden = new VerificationKey(p256.publicKey, { id: 'hidden', isExcluded: true });

  function signer(refresh: () => Promise<void>): TokenSigner {
    return { cacheSeconds: 5, refresh, sign: () => Promise.resolve('') };
  }

  it('finds a key by its id, or all where a token does not say', () => {
    const ring = new KeyRing();
    expect([ring.version, ring.cacheSeconds, ring.keysFor('')]).toEqual([0, 3_600, []]);
    ring.fill(undefined, keys);
    expect(ring.version).toBe(1);
    expect(ring.signing).toBeUndefined();
    expect(ring.keysFor('')).toEqual(keys);
    expect(ring.keysFor(second?.id ?? '')).toEqual([second]);
    expect(ring.keysFor('other')).toEqual([]);
    expect(ring.find('other')).toEqual([]);
  });

  it('shows others each key that is not excluded, and its algorithm, once', () => {
    const ring = new KeyRing();
    ring.fill(undefined, [...keys, ...keys, hidden]);
    expect(ring.keySet).toEqual({ keys: keys.map(({ publicJwk }) => publicJwk) });
    expect(ring.algorithms).toEqual(['ES256', 'RS256']);
    expect(ring.keysFor('hidden')).toEqual([hidden]);
  });

  it('asks the external signer for a key that is not known, and for no other', async () => {
    const ring = new KeyRing();
    ring.fill(undefined, keys);
    let asked = 0;
    ring.signer = signer(() => {
      asked += 1;
      ring.fill(undefined, [...keys, hidden]);
      return Promise.resolve();
    });
    expect(ring.cacheSeconds).toBe(5);
    expect(ring.find(first?.id ?? '')).toEqual([first]);
    expect(asked).toBe(0);
    expect(await ring.find('hidden')).toEqual([hidden]);
    ring.signer = signer(() => Promise.reject(new Error('down')));
    expect(await ring.find('gone')).toEqual([]);
  });
});
