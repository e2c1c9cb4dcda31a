/**
 * Public keys in certificates, of the kinds that Go knows. The key itself is made when a signature is
 * to be checked: most certificates that are read never sign anything.
 *
 * In Go: parsePublicKey, crypto/x509.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { CertificateError, required } from './certificate-error.ts';
import { DerReader, rightAligned, TAG } from './der-reader.ts';

export type PublicKeyKind = 'RSA' | 'ECDSA' | 'Ed25519' | 'DSA';

export interface PublicKey {
  /** Of which algorithm it is. */
  readonly kind: PublicKeyKind;
  /** Of the modulus of RSA; 0 for others. */
  readonly bits: number;
  /** Of RSA; 0n for others. */
  readonly exponent: bigint;
  /** @throws Error where OpenSSL takes it for none. */
  keyObject(): KeyObject;
}

const RSA = '1.2.840.113549.1.1.1';
const DSA = '1.2.840.10040.4.1';
const ECDSA = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
/** P-224, P-256, P-384 and P-521, each with the bytes of a coordinate. */
const CURVES: ReadonlyMap<string, number> = new Map([
  ['1.3.132.0.33', 28],
  ['1.2.840.10045.3.1.7', 32],
  ['1.3.132.0.34', 48],
  ['1.3.132.0.35', 66],
]);
const ED25519_BYTES = 32;
const UNCOMPRESSED = 4;
const NULL = Buffer.from([TAG.null, 0]);

interface KeyInfo {
  /** DER of the whole. */
  readonly der: Buffer;
  readonly parameters: Buffer;
  readonly data: Buffer;
}

/** @param der with its tag. @returns undefined: of an unknown kind. @throws {CertificateError} */
export function parsePublicKey(der: Buffer): PublicKey | undefined {
  const info = required(new DerReader(der).enter(TAG.sequence), 'x509: malformed spki');
  const algorithm = required(
    info.enter(TAG.sequence),
    'x509: malformed public key algorithm identifier',
  );
  const { id, parameters } = algorithmOf(algorithm);
  const bits = required(info.readBits(), 'x509: malformed subjectPublicKey');
  const data = rightAligned(bits);
  return PARSERS.get(id)?.({ der, parameters, data });
}

/** @throws {CertificateError} */
export function algorithmOf(reader: DerReader): {
  readonly id: string;
  /** With their tag; empty where there are none. */
  readonly parameters: Buffer;
} {
  const id = required(reader.readObjectIdentifier(), 'x509: malformed OID');
  if (reader.isEmpty) return { id, parameters: Buffer.alloc(0) };
  return { id, parameters: required(reader.readAny(), 'x509: malformed parameters').whole };
}

const PARSERS: ReadonlyMap<string, (info: KeyInfo) => PublicKey> = new Map([
  [RSA, parseRsa],
  [ECDSA, parseEcdsa],
  [ED25519, parseEd25519],
  [DSA, parseDsa],
]);

function parseRsa({ der, parameters, data }: KeyInfo): PublicKey {
  if (!parameters.equals(NULL)) {
    throw new CertificateError('x509: RSA key missing NULL parameters');
  }
  const reader = required(new DerReader(data).enter(TAG.sequence), 'x509: invalid RSA public key');
  const modulus = required(reader.readInteger(), 'x509: invalid RSA modulus');
  const exponent = required(reader.readInteger(), 'x509: invalid RSA public exponent');
  if (BigInt.asIntN(64, exponent) !== exponent) {
    throw new CertificateError('x509: invalid RSA public exponent');
  }
  if (modulus <= 0n) throw new CertificateError('x509: RSA modulus is not a positive number');
  if (exponent <= 0n) {
    throw new CertificateError('x509: RSA public exponent is not a positive number');
  }
  return publicKeyFrom('RSA', der, { bits: modulus.toString(2).length, exponent });
}

function parseEcdsa({ der, parameters, data }: KeyInfo): PublicKey {
  const curve = required(
    new DerReader(parameters).readObjectIdentifier(),
    'x509: invalid ECDSA parameters',
  );
  const bytes = required(CURVES.get(curve), 'x509: unsupported elliptic curve');
  const key = publicKeyFrom('ECDSA', der);
  if (data[0] !== UNCOMPRESSED || data.length !== 1 + 2 * bytes || !isKey(key)) {
    throw new CertificateError('x509: invalid ECDSA public key');
  }
  return key;
}

/** Whether the point lies on its curve. */
function isKey(key: PublicKey): boolean {
  try {
    return key.keyObject().type === 'public';
  } catch {
    return false; // To ask OpenSSL is the only way to find out.
  }
}

function parseEd25519({ der, parameters, data }: KeyInfo): PublicKey {
  if (parameters.length > 0) {
    throw new CertificateError('x509: Ed25519 key encoded with illegal parameters');
  }
  if (data.length === ED25519_BYTES) return publicKeyFrom('Ed25519', der);
  throw new CertificateError('x509: wrong Ed25519 public key size');
}

/** Nothing that it signs is believed, so it is not looked at closely. */
function parseDsa({ der, data }: KeyInfo): PublicKey {
  const y = required(new DerReader(data).readInteger(), 'x509: invalid DSA public key');
  if (y <= 0n) throw new CertificateError('x509: zero or negative DSA parameter');
  return publicKeyFrom('DSA', der);
}

function publicKeyFrom(
  kind: PublicKeyKind,
  der: Buffer,
  { bits, exponent } = { bits: 0, exponent: 0n },
): PublicKey {
  let made: KeyObject | undefined;
  return {
    ...{ kind, bits, exponent },
    keyObject: () => (made ??= createPublicKey({ key: der, format: 'der', type: 'spki' })),
  };
}
