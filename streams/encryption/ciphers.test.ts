import { describe, expect, test } from 'vitest';
import { aesCbc, aesGcm, openUnderSeed, sealUnderSeed, secretbox } from './ciphers.ts';
import {
  identity,
  keyedProvider,
  ProviderChain,
  UnreadableValueError,
} from './sealing-provider.ts';

const PLACE = Buffer.from('core/secrets/shop/db');
const PLAIN = Buffer.from('a secret of some length, and more than a block of it');
const old = { name: 'key1', secret: Buffer.alloc(32, 1) };
const current = { name: 'key2', secret: Buffer.alloc(32, 2) };

describe.each([
  ['aesgcm', aesGcm],
  ['aescbc', aesCbc],
  ['secretbox', secretbox],
])('%s', (name, cipher) => {
  const prefix = `k8s:enc:${name}:v1:`;

  test('opens what it has sealed, and never seals alike', () => {
    const chain = new ProviderChain([keyedProvider(prefix, [cipher(current)])]);
    const [one, two] = [chain.seal(PLAIN, PLACE), chain.seal(PLAIN, PLACE)];
    expect(one.equals(two)).toBe(false);
    expect(one.toString('latin1').startsWith(`${prefix}key2:`)).toBe(true);
    expect(one.includes(PLAIN.subarray(0, 8))).toBe(false);
    expect(chain.open(one, PLACE)).toEqual({ plain: PLAIN, isStale: false });
  });

  test('opens with a key that is not the first, and says that it is stale', () => {
    const before = new ProviderChain([keyedProvider(prefix, [cipher(old)])]);
    const now = new ProviderChain([keyedProvider(prefix, [cipher(current), cipher(old)])]);
    expect(now.open(before.seal(PLAIN, PLACE), PLACE)).toEqual({ plain: PLAIN, isStale: true });
  });

  test('does not open what has another key, or was cut off', () => {
    const chain = new ProviderChain([keyedProvider(prefix, [cipher(current)])]);
    const other = new ProviderChain([keyedProvider(prefix, [cipher(old)])]);
    const sealed = chain.seal(PLAIN, PLACE);
    expect(() => other.open(sealed, PLACE)).toThrow(UnreadableValueError);
    expect(() => chain.open(sealed.subarray(0, prefix.length + 8), PLACE)).toThrow(
      UnreadableValueError,
    );
  });
});

test('what aesgcm has sealed does not open at another place', () => {
  const chain = new ProviderChain([keyedProvider('k8s:enc:aesgcm:v1:', [aesGcm(current)])]);
  const sealed = chain.seal(PLAIN, PLACE);
  expect(() => chain.open(sealed, Buffer.from('core/secrets/shop/other'))).toThrow();
});

describe('a value under a seed', () => {
  const seed = Buffer.alloc(32, 7);

  test('is what Go makes of it', () => {
    // With crypto/hkdf and crypto/aes: info of nines, nonce of fives.
    const sealed = Buffer.from(
      'CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkFBQUFBQUFBQUFBQWkb5XSoiUquDuB4SaqamHMLN2xSrKEH96k/kVg+NqSOk+oI6s=',
      'base64',
    );
    expect(openUnderSeed(seed, sealed, PLACE).toString()).toBe('the key of an object');
  });

  test('opens under no other seed, and at no other place', () => {
    const sealed = sealUnderSeed(seed, PLAIN, PLACE);
    expect(openUnderSeed(seed, sealed, PLACE)).toEqual(PLAIN);
    expect(() => openUnderSeed(Buffer.alloc(32, 8), sealed, PLACE)).toThrow();
    expect(() => openUnderSeed(seed, sealed, Buffer.from('elsewhere'))).toThrow();
    expect(() => openUnderSeed(seed, sealed.subarray(0, 40), PLACE)).toThrow(UnreadableValueError);
  });
});

describe('identity', () => {
  const aes = keyedProvider('k8s:enc:aesgcm:v1:', [aesGcm(current)]);

  test('in front leaves values plain, and others still open what they made', () => {
    const leaving = new ProviderChain([identity, aes]);
    expect(leaving.leavesPlain).toBe(true);
    expect(leaving.seal(PLAIN, PLACE)).toEqual(PLAIN);
    const sealed = new ProviderChain([aes]).seal(PLAIN, PLACE);
    expect(leaving.open(sealed, PLACE)).toEqual({ plain: PLAIN, isStale: true });
  });

  test('behind takes plain values, which are stale', () => {
    const coming = new ProviderChain([aes, identity]);
    expect(coming.open(PLAIN, PLACE)).toEqual({ plain: PLAIN, isStale: true });
  });
});
