/**
 * Whether a user may do something in the name of a signer of certificates, or of all signers of its
 * domain.
 *
 * In Kubernetes: IsAuthorizedForSignerName, pkg/certauthorization.
 */
import type { Authorizer } from '../../../authorization/authorizer.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';

export async function maySpeakFor(
  authorizer: Authorizer,
  { request: { user, info } }: AdmissionAttributes,
  { verb, signer }: { readonly verb: 'approve' | 'sign' | 'attest'; readonly signer: string },
): Promise<boolean> {
  const [domain = ''] = signer.split('/');
  for (const name of [signer, `${domain}/*`]) {
    const asked = {
      ...info,
      ...{ isResourceRequest: true, verb, name, namespace: '', subresource: '' },
      ...{ apiGroup: 'certificates.k8s.io', apiVersion: '*', resource: 'signers' },
      ...{ fieldSelector: '', labelSelector: '' },
    };
    const decision = await authorizer.authorize({ user, request: asked });
    if (decision.verdict === 'allow') return true;
  }
  return false;
}
