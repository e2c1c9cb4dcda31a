import { describe, expect, test } from 'vitest';
import { givenKms, MemoryKms, settled } from './given-kms.fixture.ts';
import { ProviderUnavailableError, UnreadableValueError } from './sealing-provider.ts';

const PLACE = Buffer.from('everwatch/object-key/u1');
const PLAIN = Buffer.from('the key of an object');
const HASH_OF_ONE = 'sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed';
const EXPIRED =
  `encryptedDEKSource with keyID hash "${HASH_OF_ONE}" expired at 1970-01-01T00:03:00Z ` +
  '(current time is 1970-01-01T00:03:01Z)';

describe('sealing', () => {
  test('asks the service once, however much is sealed', async () => {
    const { kms, provider, probe, told } = givenKms();
    expect(await probe.check()).toBeUndefined();
    const sealed = Array.from({ length: 50 }, () => provider.seal(PLAIN, PLACE));
    for (const one of sealed) expect(provider.open(one, PLACE).plain).toEqual(PLAIN);
    expect(new Set(sealed.map(String)).size).toBe(50);
    expect(kms.calls).toEqual(['status', 'encrypt']);
    expect(told.filter((one) => one === 'to_storage one')).toHaveLength(50);
  });

  test('is told as unreadable where a bit was changed, wherever', async () => {
    const { provider, probe } = givenKms();
    await probe.check();
    const sealed = provider.seal(PLAIN, PLACE);
    for (let at = 0; at < sealed.length; at += 1) {
      const damaged = Buffer.from(sealed);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      expect(() => provider.open(damaged, PLACE)).toThrow(UnreadableValueError);
    }
    expect(() => provider.open(sealed, Buffer.from('elsewhere'))).toThrow(UnreadableValueError);
  });

  test('cannot be done before the service was well', async () => {
    const { kms, provider, probe } = givenKms();
    kms.isDown = true;
    expect(provider.refusal()).toBe('got unexpected nil transformer');
    expect(await probe.check()).toBe(
      'failed to perform status section of the healthz check for KMS Provider vault, error: ' +
        'rpc error: code = Unavailable desc = the service is down',
    );
    expect(() => provider.seal(PLAIN, PLACE)).toThrow(ProviderUnavailableError);
  });

  test('goes on for three minutes without the service, and then is refused until it is back', async () => {
    const { kms, clock, provider, probe } = givenKms();
    await probe.check();
    probe.start();
    kms.isDown = true;
    const sealed = provider.seal(PLAIN, PLACE);
    for (let second = 0; second < 180; second += 1) {
      clock.advance(1_000);
      await settled();
    }
    expect(provider.refusal()).toBeUndefined();
    clock.advance(1_000);
    expect(provider.refusal()).toBe(EXPIRED);
    expect(provider.open(sealed, PLACE).plain).toEqual(PLAIN);
    kms.isDown = false;
    clock.advance(10_000);
    await settled();
    expect(provider.refusal()).toBeUndefined();
    expect(kms.calls.filter((call) => call === 'encrypt')).toHaveLength(1);
  });
});

describe('the service is asked', () => {
  test('once a minute while it is well, and every ten seconds while it is not', async () => {
    const { kms, clock, probe } = givenKms();
    const asked: number[] = [];
    await probe.check();
    probe.start();
    for (let second = 1; second <= 150; second += 1) {
      kms.isDown = second > 70 && second < 135;
      kms.calls.length = 0;
      clock.advance(1_000);
      await settled();
      if (kms.calls.includes('status')) asked.push(second);
    }
    expect(asked).toEqual([60, 120, 130, 140]);
    probe.stop();
    kms.calls.length = 0;
    clock.advance(600_000);
    await settled();
    expect(kms.calls).toEqual([]);
  });

  test('at most every twenty seconds by health checks, or every three while it is not well', async () => {
    const { kms, clock, probe } = givenKms();
    await Promise.all([probe.check(), probe.check()]);
    clock.advance(19_000);
    kms.isDown = true;
    expect(probe.lastProblem()).toBeUndefined();
    expect(kms.calls).toEqual(['status', 'encrypt']);
    clock.advance(1_000);
    expect(probe.lastProblem()).toBeUndefined();
    await settled();
    // The first reader is told what was asked, and the others what is remembered of it, as by upstream.
    const problem = 'rpc error: code = Unavailable desc = the service is down';
    expect(probe.lastProblem()).toBe(
      `failed to perform status section of the healthz check for KMS Provider vault, error: ${problem}`,
    );
    expect(probe.lastProblem()).toBe(problem);
    expect(await probe.check()).toBe(problem);
    kms.isDown = false;
    clock.advance(3_000);
    probe.lastProblem();
    await settled();
    expect(probe.lastProblem()).toBeUndefined();
  });

  test('at once where the clock was set back', async () => {
    const { kms, clock, probe } = givenKms();
    expect(await probe.check()).toBeUndefined();
    clock.advance(-3_600_000);
    kms.isDown = true;
    expect(await probe.check()).toContain('the service is down');
  });

  test('and what it says is looked at', async () => {
    const judged = async (given: Partial<MemoryKms>): Promise<string | undefined> =>
      givenKms(Object.assign(new MemoryKms(), given)).probe.check();
    expect(await judged({ healthz: 'sick' })).toBe(
      'kmsv2 Provider vault is not healthy, error: got unexpected healthz status: sick',
    );
    expect(await judged({ version: 'v1', keyId: '' })).toBe(
      'kmsv2 Provider vault is not healthy, error: [expected KMSv2 API version v2, got v1, ' +
        'got invalid KMSv2 KeyID hash "": keyID is empty]',
    );
    expect(await judged({ version: 'v2beta1' })).toBeUndefined();
    expect(await judged({ keyId: 'k'.repeat(1025) })).toContain(
      'keyID is 1025 bytes, which exceeds the max size of 1024',
    );
    expect(await judged({ reportedKeyId: 'two' })).toMatch(
      /failed to rotate DEK uid="[-0-9a-f]{36}", useSeed=true, errState=got unexpected nil transformer, errGen=<nil>, statusKeyIDHash="sha256:\w+", encryptKeyIDHash="sha256:7692\w+", stateKeyIDHash="", expirationTimestamp=0001-01-01T00:00:00Z$/,
    );
    const annotations = new Map([['short', Buffer.alloc(1)]]);
    expect(await judged({ annotations })).toContain(
      'errGen=failed to validate annotations: annotations: Invalid value: "short": should be a domain with at least two segments separated by dots,',
    );
    const large = new Map([['large.example', Buffer.alloc(32 * 1024)]]);
    expect(await judged({ annotations: large })).toContain(
      'total size of annotations is 32781, which exceeds the max size of 32768',
    );
  });

  test('and its version must stay', async () => {
    const { kms, clock, probe } = givenKms();
    await probe.check();
    kms.version = 'v2beta1';
    clock.advance(60_000);
    expect(await probe.check()).toContain(
      'KMSv2 API version should not change after the initial status response version v2, got v2beta1',
    );
  });
});

