/**
 * What a node may read because of what runs on it: the objects that a pod speaks of, and the secrets
 * that a volume needs.
 *
 * In Kubernetes: Graph.AddPod, plugin/pkg/auth/authorizer/node; VisitPodConfigmapNames,
 * pkg/api/v1/pod; VisitPVSecretNames, pkg/api/v1/persistentvolume.
 */
import { objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { containersOf, secretNamesOf } from '../../../api/kinds/pod-spec/pod-parts.ts';
import { objectsAt } from '../../../api/kinds/rules/value-validation.ts';

/** Resources whose objects belong to a node through a pod. */
export type Referenced =
  | 'pods'
  | 'secrets'
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'serviceaccounts'
  | 'resourceclaims'
  | 'volumeattachments'
  | 'resourceslices';

export interface Reference {
  readonly resource: Referenced;
  readonly name: string;
}

const MIRROR = 'kubernetes.io/config.mirror';

/** Of the pod's namespace. A node must not give itself rights by a mirror pod, so that has none. */
export function podReferences(pod: JsonObject): readonly Reference[] {
  const annotations = objectAt(objectAt(pod, 'metadata'), 'annotations') ?? {};
  if (Object.hasOwn(annotations, MIRROR)) return [];
  const spec = objectAt(pod, 'spec') ?? {};
  return [
    ...named('serviceaccounts', [stringAt(spec, 'serviceAccountName')]),
    ...named('secrets', secretNamesOf(spec)),
    ...named('configmaps', configMapNames(spec)),
    ...named('persistentvolumeclaims', claimNames(pod, spec)),
    ...named('resourceclaims', resourceClaimNames(pod, spec)),
  ];
}

function named(resource: Referenced, names: readonly string[]): Reference[] {
  return names.filter((name) => name !== '').map((name) => ({ resource, name }));
}

function configMapNames(spec: JsonObject): string[] {
  const inContainers = containersOf(spec).flatMap((container) => [
    ...objectsAt(container, 'envFrom').map((one) => nameAt(one, 'configMapRef')),
    ...objectsAt(container, 'env').map((one) =>
      nameAt(objectAt(one, 'valueFrom'), 'configMapKeyRef'),
    ),
  ]);
  const inVolumes = objectsAt(spec, 'volumes').flatMap((volume) => {
    const projected = objectAt(volume, 'projected');
    if (projected === undefined) return [nameAt(volume, 'configMap')];
    return objectsAt(projected, 'sources').map((one) => nameAt(one, 'configMap'));
  });
  return [...inContainers, ...inVolumes];
}

function claimNames(pod: JsonObject, spec: JsonObject): string[] {
  const own = stringAt(objectAt(pod, 'metadata'), 'name');
  return objectsAt(spec, 'volumes').map((volume) => {
    const claim = objectAt(volume, 'persistentVolumeClaim');
    if (claim !== undefined) return stringAt(claim, 'claimName');
    const isEphemeral = objectAt(volume, 'ephemeral') !== undefined;
    return isEphemeral ? `${own}-${stringAt(volume, 'name')}` : '';
  });
}

function resourceClaimNames(pod: JsonObject, spec: JsonObject): string[] {
  const status = objectAt(pod, 'status');
  const made = objectsAt(status, 'resourceClaimStatuses');
  const names = objectsAt(spec, 'resourceClaims').map((claim) => {
    const name = claim['resourceClaimName'];
    if (typeof name === 'string') return name;
    if (typeof claim['resourceClaimTemplateName'] !== 'string') return '';
    const its = made.find((one) => stringAt(one, 'name') === stringAt(claim, 'name'));
    return stringAt(its, 'resourceClaimName');
  });
  const extended = objectAt(status, 'extendedResourceClaimStatus');
  return [...names, stringAt(extended, 'resourceClaimName')];
}

function nameAt(parent: JsonObject | undefined, key: string): string {
  return stringAt(objectAt(parent, key), 'name');
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Volume sources whose secret may lie in the namespace of the claim. */
const IN_CLAIM_NAMESPACE = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'];
const ELSEWHERE = ['cinder', 'storageos'];
/** Others are for controllers. */
const CSI_OF_NODES = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'];

/** The secrets that a node needs for the volume. */
export function volumeSecrets(spec: JsonObject): readonly SecretName[] {
  const claimed = stringAt(objectAt(spec, 'claimRef'), 'namespace');
  const azure = objectAt(spec, 'azureFile');
  const csi = objectAt(spec, 'csi');
  const found = [
    {
      namespace: stringAt(azure, 'secretNamespace') || claimed,
      name: stringAt(azure, 'secretName'),
    },
    ...IN_CLAIM_NAMESPACE.map((key) => secretAt(objectAt(spec, key), 'secretRef', claimed)),
    ...ELSEWHERE.map((key) => secretAt(objectAt(spec, key), 'secretRef', '')),
    ...CSI_OF_NODES.map((key) => secretAt(csi, key, '')),
  ];
  return found.filter(({ name }) => name !== '');
}

function secretAt(source: JsonObject | undefined, key: string, otherwise: string): SecretName {
  const reference = objectAt(source, key);
  return {
    namespace: stringAt(reference, 'namespace') || otherwise,
    name: stringAt(reference, 'name'),
  };
}
