/**
 * CertificateSigning: who puts a certificate into a request must be allowed to sign for its signer.
 *
 * In Kubernetes: plugin/pkg/admission/certificates/signing.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { maySpeakFor } from './signer-permission.ts';

const REQUESTS = 'certificates.k8s.io/certificatesigningrequests';

export function certificateSigning({
  authorizer,
}: Pick<AdmissionWorld, 'authorizer'>): ValidatingPlugin {
  const validate: AdmissionStep = async (attributes) => {
    const { object, oldObject } = attributes;
    if (sameValue(signedPart(object), signedPart(oldObject))) return undefined;
    const signer = stringAt(objectAt(oldObject, 'spec'), 'signerName');
    if (await maySpeakFor(authorizer, attributes, { verb: 'sign', signer })) return undefined;
    const why = `user not permitted to sign requests with signerName ${goQuote(signer)}`;
    return refusedAt(attributes, why);
  };
  return {
    name: 'CertificateSigning',
    validatesAt({ served, operation, subresource }) {
      const isStatus = operation === 'UPDATE' && subresource === 'status';
      return isStatus && served.definition.storage === REQUESTS ? validate : undefined;
    },
  };
}

/** No certificate and an empty one are the same, and so are no conditions. */
function signedPart(request: JsonObject | undefined): JsonObject {
  const status = objectAt(request, 'status');
  return { certificate: stringAt(status, 'certificate'), conditions: status?.['conditions'] ?? [] };
}
