/**
 * Defaults of a ValidatingWebhookConfiguration.
 *
 * In Kubernetes: SetObjectDefaults_ValidatingWebhookConfiguration,
 * pkg/apis/admissionregistration/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { ValidatingWebhookConfiguration } from '../../../generated/kinds/admissionregistration-v1.ts';
import { setWebhookDefaults } from '../webhook-defaults.ts';

export function setValidatingWebhookConfigurationDefaults(
  configuration: ValidatingWebhookConfiguration,
): void {
  forEachItem(items(configuration.webhooks), setWebhookDefaults);
}
