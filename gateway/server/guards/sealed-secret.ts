/**
 * A secret that may lie where others can read it: sealed with what a key file holds. AES-256-GCM,
 * under a key that scrypt makes of the file's content and a salt of its own.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

export interface SealedSecret {
  readonly algorithm: 'scrypt-aes-256-gcm';
  /** All in base64. */
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly text: string;
}

const ALGORITHM = 'scrypt-aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;

export function seal(plain: string, key: Uint8Array): SealedSecret {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(key, salt, KEY_BYTES), nonce);
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return {
    algorithm: ALGORITHM,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    text: text.toString('base64'),
  };
}

/** undefined: sealed with another key, or changed since. */
export function unseal(sealed: SealedSecret, key: Uint8Array): string | undefined {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  try {
    const derived = scryptSync(key, bytes(sealed.salt), KEY_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', derived, bytes(sealed.nonce));
    decipher.setAuthTag(bytes(sealed.tag));
    return Buffer.concat([decipher.update(bytes(sealed.text)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

export function isSealedSecret(value: unknown): value is SealedSecret {
  if (typeof value !== 'object' || value === null) return false;
  const parts = value as Readonly<Record<string, unknown>>;
  return (
    parts['algorithm'] === ALGORITHM &&
    ['salt', 'nonce', 'tag', 'text'].every((name) => typeof parts[name] === 'string')
  );
}
