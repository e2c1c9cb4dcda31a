/**
 * Four plug-ins about signers of certificates, whose names stand in `signerName`; and what upstream asks
 * of the signer of a pod's certificate, which cannot be switched off.
 *
 * In Kubernetes: plugin/pkg/admission/certificates/{approval,signing,subjectrestriction,ctbattest},
 * pkg/certauthorization, and StatusStrategy of registry/certificates/podcertificaterequest.
 */
import type { CertificateSigningRequest } from '../../../api/generated/kinds/certificates-v1.ts';
import { stepFor } from '../kind-steps.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { type AdmissionAttributes, refusedAt } from '../admission-attributes.ts';
import { type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { forbiddenField } from '../../../api/field/field-errors.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { AdmissionStep, ValidatingPlugin } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import { requestSubject } from '../../../api/kinds/certificates/certificate-request.ts';
import { invalid } from '../../../api/meta/status.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';

const REQUESTS = 'certificates.k8s.io/v1/certificatesigningrequests';

async function maySpeakFor(
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

/** A user that approves a request must be allowed to `approve` for its signer. */
export function certificateApproval({
  authorizer,
}: Pick<AdmissionWorld, 'authorizer'>): ValidatingPlugin {
  return {
    name: 'CertificateApproval',
    validatesAt: stepFor(`${REQUESTS}/approval`, ['UPDATE'], async (attributes) => {
      // Of the object as it was: a client that names another signer beside approving it is refused later.
      const { signerName: signer } = attributes.oldObject.spec;
      if (await maySpeakFor(authorizer, attributes, { verb: 'approve', signer })) return undefined;
      const why = `user not permitted to approve requests with signerName ${goQuote(signer)}`;
      return refusedAt(attributes, why);
    }),
  };
}

/**
 * A user that puts a certificate into a request, or changes its conditions, must be allowed to
 * `sign` for its signer.
 */
export function certificateSigning({
  authorizer,
}: Pick<AdmissionWorld, 'authorizer'>): ValidatingPlugin {
  return {
    name: 'CertificateSigning',
    validatesAt: stepFor(`${REQUESTS}/status`, ['UPDATE'], async (attributes) => {
      const { object, oldObject } = attributes;
      if (sameValue(signedPart(object), signedPart(oldObject))) return undefined;
      const { signerName: signer } = oldObject.spec;
      if (await maySpeakFor(authorizer, attributes, { verb: 'sign', signer })) return undefined;
      const why = `user not permitted to sign requests with signerName ${goQuote(signer)}`;
      return refusedAt(attributes, why);
    }),
  };
}

/**
 * A user that writes the status of a request for a pod's certificate must be allowed to `sign` for its
 * signer. Upstream it is a rule of the kind: the answer is that of an object that is not valid.
 */
export function podCertificateSigning({
  authorizer,
}: Pick<AdmissionWorld, 'authorizer'>): ValidatingPlugin {
  const path = 'certificates.k8s.io/v1beta1/podcertificaterequests/status';
  return {
    name: 'PodCertificateSigning',
    validatesAt: stepFor(path, ['UPDATE'], async (attributes) => {
      const { object, oldObject, request, served, name } = attributes;
      if (sameValue(object.status, oldObject.status)) return undefined;
      const { signerName: signer } = oldObject.spec;
      if (await maySpeakFor(authorizer, attributes, { verb: 'sign', signer })) return undefined;
      const user = goQuote(request.user.name);
      const why = `User ${user} is not permitted to "sign" for signer ${goQuote(signer)}`;
      const { group, kind } = served.definition.storageFacts;
      return invalid({ group, resource: kind }, name, [forbiddenField('spec.signerName', why)]);
    }),
  };
}

/** No certificate and an empty one are the same, and so are no conditions. */
function signedPart({ status }: CertificateSigningRequest): JsonObject {
  return { certificate: status.certificate ?? '', conditions: status.conditions ?? [] };
}

const SIGNER = 'kubernetes.io/kube-apiserver-client';
const ALMIGHTY = 'system:masters';

/**
 * No client asks the control plane's own signer for a certificate of the group that may do
 * everything.
 */
export function certificateSubjectRestriction(): ValidatingPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    validatesAt: stepFor(REQUESTS, ['CREATE'], (attributes) => {
      const { spec } = attributes.object;
      if (spec.signerName !== SIGNER) return undefined;
      const read = requestSubject(spec.request ?? '');
      if (!read.ok) return refusedAt(attributes, `failed to parse CSR: ${read.why}`);
      if (!read.subject.organizations.includes(ALMIGHTY)) return undefined;
      const why = `use of ${SIGNER} signer with ${ALMIGHTY} group is not allowed`;
      return refusedAt(attributes, why);
    }),
  };
}

/** Where no flag turns them on, a definition may serve them, so their objects are read by key. */
const BUNDLES = 'certificates.k8s.io/clustertrustbundles';

/**
 * A user that writes a signer's trust anchors must be allowed to `attest` for it; a bundle of no
 * signer is free.
 */
export function clusterTrustBundleAttest({
  authorizer,
}: Pick<AdmissionWorld, 'authorizer'>): ValidatingPlugin {
  const validate: AdmissionStep = async (attributes) => {
    const { object, oldObject, operation } = attributes;
    // Another signer is refused later, so the new object says enough.
    const signer = stringAt(objectAt(object, 'spec'), 'signerName');
    if (signer === '' || object === undefined) return undefined;
    const isTidying = operation === 'UPDATE' && isSameButForTidying(object, oldObject);
    if (isTidying) return undefined;
    if (await maySpeakFor(authorizer, attributes, { verb: 'attest', signer })) return undefined;
    const why = `user not permitted to attest for signerName ${goQuote(signer)}`;
    return refusedAt(attributes, why);
  };
  return {
    name: 'ClusterTrustBundleAttest',
    validatesAt({ served, operation }) {
      const isWrite = operation === 'CREATE' || operation === 'UPDATE';
      return isWrite && served.definition.storage === BUNDLES ? validate : undefined;
    },
  };
}

/** Garbage collection changes owners and finalizers only. In Kubernetes: IsOnlyMutatingGCFields. */
function isSameButForTidying(object: KubeObject, old: KubeObject | undefined): boolean {
  return old !== undefined && sameValue(withoutTidied(object), withoutTidied(old));
}

function withoutTidied(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata };
  for (const key of ['ownerReferences', 'finalizers', 'managedFields', 'resourceVersion']) {
    Reflect.deleteProperty(metadata, key);
  }
  return { ...object, metadata };
}
