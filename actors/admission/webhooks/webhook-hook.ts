/**
 * One webhook of a configuration, compiled: where it wants to be asked, and how.
 *
 * In Kubernetes: WebhookAccessor, apiserver/pkg/admission/plugin/webhook/accessors.go.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/json/json.ts';
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
export function compileHooks(configuration: JsonObject): Omit<WebhookHook, 'index'>[] {
  const name = stringAt(objectAt(configuration, 'metadata'), 'name');
  const isMutating = stringAt(configuration, 'kind') === 'MutatingWebhookConfiguration';
  const seen = new Map<string, number>();
  return listAt(configuration, 'webhooks')
    .filter(isJsonObject)
    .map((webhook) => {
      const hook = stringAt(webhook, 'name');
      const count = seen.get(hook) ?? 0;
      seen.set(hook, count + 1);
      const uid = `${name}/${hook}/${String(count)}`;
      return { ...compileHook(webhook), configuration: name, name: hook, uid, isMutating };
    });
}

function compileHook(
  webhook: JsonObject,
): Omit<WebhookHook, 'index' | 'configuration' | 'name' | 'uid' | 'isMutating'> {
  const sideEffects = stringAt(webhook, 'sideEffects');
  return {
    rules: listAt(webhook, 'rules').filter(isJsonObject).map(compileRule),
    matchPolicy: stringAt(webhook, 'matchPolicy') === 'Exact' ? 'Exact' : 'Equivalent',
    selection: compileSelection(webhook),
    conditions: compileConditions(webhook),
    failurePolicy: stringAt(webhook, 'failurePolicy') === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutMs: Number(webhook['timeoutSeconds'] ?? 10) * 1_000,
    takesDryRuns: sideEffects === 'None' || sideEffects === 'NoneOnDryRun',
    isReinvoked: stringAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
    version: reviewVersion(listAt(webhook, 'admissionReviewVersions')),
    target: webhookTargetOf(objectAt(webhook, 'clientConfig')),
  };
}
