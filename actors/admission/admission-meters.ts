/**
 * What is counted and measured of admission, for the metrics.
 *
 * In Kubernetes: apiserver/pkg/admission/metrics, the metrics of its policies, and those of
 * k8s.io/pod-security-admission.
 */
import type { AdmissionOperation } from './admission-attributes.ts';
import type { LevelVersion } from './pod-security/levels.ts';

/** The phases under the names that upstream's label `type` has for them: mutating is `admit`. */
export type AdmissionPhase = 'admit' | 'validate';

/**
 * The labels of a call to a webhook; of mutating webhooks the `type` is `admit`, of validating ones
 * `validating`.
 */
export interface AskedWebhook {
  /** `name` of the entry in its configuration. */
  readonly name: string;
  /** The phase, in upstream's words. */
  readonly type: 'admit' | 'validating';
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
}

/** Why a request was refused; `no_error`: the webhook answered, and its answer was no. */
export type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

/** Figures of single webhooks: `apiserver_admission_webhook_*`. Durations are in milliseconds. */
export interface WebhookMeters {
  /** A webhook was asked. `code`: 200, that of the refusal or of the failure; 0 for a fault. */
  asked(webhook: AskedWebhook, code: number, isRejected: boolean, durationMs: number): void;
  /** The request is refused; `code` as in {@link asked}. */
  rejected(webhook: AskedWebhook, cause: RejectionCause, code: number): void;
  /** What is done went on although the webhook could not be asked. */
  failedOpen(webhook: AskedWebhook): void;
  /** The conditions of a webhook did not hold. */
  excluded(webhook: AskedWebhook): void;
  /** One was not asked, since its certificate is of a kind that is not accepted any more. */
  deprecatedCertificate(problem: 'missing_san' | 'insecure_sha1'): void;
}

/** Whose conditions were evaluated. */
export interface ConditionsOwner {
  /** Of the webhook or the policy. */
  readonly name: string;
  /** Which metric counts it. */
  readonly kind: 'webhook' | 'policy';
  /** The phase. */
  readonly type: AdmissionPhase;
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
}

/**
 * The label `error_type` of checks of policies; `out_of_budget`: expressions cost more than they
 * may.
 */
export type PolicyErrorType = 'compile_error' | 'invalid_error' | 'no_error' | 'out_of_budget';

/** The labels of one check; `policy` and `binding` are names of objects. */
export interface CheckedPolicy {
  /** `metadata.name` of the policy. */
  readonly policy: string;
  /** `metadata.name` of the binding. */
  readonly binding: string;
  /** Why the check could not be made; `no_error` where it was. */
  readonly errorType: PolicyErrorType;
}

/** Figures of policies and of match conditions. Durations are in milliseconds. */
export interface PolicyMeters {
  /** Conditions that did not all hold, with how many of them failed. */
  conditionsEvaluated(owner: ConditionsOwner, errors: number, durationMs: number): void;
  /** What followed from what a validating policy found. */
  validated(
    checked: CheckedPolicy,
    action: 'allow' | 'audit' | 'deny' | 'warn',
    durationMs: number,
  ): void;
  /** A mutation of a policy was evaluated and applied, or could not be. */
  mutated(checked: CheckedPolicy, durationMs: number): void;
}

/**
 * What was judged: a pod, an object with a pod template (`controller`), or the labels of a
 * namespace.
 */
export interface PodSecurityPlace {
  /** Of the write; namespaces are counted too. */
  readonly operation: AdmissionOperation;
  /** Which of the three it was. */
  readonly resource: 'controller' | 'namespace' | 'pod';
  /** '' for the object itself. */
  readonly subresource: string;
}

/** The counters `pod_security_*` of one place; each call adds one. */
export interface PodSecurityMeters {
  /** One judgement of a pod by one level in one mode. */
  evaluated(
    decision: 'allow' | 'deny',
    level: LevelVersion,
    mode: 'audit' | 'enforce' | 'warn',
  ): void;
  /** The policy did not look, because user, namespace or runtime class is exempt. */
  exempted(): void;
  /** `isFatal`: it was decided without looking at the pod. */
  failed(isFatal: boolean): void;
}

/**
 * Takes one measurement into a histogram that is known already, so that it costs no lookup of
 * labels.
 */
export type ObserveDuration = (durationMs: number, isRejected: boolean) => void;

export interface AdmissionMeters {
  /** Calls to webhooks. */
  readonly webhooks: WebhookMeters;
  /** Checks of policies in CEL. */
  readonly policies: PolicyMeters;
  /** Milliseconds from anywhere, with fractions. */
  now(): number;
  /** Asked for once for each phase and operation; undefined: of a whole phase. */
  durationsOf(
    plugin: string | undefined,
    type: AdmissionPhase,
    operation: AdmissionOperation,
  ): ObserveDuration;
  /** Asked for once for each place. */
  podSecurityAt(place: PodSecurityPlace): PodSecurityMeters;
}
