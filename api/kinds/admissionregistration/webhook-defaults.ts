/**
 * Defaults that validating and mutating webhooks share.
 *
 * In Kubernetes: SetDefaults_ValidatingWebhook and SetDefaults_ServiceReference,
 * pkg/apis/admissionregistration/v1.
 */
import type {
  MutatingWebhook,
  ValidatingWebhook,
} from '../../generated/kinds/admissionregistration-v1.ts';
import { setIfAbsent, withObject } from '../default-field.ts';
import { setMatchPolicyDefaults, setRuleDefaults } from './match-defaults.ts';

const TIMEOUT_SECONDS = 10;

export function setWebhookDefaults(webhook: MutatingWebhook | ValidatingWebhook): void {
  webhook.failurePolicy ??= 'Fail';
  setMatchPolicyDefaults(webhook);
  webhook.timeoutSeconds ??= TIMEOUT_SECONDS;
  withObject(webhook, 'clientConfig', (client) => {
    withObject(client, 'service', (service) => {
      setIfAbsent(service, 'port', 443);
    });
  });
  setRuleDefaults(webhook, 'rules');
}
