/**
 * What is counted of admission by webhooks, for whoever shows figures.
 *
 * In Kubernetes: AdmissionMetrics, apiserver/pkg/admission/metrics.
 */
export interface AskedWebhook {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
}

export type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

export interface AdmissionMeters {
  /** A webhook was asked. `code`: 200, that of the refusal or of the failure; 0 for a fault. */
  asked(webhook: AskedWebhook, code: number, isRejected: boolean, durationMs: number): void;
  rejected(webhook: AskedWebhook, cause: RejectionCause, code: number): void;
  /** What is done went on although the webhook could not be asked. */
  failedOpen(webhook: AskedWebhook): void;
  /** The conditions of a webhook or a policy did not hold. */
  excluded(webhook: AskedWebhook): void;
}
