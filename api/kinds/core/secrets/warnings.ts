/**
 * Whether the key of a TLS secret is that of its certificate.
 *
 * In Kubernetes: warningsForSecret, registry/core/secret, which asks crypto/tls's X509KeyPair.
 */
import type { Secret } from '../../../generated/kinds/core-v1.ts';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

import { pemBlocksIn } from '../../rules/pem-blocks.ts';

/** One sentence, in Go's words, or none. */
export function secretWarnings(secret: Secret): readonly string[] {
  if ((secret.type ?? '') !== 'kubernetes.io/tls') return [];
  const data = secret.data;
  const textAt = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString();
  const problem = pairProblem(textAt('tls.crt'), textAt('tls.key'));
  return problem === undefined ? [] : [problem];
}

function pairProblem(certificateText: string, keyText: string): string | undefined {
  const certificates = pemBlocksIn(certificateText);
  const chosen = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (chosen === undefined) return noCertificate(certificates.map(({ type }) => type));
  const keys = pemBlocksIn(keyText);
  const key = keys.find(({ type }) => isKey(type));
  if (key === undefined) return noKey(keys.map(({ type }) => type));
  const certificate = certificateOf(chosen.bytes);
  if (certificate === undefined) return 'x509: malformed certificate';
  const privateKey = privateKeyOf(key.bytes);
  return typeof privateKey === 'string' ? privateKey : mismatch(certificate, privateKey);
}

function isKey(type: string): boolean {
  return type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
}

function noCertificate(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  const start = 'tls: failed to find';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY') === true) {
    const found = 'but did find a private key; PEM inputs may have been switched';
    return `${start} certificate PEM data in certificate input, ${found}`;
  }
  const where = '"CERTIFICATE" PEM block in certificate input after skipping PEM blocks';
  return `${start} ${where} of the following types: [${types.join(' ')}]`;
}

function noKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  const where =
    'PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks';
  return `tls: failed to find ${where} of the following types: [${types.join(' ')}]`;
}

function certificateOf(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

const KNOWN_KEYS: ReadonlySet<string | undefined> = new Set(['rsa', 'ec', 'ed25519']);

/** @returns the problem where it is none. */
function privateKeyOf(der: Uint8Array): KeyObject | string {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type });
      if (KNOWN_KEYS.has(key.asymmetricKeyType)) return key;
      return 'tls: found unknown private key type in PKCS#8 wrapping';
    } catch {
      // It may be of the next type.
    }
  }
  return 'tls: failed to parse private key';
}

function mismatch(certificate: X509Certificate, key: KeyObject): string | undefined {
  const { asymmetricKeyType } = certificate.publicKey;
  if (!KNOWN_KEYS.has(asymmetricKeyType)) return 'tls: unknown public key algorithm';
  if (asymmetricKeyType !== key.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  return certificate.checkPrivateKey(key)
    ? undefined
    : 'tls: private key does not match public key';
}
