/**
 * Defaults of a MutatingWebhookConfiguration.
 *
 * In Kubernetes: SetObjectDefaults_MutatingWebhookConfiguration, pkg/apis/admissionregistration/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { MutatingWebhookConfiguration } from '../../../generated/kinds/admissionregistration-v1.ts';
import { setWebhookDefaults } from '../webhook-defaults.ts';

export function setMutatingWebhookConfigurationDefaults(
  configuration: MutatingWebhookConfiguration,
): void {
  forEachItem(items(configuration.webhooks), (webhook) => {
    setWebhookDefaults(webhook);
    webhook.reinvocationPolicy ??= 'Never';
  });
}
