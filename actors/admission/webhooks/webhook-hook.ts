/**
 * One webhook of a configuration, compiled: where it wants to be asked, and how.
 *
 * In Kubernetes: WebhookAccessor, apiserver/pkg/admission/plugin/webhook/accessors.go.
 */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../api/generated/kinds/admissionregistration-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { webhookTargetOf, type WebhookTarget } from '../../../api/kinds/custom/webhook-client.ts';
import {
  compileConditions,
  type FailurePolicy,
  type MatchConditions,
} from '../expressions/match-conditions.ts';
import { compileSelection, type ObjectSelection } from '../matching/match-resources.ts';
import { compileRule, type MatchPolicy, type ResourceRule } from '../matching/resource-rules.ts';
import { reviewVersion, type ReviewVersion } from './admission-review.ts';

export interface WebhookHook {
  readonly configuration: string;
  /** As messages and figures call it: `check.example.com`. */
  readonly name: string;
  /** Unlike all others of this control plane, and the same as long as the configuration is. */
  readonly uid: string;
  /** Its place among all that there are. */
  readonly index: number;
  readonly rules: readonly ResourceRule[];
  readonly matchPolicy: MatchPolicy;
  readonly selection: ObjectSelection;
  readonly conditions: MatchConditions;
  readonly failurePolicy: FailurePolicy;
  readonly timeoutMs: number;
  /** Whether it may be asked about what is not meant to be done. */
  readonly takesDryRuns: boolean;
  readonly isReinvoked: boolean;
  /** Of a MutatingWebhookConfiguration. */
  readonly isMutating: boolean;
  /** undefined: it speaks none that is spoken here. */
  readonly version: ReviewVersion | undefined;
  readonly target: WebhookTarget;
}

/** @param configuration as it is stored, of either kind. */
export function compileHooks(
  configuration: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
): Omit<WebhookHook, 'index'>[] {
  const { name = '' } = configuration.metadata;
  const isMutating = configuration.kind === 'MutatingWebhookConfiguration';
  const seen = new Map<string, number>();
  return items<MutatingWebhook | ValidatingWebhook>(configuration.webhooks).map((webhook) => {
    const hook = webhook.name;
    const count = seen.get(hook) ?? 0;
    seen.set(hook, count + 1);
    const uid = `${name}/${hook}/${String(count)}`;
    return { ...compileHook(webhook), configuration: name, name: hook, uid, isMutating };
  });
}

function compileHook(
  webhook: MutatingWebhook | ValidatingWebhook,
): Omit<WebhookHook, 'index' | 'configuration' | 'name' | 'uid' | 'isMutating'> {
  const { sideEffects, timeoutSeconds = 10 } = webhook;
  return {
    rules: items(webhook.rules).map(compileRule),
    matchPolicy: webhook.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
    selection: compileSelection(webhook),
    conditions: compileConditions(webhook.matchConditions),
    failurePolicy: webhook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutMs: timeoutSeconds * 1_000,
    takesDryRuns: sideEffects === 'None' || sideEffects === 'NoneOnDryRun',
    isReinvoked: 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded',
    version: reviewVersion(items(webhook.admissionReviewVersions)),
    target: webhookTargetOf(webhook.clientConfig),
  };
}
