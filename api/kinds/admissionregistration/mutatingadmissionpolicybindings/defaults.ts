/**
 * Defaults of a MutatingAdmissionPolicyBinding.
 *
 * In Kubernetes: SetObjectDefaults_MutatingAdmissionPolicyBinding,
 * pkg/apis/admissionregistration/v1.
 */
import type { MutatingAdmissionPolicyBinding } from '../../../generated/kinds/admissionregistration-v1.ts';
import { withObject } from '../../default-field.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setMutatingAdmissionPolicyBindingDefaults(
  binding: MutatingAdmissionPolicyBinding,
): void {
  withObject(binding, 'spec', (spec) => {
    setMatchResourcesDefaults(spec, 'matchResources');
  });
}
