/** A certificate with its private key, and what can be asked of it without making one. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** What a TLS server shows and signs with. */
export interface PemPair {
  /** PEM; behind the certificate itself may stand the chain. */
  readonly certificate: string;
  /** PEM, not encrypted. */
  readonly key: string;
}

/** What is wrong with the pair in itself; undefined: nothing. Validity is not looked at. */
export function pairProblem({ certificate, key }: PemPair): PairProblem | undefined {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return 'not a certificate';
  }
  try {
    return parsed.checkPrivateKey(createPrivateKey(key)) ? undefined : 'not a pair';
  } catch {
    return 'not a key';
  }
}

export type PairProblem = 'not a certificate' | 'not a key' | 'not a pair';

/** Milliseconds since 1970. */
export function expiryOf(certificate: string): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

/** Whether `authority` signed the certificate. */
export function isSignedBy(certificate: string, authority: string): boolean {
  const { publicKey } = new X509Certificate(authority);
  return new X509Certificate(certificate).verify(publicKey);
}

/** Host names and IP addresses among `names` that the certificate does not speak for. */
export function namesMissingFrom(certificate: string, names: readonly string[]): string[] {
  const parsed = new X509Certificate(certificate);
  return names.filter((name) => {
    const spoken = isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name);
    return spoken === undefined;
  });
}
