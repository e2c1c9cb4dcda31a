/**
 * How often tokens of service accounts were used, by what they are. Only ever rises.
 *
 * In Kubernetes: kubernetes/pkg/serviceaccount/metrics.go.
 */
export class TokenCounts {
  /** Tokens that pods have in the place of those that never ran out, exchanged in time. */
  valid = 0;
  /** Those that should have been exchanged for a newer one by then. */
  stale = 0;
  /** Tokens of secrets, which never run out: all, and of which kind the secrets are. */
  legacy = 0;
  legacyManual = 0;
  legacyAutomatic = 0;
  legacyInvalid = 0;
}
