/**
 * Defaults of a ValidatingAdmissionPolicy.
 *
 * In Kubernetes: SetObjectDefaults_ValidatingAdmissionPolicy, pkg/apis/admissionregistration/v1.
 */
import type { ValidatingAdmissionPolicy } from '../../../generated/kinds/admissionregistration-v1.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setValidatingAdmissionPolicyDefaults(policy: ValidatingAdmissionPolicy): void {
  const spec = policy.spec;
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec, 'matchConstraints');
}
