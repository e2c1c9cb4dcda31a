/**
 * Counts and measures the calls of admission webhooks. Names of webhooks are the operator's, so the
 * label sets are as many as he has webhooks; past a limit they share one.
 *
 * In Kubernetes: AdmissionMetrics, apiserver/pkg/admission/metrics.
 */
import type {
  AdmissionMeters,
  AskedWebhook,
  RejectionCause,
} from '../../actors/admission/webhooks/admission-meters.ts';
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
import { bucketBounds, Histogram } from './histogram.ts';

const PREFIX = 'apiserver_admission';
const DURATIONS = bucketBounds([0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]);
const SERIES_MAX = 5_000;
/** What webhooks may answer has no end; codes beyond are one. */
const CODE_MAX = 600;

type Labels = Readonly<Record<string, string>>;

class Counts {
  readonly #counts = new Map<string, number>();

  add(labels: Labels): void {
    const key = formatLabels(labels);
    const isFull = this.#counts.size >= SERIES_MAX && !this.#counts.has(key);
    const counted = isFull ? formatLabels({ ...labels, name: '' }) : key;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
  }

  format(name: string, help: string): string {
    const samples = [...this.#counts].map(([labels, value]) => ({ labels, value }));
    return formatFamily({ name: `${PREFIX}_${name}`, type: 'counter', help }, samples);
  }
}

export class WebhookMeters implements AdmissionMeters {
  readonly #requests = new Counts();
  readonly #rejections = new Counts();
  readonly #failedOpen = new Counts();
  readonly #excluded = new Counts();
  readonly #durations = new Map<string, Histogram>();

  asked(webhook: AskedWebhook, code: number, isRejected: boolean, durationMs: number): void {
    const { name, type, operation } = webhook;
    const rejected = String(isRejected);
    this.#requests.add({ code: shownCode(code), name, operation, rejected, type });
    this.#durationsOf({ name, operation, rejected, type }).observe(durationMs / 1_000);
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

  /** All families in Prometheus' text format. */
  format(): string {
    return (
      this.#formatDurations() +
      this.#failedOpen.format(
        'webhook_fail_open_count',
        'Webhooks that could not be asked and were passed over.',
      ) +
      this.#rejections.format(
        'webhook_rejection_count',
        'Requests that a webhook refused, or that were refused because it could not be asked.',
      ) +
      this.#requests.format('webhook_request_total', 'Calls of admission webhooks.') +
      this.#excluded.format(
        'match_condition_exclusions_total',
        'Webhooks that were not asked because a match condition did not hold.',
      )
    );
  }

  #durationsOf(labels: Labels): Histogram {
    const key = formatLabels(labels);
    const isFull = this.#durations.size >= SERIES_MAX && !this.#durations.has(key);
    const measured = isFull ? formatLabels({ ...labels, name: '' }) : key;
    let histogram = this.#durations.get(measured);
    if (histogram === undefined) {
      histogram = new Histogram(DURATIONS);
      this.#durations.set(measured, histogram);
    }
    return histogram;
  }

  #formatDurations(): string {
    const name = `${PREFIX}_webhook_admission_duration_seconds`;
    const lines = [...this.#durations].map(([labels, one]) => one.format(name, labels)).join('');
    const help = 'How long calls of admission webhooks take, in seconds.';
    return lines === '' ? '' : formatHead(name, 'histogram', help) + lines;
  }
}

function shownCode(code: number): string {
  return String(Math.min(code, CODE_MAX));
}
