/**
 * Defaults of a ValidatingAdmissionPolicyBinding.
 *
 * In Kubernetes: SetObjectDefaults_ValidatingAdmissionPolicyBinding,
 * pkg/apis/admissionregistration/v1.
 */
import type { ValidatingAdmissionPolicyBinding } from '../../../generated/kinds/admissionregistration-v1.ts';
import { withObject } from '../../default-field.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setValidatingAdmissionPolicyBindingDefaults(
  binding: ValidatingAdmissionPolicyBinding,
): void {
  withObject(binding, 'spec', (spec) => {
    setMatchResourcesDefaults(spec, 'matchResources');
  });
}
