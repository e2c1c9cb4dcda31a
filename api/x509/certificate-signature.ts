/**
 * Whether one certificate has signed another, and may.
 *
 * In Go: CheckSignatureFrom, crypto/x509.
 */
import { constants, verify } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import type { PublicKey, PublicKeyKind } from './public-key.ts';
import type { SignatureAlgorithm } from './signature-algorithm.ts';

const KEY_CERT_SIGN = 1 << 5;
/** Of RSA: what is shorter is not believed in. */
const RSA_BITS_MIN = 1_024;
const EXPONENT_MAX = 2n ** 31n - 1n;
/** How Go calls keys. */
const GO_TYPES: Readonly<Record<PublicKeyKind, string>> = {
  RSA: '*rsa.PublicKey',
  ECDSA: '*ecdsa.PublicKey',
  Ed25519: 'ed25519.PublicKey',
  DSA: '*dsa.PublicKey',
};
const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';

/** The type that Go has for the key; `<nil>` for a key of an unknown kind. */
export function goTypeOf(key: PublicKey | undefined): string {
  return key === undefined ? '<nil>' : GO_TYPES[key.kind];
}

/** Why `parent` has not signed `child`, in Go's words; undefined: it has. */
export function signatureProblem(child: Certificate, parent: Certificate): string | undefined {
  if (!maySign(parent)) {
    return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  }
  const { signatureAlgorithm: algorithm } = child;
  const { publicKey: key } = parent;
  if (key === undefined || algorithm === undefined) return UNIMPLEMENTED;
  if (algorithm.hash === 'md5' || algorithm.hash === 'sha1') {
    return `x509: cannot verify signature: insecure algorithm ${algorithm.name}`;
  }
  if (key.kind === 'DSA') return UNIMPLEMENTED;
  if (key.kind !== algorithm.key) {
    const wanted = `x509: signature algorithm specifies an ${algorithm.key} public key`;
    return `${wanted}, but have public key of type ${GO_TYPES[key.kind]}`;
  }
  return weakness(key) ?? (isSigned(child, key, algorithm) ? undefined : FAILURES[key.kind]);
}

function maySign({ version, basicConstraints, keyUsage }: Certificate): boolean {
  if (basicConstraints === undefined ? version === 3 : !basicConstraints.isAuthority) return false;
  return keyUsage === 0 || (keyUsage & KEY_CERT_SIGN) !== 0;
}

const FAILURES: Readonly<Record<PublicKeyKind, string>> = {
  RSA: 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
  DSA: UNIMPLEMENTED,
};

/** Why nothing that this key signs is believed. */
export function weakness({ kind, bits, exponent }: PublicKey): string | undefined {
  if (kind !== 'RSA') return undefined;
  if (bits < RSA_BITS_MIN) {
    const where = 'see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size';
    return `crypto/rsa: ${String(bits)}-bit keys are insecure (${where})`;
  }
  if (exponent < 2n) return 'crypto/rsa: public exponent too small or negative';
  if (exponent % 2n === 0n) return 'crypto/rsa: public exponent is even';
  return exponent > EXPONENT_MAX ? 'crypto/rsa: public exponent too large' : undefined;
}

function isSigned(
  { signed, signature }: Certificate,
  key: PublicKey,
  { hash, saltLength }: SignatureAlgorithm,
): boolean {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  try {
    const object = key.keyObject();
    const options = saltLength === 0 ? object : { key: object, ...padding };
    return verify(hash === '' ? null : hash, signed, options, signature);
  } catch {
    return false; // OpenSSL takes the key or the signature for none.
  }
}
