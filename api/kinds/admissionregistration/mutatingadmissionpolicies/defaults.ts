/**
 * Defaults of a MutatingAdmissionPolicy.
 *
 * In Kubernetes: SetObjectDefaults_MutatingAdmissionPolicy, pkg/apis/admissionregistration/v1.
 */
import type { MutatingAdmissionPolicy } from '../../../generated/kinds/admissionregistration-v1.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setMutatingAdmissionPolicyDefaults(policy: MutatingAdmissionPolicy): void {
  const spec = policy.spec;
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec, 'matchConstraints');
}
