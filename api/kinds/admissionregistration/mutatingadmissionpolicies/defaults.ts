/**
 * Defaults of a MutatingAdmissionPolicy.
 *
 * In Kubernetes: SetObjectDefaults_MutatingAdmissionPolicy, pkg/apis/admissionregistration/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, structAt } from '../../default-field.ts';
import { setMatchResourcesDefaults } from '../match-defaults.ts';

export function setMutatingAdmissionPolicyDefaults(policy: JsonObject): void {
  const spec = structAt(policy, 'spec');
  setIfAbsent(spec, 'failurePolicy', 'Fail');
  setMatchResourcesDefaults(spec, 'matchConstraints');
}
