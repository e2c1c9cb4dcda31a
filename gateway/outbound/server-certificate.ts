/**
 * Which certificates of servers are of a kind that is not in use any more.
 *
 * In Kubernetes: x509metrics, apiserver/pkg/util.
 */
import { UntrustedServerError } from './trusting-agent.ts';

/** What is counted of certificates. */
export type DeprecatedCertificate = 'missing_san' | 'insecure_sha1';

const LEGACY = 'x509: certificate relies on legacy Common Name field';
const WEAK = /x509: cannot verify signature: insecure algorithm [A-Z]*-?SHA1/;

/** undefined: the call failed for another reason. */
export function deprecatedIn(error: unknown): DeprecatedCertificate | undefined {
  if (!(error instanceof UntrustedServerError)) return undefined;
  if (error.message.includes(LEGACY)) return 'missing_san';
  return WEAK.test(error.message) ? 'insecure_sha1' : undefined;
}
