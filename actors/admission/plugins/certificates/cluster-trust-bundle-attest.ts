/**
 * ClusterTrustBundleAttest: who says what a signer's anchors of trust are must be allowed to for it.
 *
 * In Kubernetes: plugin/pkg/admission/certificates/ctbattest.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { maySpeakFor } from './signer-permission.ts';

const BUNDLES = 'certificates.k8s.io/clustertrustbundles';

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
