/** Random bytes under which a provider seals, and the same as the key management service has encrypted them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { SEED_BYTES } from './ciphers.ts';
import { sealedSeedProblem, seedKeyOf } from './encrypted-object.ts';
import type { KmsSealed, KmsService } from './kms-service.ts';

export interface KmsSeed {
  readonly plain: Buffer;
  readonly sealed: KmsSealed;
  /** See {@link seedKeyOf}. */
  readonly key: string;
}

/** @throws when the service does not encrypt it, or answers what must not be kept. */
export async function makeSeed(service: KmsService): Promise<KmsSeed> {
  const plain = randomBytes(SEED_BYTES);
  let sealed: KmsSealed;
  try {
    sealed = await service.encrypt(randomUUID(), plain);
  } catch (cause) {
    throw new Error(`failed to encrypt DEK, error: ${messageOf(cause)}`, { cause });
  }
  const problem = sealedSeedProblem(sealed);
  if (problem !== undefined) throw new Error(problem);
  return { plain, sealed, key: seedKeyOf(sealed) };
}

/** @throws when the service does not decrypt it. */
export async function openSeed(service: KmsService, sealed: KmsSealed): Promise<KmsSeed> {
  let plain: Buffer;
  try {
    plain = await service.decrypt(randomUUID(), sealed);
  } catch (cause) {
    throw new Error(`failed to decrypt DEK, error: ${messageOf(cause)}`, { cause });
  }
  if (plain.length < SEED_BYTES) {
    throw new Error(`invalid seed length ${String(plain.length)} used for key generation`);
  }
  return { plain, sealed, key: seedKeyOf(sealed) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
