/**
 * Defaults of a ValidatingAdmissionPolicyBinding.
 *
 * In Kubernetes: SetObjectDefaults_ValidatingAdmissionPolicyBinding,
 * pkg/apis/admissionregistration/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { withObject } from '../../default-field.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setValidatingAdmissionPolicyBindingDefaults(binding: JsonObject): void {
  withObject(binding, 'spec', (spec) => {
    setMatchResourcesDefaults(spec, 'matchResources');
  });
}
