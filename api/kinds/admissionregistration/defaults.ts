/**
 * Defaults of webhooks, admission policies and their bindings. Unless they say less, they look at
 * everything in every namespace, in whatever equivalent version.
 *
 * In Kubernetes: SetDefaults_* and SetObjectDefaults_*, pkg/apis/admissionregistration/v1.
 */
import type { MutatingAdmissionPolicyBinding as AlphaBinding } from '../../generated/kinds/admissionregistration-v1alpha1.ts';
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../generated/kinds/admissionregistration-v1.ts';
import { items } from '../../json/go-values.ts';
import { forEachItem } from '../../json/work-in-slices.ts';

const TIMEOUT_SECONDS = 10;
const SERVICE_PORT = 443;

/** Of each webhook. */
export function setValidatingWebhookConfigurationDefaults(
  configuration: ValidatingWebhookConfiguration,
): void {
  forEachItem(items(configuration.webhooks), setWebhookDefaults);
}

/** Of each webhook, which is not called again after others have changed the object. */
export function setMutatingWebhookConfigurationDefaults(
  configuration: MutatingWebhookConfiguration,
): void {
  forEachItem(items(configuration.webhooks), (webhook) => {
    setWebhookDefaults(webhook);
    webhook.reinvocationPolicy ??= 'Never';
  });
}

/** A policy that fails refuses the request. */
export function setValidatingAdmissionPolicyDefaults({ spec }: ValidatingAdmissionPolicy): void {
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec.matchConstraints);
}

/** A policy that fails refuses the request. */
export function setMutatingAdmissionPolicyDefaults({ spec }: MutatingAdmissionPolicy): void {
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec.matchConstraints);
}

/** Of what the binding narrows the policy to. */
export function setAdmissionPolicyBindingDefaults({
  spec,
}: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): void {
  setMatchResourcesDefaults(spec.matchResources);
}

/** In v1alpha1 alone, a binding of a mutating policy whose parameters are missing denies. */
export function setAlphaPolicyBindingDefaults({ spec }: AlphaBinding): void {
  setMatchResourcesDefaults(spec.matchResources);
  if (spec.paramRef !== undefined) spec.paramRef.parameterNotFoundAction ??= 'Deny';
}

function setWebhookDefaults(webhook: MutatingWebhook | ValidatingWebhook): void {
  webhook.failurePolicy ??= 'Fail';
  setMatchPolicyDefaults(webhook);
  webhook.timeoutSeconds ??= TIMEOUT_SECONDS;
  const { service } = webhook.clientConfig;
  if (service !== undefined) service.port ??= SERVICE_PORT;
  setRuleDefaults(webhook.rules);
}

function setMatchResourcesDefaults(match: MatchResources | undefined): void {
  if (match === undefined) return;
  setMatchPolicyDefaults(match);
  setRuleDefaults(match.resourceRules);
  setRuleDefaults(match.excludeResourceRules);
}

function setMatchPolicyDefaults(match: MatchResources | MutatingWebhook | ValidatingWebhook): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
}

function setRuleDefaults(rules: RuleWithOperations[] | undefined): void {
  forEachItem(items(rules), (rule) => {
    rule.scope ??= '*';
  });
}
