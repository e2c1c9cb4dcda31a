/**
 * Seals under a seed that a key management service has encrypted once: to seal it is not asked, and to
 * open only for a seed that is not known yet. What is sealed carries its seed, encrypted, as it does
 * in kube-apiserver, so there is no other file that could get lost.
 *
 * In Kubernetes: envelopeTransformer, apiserver/pkg/storage/value/encrypt/envelope/kmsv2.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { openUnderSeed, sealUnderSeed } from './ciphers.ts';
import { decodeEncryptedObject, encodeEncryptedObject, seedKeyOf } from './encrypted-object.ts';
import { KmsProbe, type KmsParts, type KmsProbeEvents } from './kms-probe.ts';
import { messageOf, openSeed, type KmsSeed } from './kms-seed.ts';
import type { KmsSealed } from './kms-service.ts';
import {
  ProviderUnavailableError,
  UnreadableValueError,
  type Opened,
  type AuthenticatedData,
  type SealingProvider,
} from './sealing-provider.ts';

/** Each start of a server makes a seed; where there are more of them, all is sealed anew under one. */
const SEEDS_BEFORE_STALE = 16;
/** Kept in memory: far more than there ever are of them. */
const SEEDS_MAX = 1024;
const DECRYPTED_AT_ONCE = 8;

export class KmsProvider implements SealingProvider {
  readonly prefix: string;
  readonly probe: KmsProbe;
  readonly #parts: KmsParts;
  /** By their keys. */
  readonly #seeds = new BoundedMap<string, KmsSeed>(SEEDS_MAX);
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(parts: KmsParts, events: KmsProbeEvents) {
    this.prefix = `k8s:enc:kms:v2:${parts.name}:`;
    this.#parts = parts;
    this.probe = new KmsProbe(parts, {
      checked: (problem) => {
        events.checked(problem);
      },
      rotated: (seed) => {
        this.#remember(seed);
        events.rotated(seed);
      },
    });
  }

  refusal(): string | undefined {
    return this.probe.refusal();
  }

  /** An expired seed still seals: whether it may is asked before a write begins, see refusal. */
  seal(plain: Uint8Array, place: AuthenticatedData): Buffer {
    const { seed } = this.probe;
    if (seed === undefined) throw new ProviderUnavailableError(this.refusal());
    this.#parts.meters.keyUsed(this.#parts.name, seed.sealed.keyId, 'to_storage');
    const data = sealUnderSeed(seed.plain, plain, place);
    return encodeEncryptedObject({ data, seed: seed.sealed });
  }

  open(sealed: Buffer, place: AuthenticatedData): Opened {
    const object = readable(() => decodeEncryptedObject(sealed));
    const seed = this.#seedOf(object.seed);
    const { keyId } = object.seed;
    this.#parts.meters.keyUsed(this.#parts.name, keyId, 'from_storage');
    const plain = readable(() => openUnderSeed(seed.plain, object.data, place));
    const current = this.probe.seed;
    const isScattered = this.#seeds.size > SEEDS_BEFORE_STALE && seed.key !== current?.key;
    const isStale = current !== undefined && (isScattered || keyId !== current.sealed.keyId);
    return { plain, isStale };
  }

  async prepare(sealed: readonly Buffer[]): Promise<void> {
    const unknown = new Map<string, KmsSealed>();
    for (const value of sealed) {
      const seed = sealedSeedIn(value);
      if (seed === undefined) continue; // Its reader is told.
      const key = seedKeyOf(seed);
      if (!this.#seeds.has(key)) unknown.set(key, seed);
    }
    const all = [...unknown];
    for (let at = 0; at < all.length; at += DECRYPTED_AT_ONCE) {
      const some = all.slice(at, at + DECRYPTED_AT_ONCE);
      await Promise.all(some.map(([key, seed]) => this.#fetch(key, seed)));
    }
  }

  /** Asks the service no more. */
  close(): void {
    this.probe.stop();
    this.#parts.service.close();
  }

  #seedOf(sealed: KmsSealed): KmsSeed {
    const key = seedKeyOf(sealed);
    const seed = this.#seeds.get(key);
    if (seed !== undefined) return seed;
    // For the next question.
    this.#fetch(key, sealed).catch(() => undefined);
    throw new UnreadableValueError('failed to decrypt DEK, error: it is not known yet');
  }

  /** One call for one seed, however many want it. */
  #fetch(key: string, sealed: KmsSealed): Promise<void> {
    const running = this.#fetching.get(key);
    if (running !== undefined) return running;
    this.#parts.meters.seedMissed();
    const fetched = openSeed(this.#parts.service, sealed)
      .then(
        (seed) => {
          this.#remember(seed);
        },
        (cause: unknown) => {
          throw new ProviderUnavailableError(messageOf(cause), { cause });
        },
      )
      .finally(() => {
        this.#fetching.delete(key);
      });
    this.#fetching.set(key, fetched);
    return fetched;
  }

  #remember(seed: KmsSeed): void {
    this.#seeds.set(seed.key, seed);
    this.#parts.meters.seedsCached(this.#parts.name, this.#seeds.size);
  }
}

/** @throws {UnreadableValueError} where it throws anything. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadableValueError(messageOf(cause), { cause });
  }
}

function sealedSeedIn(sealed: Buffer): KmsSealed | undefined {
  try {
    return decodeEncryptedObject(sealed).seed;
  } catch {
    return undefined;
  }
}
