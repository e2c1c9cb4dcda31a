/**
 * Defaults of a ResourceClaimTemplate.
 *
 * In Kubernetes: SetObjectDefaults_ResourceClaimTemplate, pkg/apis/resource/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { withObject } from '../../default-field.ts';
import { setDeviceRequestDefaults } from '../device-request-defaults.ts';

export function setResourceClaimTemplateDefaults(template: JsonObject): void {
  withObject(template, 'spec', (spec) => {
    withObject(spec, 'spec', setDeviceRequestDefaults);
  });
}
