/**
 * CertificateSubjectRestriction: no client asks the control plane's own signer for a certificate of the
 * group that may do everything.
 *
 * In Kubernetes: plugin/pkg/admission/certificates/subjectrestriction.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import { requestSubject } from '../../../../api/kinds/certificates/certificatesigningrequests/request-subject.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { isItself } from '../../places.ts';

const REQUESTS = 'certificates.k8s.io/certificatesigningrequests';
const SIGNER = 'kubernetes.io/kube-apiserver-client';
const ALMIGHTY = 'system:masters';

export function certificateSubjectRestriction(): ValidatingPlugin {
  const validate: AdmissionStep = (attributes) => {
    const spec = objectAt(attributes.object, 'spec');
    if (stringAt(spec, 'signerName') !== SIGNER) return undefined;
    const read = requestSubject(stringAt(spec, 'request'));
    if (!read.ok) return refusedAt(attributes, `failed to parse CSR: ${read.why}`);
    if (!read.subject.organizations.includes(ALMIGHTY)) return undefined;
    const why = `use of ${SIGNER} signer with ${ALMIGHTY} group is not allowed`;
    return refusedAt(attributes, why);
  };
  return {
    name: 'CertificateSubjectRestriction',
    validatesAt: (place) => (isItself(place, REQUESTS, 'CREATE') ? validate : undefined),
  };
}
