/** A key management service in memory, and a provider that asks it. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import { openGcm, sealGcm } from './ciphers.ts';
import { KmsProvider } from './kms-provider.ts';
import { KmsCallError, type KmsSealed, type KmsService, type KmsStatus } from './kms-service.ts';

/** Time that stands still until it is moved; what is due runs in order. */
export class ManualClock implements Clock {
  /** Every delay that was asked for, in order, in milliseconds. */
  readonly asked: number[] = [];
  #now = 0;
  readonly #due = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  /** How many timers run. */
  get pending(): number {
    return this.#due.size;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.asked.push(delayMs);
    const one = { at: this.#now + delayMs, callback };
    this.#due.add(one);
    return () => {
      this.#due.delete(one);
    };
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#due].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    for (const one of due) if (this.#due.delete(one)) one.callback();
  }
}

const ANNOTATIONS = new Map([['region.kms.example', Buffer.from('north')]]);

/** Its keys are what their ids say, so that another one decrypts what one has encrypted. */
export class MemoryKms implements KmsService {
  keyId = 'one';
  healthz = 'ok';
  version = 'v2';
  /** What Status says, where it is not the key that is used. */
  reportedKeyId: string | undefined;
  isDown = false;
  annotations: ReadonlyMap<string, Uint8Array> = ANNOTATIONS;
  readonly calls: string[] = [];

  // oxlint-disable-next-line typescript/require-await -- What it throws has to be a rejection.
  async status(): Promise<KmsStatus> {
    this.#begin('status');
    const { version, healthz, keyId, reportedKeyId } = this;
    return { version, healthz, keyId: reportedKeyId ?? keyId };
  }

  // oxlint-disable-next-line typescript/require-await -- See above.
  async encrypt(_uid: string, plain: Uint8Array): Promise<KmsSealed> {
    this.#begin('encrypt');
    const { keyId, annotations } = this;
    const ciphertext = sealGcm(wrappingKeyOf(keyId), plain, Buffer.from(keyId));
    return { ciphertext, keyId, annotations };
  }

  // oxlint-disable-next-line typescript/require-await -- See above.
  async decrypt(_uid: string, { ciphertext, keyId, annotations }: KmsSealed): Promise<Buffer> {
    this.#begin('decrypt');
    if (Buffer.from(annotations.get('region.kms.example') ?? []).toString() !== 'north') {
      throw new KmsCallError('InvalidArgument', 'the annotations were lost');
    }
    return openGcm(wrappingKeyOf(keyId), Buffer.from(ciphertext), Buffer.from(keyId));
  }

  close(): void {
    this.isDown = true;
  }

  #begin(call: string): void {
    this.calls.push(call);
    if (this.isDown) throw new KmsCallError('Unavailable', 'the service is down');
  }
}

function wrappingKeyOf(keyId: string): Buffer {
  return createHash('sha256').update(keyId).digest();
}

export function givenKms(kms = new MemoryKms(), clock = new ManualClock()) {
  const told: string[] = [];
  const provider = new KmsProvider(
    {
      name: 'vault',
      service: kms,
      clock,
      meters: {
        called: () => undefined,
        keyUsed: (_provider, keyId, direction) => told.push(`${direction} ${keyId}`),
        keyReported: () => undefined,
        invalidKeyReported: (_provider, problem) => told.push(`invalid ${problem}`),
        seedsCached: () => undefined,
        seedMissed: () => told.push('missed'),
      },
    },
    { rotated: ({ sealed }) => told.push(`rotated ${sealed.keyId}`), checked: () => undefined },
  );
  return { kms, clock, provider, probe: provider.probe, told };
}

/** Lets everything happen that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
