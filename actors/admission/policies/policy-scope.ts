/**
 * What policies are never asked about: themselves, and reviews of who a user is and what the user
 * may do, without which nothing works.
 *
 * In Kubernetes: pkg/kubeapiserver/admission/exclusion, and policy/generic/plugin.go.
 */
import type { AdmissionPlace } from '../admission-attributes.ts';

const EXCLUDED: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
]);

export function isOutOfScope({ served: { facts } }: AdmissionPlace): boolean {
  return EXCLUDED.has(`${facts.group}/${facts.resource}`);
}
