/** Shows how users are told apart, and which tokens of service accounts are used. */
import type { Metrics } from '../../metrics/metrics.ts';
import type { Authentication } from './authentication.ts';

export function measureAuthentication(
  metrics: Metrics,
  { authenticationMeters: meters, counts, signerFigures }: Authentication,
): void {
  metrics.text(() => meters.format());
  if (signerFigures !== undefined) metrics.text(() => signerFigures.format());
  const counter = (name: string, help: string, read: () => number): void => {
    metrics.counter(`serviceaccount_${name}_total`, help, read);
  };
  counter('valid_tokens', 'Uses of tokens of pods that are exchanged in time.', () => counts.valid);
  counter(
    'stale_tokens',
    'Uses of tokens of pods that should have been exchanged.',
    () => counts.stale,
  );
  counter('legacy_tokens', 'Uses of tokens that lie in secrets.', () => counts.legacy);
  counter(
    'legacy_manual_token_uses',
    'Uses of tokens in secrets that somebody asked for.',
    () => counts.legacyManual,
  );
  counter(
    'legacy_auto_token_uses',
    'Uses of tokens in secrets that nobody asked for.',
    () => counts.legacyAutomatic,
  );
  counter(
    'invalid_legacy_auto_token_uses',
    'Uses of tokens in secrets that were put out of use.',
    () => counts.legacyInvalid,
  );
}
