/** Rules of what a signer may say. A real one, over gRPC, is asked in e2e/authentication. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testLogger } from '../../request/given.fixture.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { KeyRing } from '../jwt/key-ring.ts';
import {
  ExternalSigner,
  type FetchedKeys,
  type SignedHeader,
  type SignerService,
} from './external-signer.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const der = pair.publicKey.export({ type: 'spki', format: 'der' });
const KEY = { id: 'one', key: der, isExcluded: false };
const GOOD: FetchedKeys = { keys: [KEY], timestampSeconds: 7.5, refreshSeconds: 60 };

function encoded(header: unknown): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url');
}

class GivenService implements SignerService {
  answer: FetchedKeys | Error = GOOD;
  header: unknown = { alg: 'ES256', kid: 'one', typ: 'JWT' };
  fetches = 0;

  sign(claims: string): Promise<SignedHeader> {
    const header = typeof this.header === 'string' ? this.header : encoded(this.header);
    const data = Buffer.from(`${header}.${claims}`);
    const key = { key: pair.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return Promise.resolve({ header, signature: sign('sha256', data, key).toString('base64url') });
  }

  fetchKeys(): Promise<FetchedKeys> {
    this.fetches += 1;
    if (this.answer instanceof Error) return Promise.reject(this.answer);
    return Promise.resolve(this.answer);
  }

  maxTokenSeconds = () => Promise.resolve(3_600);
  close = () => undefined;
}

function given() {
  const service = new GivenService();
  const keys = new KeyRing();
  const clock = new ManualClock();
  const notes: string[] = [];
  const note = (what: string) => (error: unknown) => {
    notes.push(error === undefined ? what : `${what} failed`);
  };
  const meters = {
    fetched: note('fetched'),
    signed: note('signed'),
    keysAreOf: (seconds: number) => notes.push(`of ${String(seconds)}`),
  };
  const signer = new ExternalSigner({ service, keys, clock, meters, logger: testLogger() });
  keys.signer = signer;
  return { service, keys, clock, notes, signer };
}

describe('the keys of a signer', () => {
  it('are asked for again when it said so, and sooner when they could not be had', async () => {
    const { service, keys, clock, signer, notes } = given();
    await signer.begin();
    expect(keys.keysFor('one')).toHaveLength(1);
    expect(signer.cacheSeconds).toBe(60);
    const { version } = keys;
    service.answer = new Error('away');
    clock.advance(60_000);
    await expect.poll(() => notes.at(-1)).toBe('fetched failed');
    expect([keys.keysFor('one').length, keys.version, signer.cacheSeconds]).toEqual([
      1,
      version,
      0,
    ]);
    service.answer = { ...GOOD, keys: [{ ...KEY, id: 'two', isExcluded: true }] };
    // The failure is noted a moment before the next look is planned.
    await expect.poll(() => (clock.advance(10_000), service.fetches)).toBe(3);
    await expect.poll(() => keys.keysFor('two').length).toBe(1);
    expect(keys.keysFor('one')).toEqual([]);
    expect([keys.keySet, keys.algorithms]).toEqual([{ keys: [] }, []]);
    expect(notes).toEqual(['fetched', 'of 7.5', 'fetched failed', 'fetched', 'of 7.5']);
    signer.close();
    clock.advance(600_000);
    expect(service.fetches).toBe(3);
  });

  it('are asked for once for all tokens that name one that is not known', async () => {
    const { service, keys, signer } = given();
    await signer.begin();
    service.answer = { ...GOOD, keys: [KEY, { ...KEY, id: 'new' }] };
    const found = await Promise.all([keys.find('new'), keys.find('new')]);
    expect(found.map((some) => some.map(({ id }) => id))).toEqual([['new'], ['new']]);
    expect(service.fetches).toBe(2);
    expect(keys.find('one')).not.toBeInstanceOf(Promise);
    service.answer = new Error('away');
    expect(await keys.find('unknown')).toEqual([]);
    signer.close();
  });

  it.each<[Partial<FetchedKeys>, string]>([
    [{ refreshSeconds: 0 }, 'found invalid refresh hint (0s)'],
    [{ refreshSeconds: -5 }, 'found invalid refresh hint (-5s)'],
    [{ keys: [] }, 'found no keys'],
    [{ timestampSeconds: undefined }, 'invalid data timestamp: proto: invalid nil Timestamp'],
    [{ keys: [{ ...KEY, id: '' }] }, 'found invalid public key id ""'],
    [{ keys: [{ ...KEY, id: 'x'.repeat(1_025) }] }, 'found invalid public key id "xxx'],
    [{ keys: [{ ...KEY, key: Buffer.alloc(0) }] }, 'found empty public key'],
    [{ keys: [{ ...KEY, key: Buffer.from('no') }] }, 'while parsing external public keys: '],
  ])('are none with %j', async (change, why) => {
    const { service, signer, keys } = given();
    service.answer = { ...GOOD, ...change };
    await expect(signer.begin()).rejects.toThrow(`while fetching token verification keys: ${why}`);
    expect(keys.keysFor('')).toEqual([]);
  });
});

describe('a signature of a signer', () => {
  it('makes a token', async () => {
    const { signer, keys, notes } = given();
    await signer.begin();
    const [header = '', claims = '', signature = ''] = (await signer.sign({ sub: 'a' })).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({ sub: 'a' });
    const data = Buffer.from(`${header}.${claims}`);
    expect(keys.keysFor('one')[0]?.verifies(data, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(notes.at(-1)).toBe('signed');
    signer.close();
  });

  it.each<[unknown, string]>([
    [{ alg: 'ES256', kid: 'one' }, 'bad type'],
    [{ alg: 'ES256', typ: 'JWT' }, 'key id missing'],
    [{ alg: 'ES256', kid: 'x'.repeat(1_025), typ: 'JWT' }, 'key id longer than 1 kb'],
    [{ alg: 'none', kid: 'one', typ: 'JWT' }, 'bad signing algorithm "none"'],
    [{ alg: 'ES256', kid: 'one', typ: 'JWT', jku: 'x' }, 'json: unknown field "jku"'],
    [{ alg: 'ES256', kid: 'old', typ: 'JWT' }, '(kid: old) is excluded from OIDC discovery docs'],
    ['e30=', 'while unwrapping header: illegal base64 data'],
    ['bm8', 'while parsing header JSON: '],
  ])('makes none with the header %j', async (header, why) => {
    const { service, signer, notes } = given();
    service.answer = { ...GOOD, keys: [KEY, { ...KEY, id: 'old', isExcluded: true }] };
    await signer.begin();
    service.header = header;
    await expect(signer.sign({})).rejects.toThrow(why);
    expect(notes.at(-1)).toBe('signed failed');
    signer.close();
  });

  it('is none where the signer fails, and says why', async () => {
    const { service, signer, notes } = given();
    await signer.begin();
    service.sign = () => Promise.reject(new Error('away'));
    await expect(signer.sign({})).rejects.toThrow('while signing jwt: away');
    expect(notes.at(-1)).toBe('signed failed');
    signer.close();
  });
});
