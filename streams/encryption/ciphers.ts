/**
 * The ciphers of an EncryptionConfiguration, with values laid out as kube-apiserver lays them out.
 *
 * In Kubernetes: encrypt/aes and encrypt/secretbox, apiserver/pkg/storage/value.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { UnreadableValueError, type NamedCipher, type Place } from './sealing-provider.ts';

export interface NamedKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const CBC_BLOCK_BYTES = 16;
const SECRETBOX_NONCE_BYTES = 24;

/** nonce ‖ text ‖ tag; bound to its place. */
export function aesGcm({ name, secret }: NamedKey): NamedCipher {
  return {
    name,
    seal: (plain, place) => sealGcm(secret, plain, place),
    open: (sealed, place) => openGcm(secret, sealed, place),
  };
}

export function sealGcm(key: Uint8Array, plain: Uint8Array, place: Place): Buffer {
  const nonce = randomBytes(GCM_NONCE_BYTES);
  const cipher = createCipheriv(gcmName(key), key, nonce);
  cipher.setAAD(place);
  const text = cipher.update(plain);
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]);
}

/** @throws when it was made with another key, or for another place. */
export function openGcm(key: Uint8Array, sealed: Buffer, place: Place): Buffer {
  if (sealed.length < GCM_NONCE_BYTES + GCM_TAG_BYTES) throw tooShort();
  const nonce = sealed.subarray(0, GCM_NONCE_BYTES);
  const textEnd = sealed.length - GCM_TAG_BYTES;
  const decipher = createDecipheriv(gcmName(key), key, nonce, { authTagLength: GCM_TAG_BYTES });
  decipher.setAAD(place);
  decipher.setAuthTag(sealed.subarray(textEnd));
  const text = decipher.update(sealed.subarray(GCM_NONCE_BYTES, textEnd));
  return Buffer.concat([text, decipher.final()]);
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
