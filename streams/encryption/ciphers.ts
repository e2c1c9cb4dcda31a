/**
 * The ciphers of an EncryptionConfiguration, with values laid out as kube-apiserver lays them out.
 *
 * In Kubernetes: encrypt/aes and encrypt/secretbox, apiserver/pkg/storage/value.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import {
  UnreadableValueError,
  type NamedCipher,
  type AuthenticatedData,
} from './sealing-provider.ts';

/** A key of a configuration file; `secret` is its bytes, not base64. */
export interface NamedKey {
  /** Stands in front of what the key seals. */
  readonly name: string;
  /** 16, 24 or 32 bytes, as the cipher asks for it. */
  readonly secret: Uint8Array;
}

const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const CBC_BLOCK_BYTES = 16;
const SECRETBOX_NONCE_BYTES = 24;
const INFO_BYTES = 32;
/** Of what keys are derived from. */
export const SEED_BYTES = 32;

/** nonce ‖ text ‖ tag; bound to its place. */
export function aesGcm({ name, secret }: NamedKey): NamedCipher {
  return {
    name,
    seal: (plain, place) => sealGcm(secret, plain, place),
    open: (sealed, place) => openGcm(secret, sealed, place),
  };
}

export function sealGcm(key: Uint8Array, plain: Uint8Array, place: AuthenticatedData): Buffer {
  const nonce = randomBytes(GCM_NONCE_BYTES);
  const cipher = createCipheriv(gcmName(key), key, nonce);
  cipher.setAAD(place);
  const text = cipher.update(plain);
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]);
}

/** @throws when it was made with another key, or for another place. */
export function openGcm(key: Uint8Array, sealed: Buffer, place: AuthenticatedData): Buffer {
  if (sealed.length < GCM_NONCE_BYTES + GCM_TAG_BYTES) throw tooShort();
  const nonce = sealed.subarray(0, GCM_NONCE_BYTES);
  const textEnd = sealed.length - GCM_TAG_BYTES;
  const decipher = createDecipheriv(gcmName(key), key, nonce, { authTagLength: GCM_TAG_BYTES });
  decipher.setAAD(place);
  decipher.setAuthTag(sealed.subarray(textEnd));
  const text = decipher.update(sealed.subarray(GCM_NONCE_BYTES, textEnd));
  return Buffer.concat([text, decipher.final()]);
}

/**
 * info ‖ nonce ‖ text ‖ tag, each under a key of its own, which is derived from the seed and the
 * random info: one seed does for as many values as a server will ever have.
 *
 * In Kubernetes: NewHKDFExtendedNonceGCMTransformer.
 */
export function sealUnderSeed(
  seed: Uint8Array,
  plain: Uint8Array,
  place: AuthenticatedData,
): Buffer {
  const info = randomBytes(INFO_BYTES);
  return Buffer.concat([info, sealGcm(derivedKey(seed, info), plain, place)]);
}

/** @throws when it was made with another seed, or for another place. */
export function openUnderSeed(
  seed: Uint8Array,
  sealed: Uint8Array,
  place: AuthenticatedData,
): Buffer {
  if (sealed.length < INFO_BYTES) throw tooShort();
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const key = derivedKey(seed, bytes.subarray(0, INFO_BYTES));
  return openGcm(key, bytes.subarray(INFO_BYTES), place);
}

/** HKDF-Expand with SHA-256, of which the first block is all that is needed (RFC 5869, 2.3). */
function derivedKey(seed: Uint8Array, info: Uint8Array): Buffer {
  return createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest();
}

/** iv ‖ text with the padding of PKCS #7. It cannot tell whether the value was changed. */
export function aesCbc({ name, secret }: NamedKey): NamedCipher {
  const algorithm = `aes-${String(secret.length * 8)}-cbc`;
  return {
    name,
    seal(plain) {
      const iv = randomBytes(CBC_BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, secret, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    },
    open(sealed) {
      if (sealed.length < CBC_BLOCK_BYTES) throw tooShort();
      const iv = sealed.subarray(0, CBC_BLOCK_BYTES);
      const decipher = createDecipheriv(algorithm, secret, iv);
      return Buffer.concat([decipher.update(sealed.subarray(CBC_BLOCK_BYTES)), decipher.final()]);
    },
  };
}

/** nonce ‖ XSalsa20-Poly1305 of NaCl. */
export function secretbox({ name, secret }: NamedKey): NamedCipher {
  return {
    name,
    seal(plain) {
      const nonce = randomBytes(SECRETBOX_NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)]);
    },
    open(sealed) {
      if (sealed.length < SECRETBOX_NONCE_BYTES) throw tooShort();
      const nonce = sealed.subarray(0, SECRETBOX_NONCE_BYTES);
      const box = sealed.subarray(SECRETBOX_NONCE_BYTES);
      return Buffer.from(xsalsa20poly1305(secret, nonce).decrypt(box));
    },
  };
}

function gcmName(key: Uint8Array): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  if (key.length === 16) return 'aes-128-gcm';
  return key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm';
}

function tooShort(): UnreadableValueError {
  return new UnreadableValueError('the stored data was shorter than the required size');
}