describe('another key of the service', () => {
  test('makes a new seed, and what was sealed before is stale', async () => {
    const { kms, clock, provider, probe, told } = givenKms();
    await probe.check();
    const sealed = provider.seal(PLAIN, PLACE);
    expect(provider.open(sealed, PLACE).isStale).toBe(false);
    kms.keyId = 'two';
    clock.advance(60_000);
    await probe.check();
    expect(told).toContain('rotated two');
    expect(provider.open(sealed, PLACE)).toEqual({ plain: PLAIN, isStale: true });
    expect(provider.open(provider.seal(PLAIN, PLACE), PLACE).isStale).toBe(false);
  });

  test('that it does not use yet changes nothing', async () => {
    const { kms, clock, provider, probe } = givenKms();
    await probe.check();
    kms.reportedKeyId = 'two';
    clock.advance(60_000);
    expect(await probe.check()).toContain('errState=<nil>, errGen=<nil>, statusKeyIDHash=');
    expect(provider.open(provider.seal(PLAIN, PLACE), PLACE).isStale).toBe(false);
  });
});

describe('after a start', () => {
  test('each seed is decrypted once, and only then anything opens', async () => {
    const before = givenKms();
    await before.probe.check();
    const sealed = [before.provider.seal(PLAIN, PLACE), before.provider.seal(PLAIN, PLACE)];
    const { kms, provider, probe } = givenKms();
    await probe.check();
    expect(() => provider.open(sealed[0] ?? PLAIN, PLACE)).toThrow(UnreadableValueError);
    await provider.prepare(sealed);
    expect(provider.open(sealed[0] ?? PLAIN, PLACE)).toEqual({ plain: PLAIN, isStale: false });
    expect(provider.open(sealed[1] ?? PLAIN, PLACE).plain).toEqual(PLAIN);
    expect(kms.calls).toEqual(['status', 'encrypt', 'decrypt']);
  });

  test('what was not prepared opens for the next reader', async () => {
    const before = givenKms();
    await before.probe.check();
    const sealed = before.provider.seal(PLAIN, PLACE);
    const { provider } = givenKms();
    expect(() => provider.open(sealed, PLACE)).toThrow('it is not known yet');
    await settled();
    expect(provider.open(sealed, PLACE).plain).toEqual(PLAIN);
  });

  test('a service that is away is told from a value that is broken', async () => {
    const before = givenKms();
    await before.probe.check();
    const sealed = before.provider.seal(PLAIN, PLACE);
    const { kms, provider } = givenKms();
    kms.isDown = true;
    await expect(provider.prepare([sealed])).rejects.toThrow(
      'failed to decrypt DEK, error: rpc error: code = Unavailable desc = the service is down',
    );
    await expect(provider.prepare([sealed.subarray(0, 40)])).resolves.toBeUndefined();
    expect(() => provider.open(sealed.subarray(0, 40), PLACE)).toThrow(UnreadableValueError);
    kms.isDown = false;
    await provider.prepare([sealed]);
    expect(() => provider.open(sealed, Buffer.from('elsewhere'))).toThrow();
  });

  test('many seeds are gathered into one', async () => {
    const sealed: Buffer[] = [];
    for (let start = 0; start < 20; start += 1) {
      const one = givenKms();
      await one.probe.check();
      sealed.push(one.provider.seal(PLAIN, PLACE));
    }
    const few = givenKms();
    await few.probe.check();
    await few.provider.prepare(sealed.slice(0, 10));
    expect(few.provider.open(sealed[0] ?? PLAIN, PLACE).isStale).toBe(false);
    const many = givenKms();
    await many.probe.check();
    await many.provider.prepare(sealed);
    expect(many.provider.open(sealed[0] ?? PLAIN, PLACE).isStale).toBe(true);
    expect(many.provider.open(many.provider.seal(PLAIN, PLACE), PLACE).isStale).toBe(false);
  });
});
