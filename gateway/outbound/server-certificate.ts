/**
 * Certificates of servers as Go judges them where Node is milder, and which of them are of a kind that
 * is not in use any more.
 *
 * In Kubernetes: x509metrics, apiserver/pkg/util, and Go's crypto/x509.
 */
import { checkServerIdentity as nodesCheck, type PeerCertificate } from 'node:tls';

/** What is counted of certificates. */
export type DeprecatedCertificate = 'missing_san' | 'insecure_sha1';

const LEGACY = 'x509: certificate relies on legacy Common Name field, use SANs instead';
/** What OpenSSL says of a signature over a hash that is too weak, which is SHA-1 or worse. */
const WEAK = 'signature digest algorithm too weak';

class LegacyNameError extends Error {
  override readonly name = 'LegacyNameError';
  readonly code = 'ERR_TLS_CERT_ALTNAME_INVALID';
}

/** Node believes the Common Name where there are no other names; Go does not. */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = nodesCheck(host, certificate);
  if (problem !== undefined || certificate.subjectaltname !== undefined) return problem;
  return new LegacyNameError(LEGACY);
}

/** undefined: the call failed for another reason. */
export function deprecatedIn(error: unknown): DeprecatedCertificate | undefined {
  if (error instanceof LegacyNameError) return 'missing_san';
  return isWeaklySigned(error) ? 'insecure_sha1' : undefined;
}

export function isWeaklySigned(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith(WEAK);
}
