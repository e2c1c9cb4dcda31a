/**
 * CertificateApproval: who approves a request for a certificate must be allowed to for its signer.
 *
 * In Kubernetes: plugin/pkg/admission/certificates/approval.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { maySpeakFor } from './signer-permission.ts';

const REQUESTS = 'certificates.k8s.io/certificatesigningrequests';

export function certificateApproval({
  authorizer,
}: Pick<AdmissionWorld, 'authorizer'>): ValidatingPlugin {
  const validate: AdmissionStep = async (attributes) => {
    // Of the object as it was: a client that names another signer beside approving it is refused later.
    const signer = stringAt(objectAt(attributes.oldObject, 'spec'), 'signerName');
    if (await maySpeakFor(authorizer, attributes, { verb: 'approve', signer })) return undefined;
    const why = `user not permitted to approve requests with signerName ${goQuote(signer)}`;
    return refusedAt(attributes, why);
  };
  return {
    name: 'CertificateApproval',
    validatesAt({ served, operation, subresource }) {
      const isApproval = operation === 'UPDATE' && subresource === 'approval';
      return isApproval && served.definition.storage === REQUESTS ? validate : undefined;
    },
  };
}
