/**
 * Counts and measures what a signer of tokens is asked.
 *
 * In Kubernetes: pkg/serviceaccount/externaljwt/metrics.
 */
import type { SignerMeters } from '../../actors/authentication/service-accounts/external-signer.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatLabels } from '../metrics/exposition.ts';
import { bucketBounds } from '../metrics/histogram.ts';
import { LabelledCounts, LabelledHistograms } from '../metrics/named-figures.ts';
import { SignerCallError } from './signer-call-error.ts';

const FAMILY = 'apiserver_externaljwt';
const DURATIONS = bucketBounds([
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]);
const MS = 1_000;

/** Counts calls of the signer, as apiserver_externaljwt_… does. */
export class SignerFigures implements SignerMeters {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #fetches = new LabelledCounts();
  readonly #times = new LabelledCounts();
  readonly #dataTimes = new LabelledCounts();
  readonly #signs = new LabelledCounts();
  readonly #durations = new LabelledHistograms(DURATIONS);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  called(method: string, code: string, durationMs: number): void {
    this.#durations.observe(formatLabels({ code, method }), durationMs / MS);
  }

  fetched(error: unknown): void {
    this.#fetches.add(formatLabels({ code: codeOf(error) }));
    if (error === undefined) this.#times.set('', this.#clock.now() / MS);
  }

  keysAreOf(seconds: number): void {
    this.#dataTimes.set('', seconds);
  }

  signed(error: unknown): void {
    this.#signs.add(formatLabels({ code: codeOf(error) }));
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#fetches.format(
        `${FAMILY}_fetch_keys_request_total`,
        'counter',
        'Times that the keys of the signer of tokens were asked for.',
      ),
      this.#times.format(
        `${FAMILY}_fetch_keys_success_timestamp`,
        'gauge',
        'When the keys of the signer of tokens were had last.',
      ),
      this.#dataTimes.format(
        `${FAMILY}_fetch_keys_data_timestamp`,
        'gauge',
        'Of when the keys are that the signer of tokens gave last.',
      ),
      this.#signs.format(
        `${FAMILY}_sign_request_total`,
        'counter',
        'Times that a token was to be signed.',
      ),
      this.#durations.format(
        `${FAMILY}_request_duration_seconds`,
        'How long calls of the signer of tokens take, in seconds.',
      ),
    ].join('');
  }
}

/** As Go finds it among what an error was caused by. */
function codeOf(error: unknown): string {
  if (error === undefined) return 'OK';
  if (error instanceof SignerCallError) return error.code;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? 'unknown-non-grpc' : codeOf(cause);
}
