/**
 * Defaults of a MutatingAdmissionPolicyBinding.
 *
 * In Kubernetes: SetObjectDefaults_MutatingAdmissionPolicyBinding,
 * pkg/apis/admissionregistration/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { withObject } from '../../default-field.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setMutatingAdmissionPolicyBindingDefaults(binding: JsonObject): void {
  withObject(binding, 'spec', (spec) => {
    setMatchResourcesDefaults(spec, 'matchResources');
  });
}
