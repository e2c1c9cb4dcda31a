/**
 * Counts and measures the calls of admission webhooks.
 *
 * In Kubernetes: AdmissionMetrics, apiserver/pkg/admission/metrics.
 */
import type {
  AskedWebhook,
  RejectionCause,
  WebhookMeters,
} from '../../actors/admission/admission-meters.ts';
import { formatFamily } from './exposition.ts';
import { bucketBounds } from './histogram.ts';
import { NamedCounts, NamedHistograms } from './named-figures.ts';

const PREFIX = 'apiserver_admission';
const DURATIONS = bucketBounds([0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]);
/** What webhooks may answer has no end; codes beyond are one. */
const CODE_MAX = 600;

export class WebhookFigures implements WebhookMeters {
  readonly #requests = new NamedCounts({
    name: `${PREFIX}_webhook_request_total`,
    help: 'Calls of admission webhooks.',
  });
  readonly #rejections = new NamedCounts({
    name: `${PREFIX}_webhook_rejection_count`,
    help: 'Requests that a webhook refused, or that were refused because it could not be asked.',
  });
  readonly #failedOpen = new NamedCounts({
    name: `${PREFIX}_webhook_fail_open_count`,
    help: 'Webhooks that could not be asked and were passed over.',
  });
  readonly #excluded = new NamedCounts({
    name: `${PREFIX}_match_condition_exclusions_total`,
    help: 'Webhooks that were not asked because a match condition did not hold.',
  });
  readonly #certificates = { missing_san: 0, insecure_sha1: 0 };
  readonly #durations = new NamedHistograms(
    {
      name: `${PREFIX}_webhook_admission_duration_seconds`,
      help: 'How long calls of admission webhooks take, in seconds.',
    },
    DURATIONS,
  );

  asked(webhook: AskedWebhook, code: number, isRejected: boolean, durationMs: number): void {
    const { name, type, operation } = webhook;
    const rejected = String(isRejected);
    this.#requests.add({ code: shownCode(code), name, operation, rejected, type });
    this.#durations.of({ name, operation, rejected, type }).observe(durationMs / 1_000);
  }

  rejected(webhook: AskedWebhook, cause: RejectionCause, code: number): void {
    const { name, type, operation } = webhook;
    const rejection_code = shownCode(code);
    this.#rejections.add({ error_type: cause, name, operation, rejection_code, type });
  }

  failedOpen({ name, type }: AskedWebhook): void {
    this.#failedOpen.add({ name, type });
  }

  excluded({ name, type, operation }: AskedWebhook): void {
    this.#excluded.add({
      kind: 'webhook',
      name,
      operation,
      type: type === 'admit' ? type : 'validate',
    });
  }

  deprecatedCertificate(problem: 'missing_san' | 'insecure_sha1'): void {
    this.#certificates[problem] += 1;
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      ...[this.#durations, this.#failedOpen, this.#rejections, this.#requests, this.#excluded].map(
        (family) => family.format(),
      ),
      this.#formatCertificates(
        'missing_san',
        'Calls of webhooks that failed since the certificate has no names but the Common Name.',
      ),
      this.#formatCertificates(
        'insecure_sha1',
        'Calls of webhooks that failed since the certificate is signed over SHA-1, or worse.',
      ),
    ].join('');
  }

  #formatCertificates(problem: 'missing_san' | 'insecure_sha1', help: string): string {
    const name = `apiserver_webhooks_x509_${problem}_total`;
    const value = this.#certificates[problem];
    return formatFamily({ name, type: 'counter', help }, [{ labels: '', value }]);
  }
}

function shownCode(code: number): string {
  return String(Math.min(code, CODE_MAX));
}
