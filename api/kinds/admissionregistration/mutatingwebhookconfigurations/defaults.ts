/**
 * Defaults of a MutatingWebhookConfiguration.
 *
 * In Kubernetes: SetObjectDefaults_MutatingWebhookConfiguration, pkg/apis/admissionregistration/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { forEachIn, setIfAbsent } from '../../default-field.ts';
import { setWebhookDefaults } from '../webhook-defaults.ts';

export function setMutatingWebhookConfigurationDefaults(configuration: JsonObject): void {
  forEachIn(configuration, 'webhooks', (webhook) => {
    setWebhookDefaults(webhook);
    setIfAbsent(webhook, 'reinvocationPolicy', 'Never');
  });
}
