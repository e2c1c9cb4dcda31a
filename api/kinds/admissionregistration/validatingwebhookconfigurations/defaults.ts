/**
 * Defaults of a ValidatingWebhookConfiguration.
 *
 * In Kubernetes: SetObjectDefaults_ValidatingWebhookConfiguration,
 * pkg/apis/admissionregistration/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { forEachIn } from '../../default-field.ts';
import { setWebhookDefaults } from '../webhook-defaults.ts';

export function setValidatingWebhookConfigurationDefaults(configuration: JsonObject): void {
  forEachIn(configuration, 'webhooks', setWebhookDefaults);
}
