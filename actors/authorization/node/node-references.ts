/**
 * What a node may read because of what runs on it: the objects that a pod speaks of, and the secrets
 * that a volume needs.
 *
 * In Kubernetes: Graph.AddPod, plugin/pkg/auth/authorizer/node; VisitPodConfigmapNames,
 * pkg/api/v1/pod; VisitPVSecretNames, pkg/api/v1/persistentvolume.
 */
import type {
  Container,
  PersistentVolumeSpec,
  Pod,
  PodSpec,
} from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { CONTAINER_LISTS, secretNamesOf } from '../../../api/kinds/pod-spec/pod-parts.ts';

/** Resources whose objects belong to a node through a pod. */
export type Referenced =
  | 'pods'
  | 'secrets'
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'serviceaccounts'
  | 'resourceclaims'
  | 'volumeattachments'
  | 'podcertificaterequests'
  | 'resourceslices';

export interface Reference {
  readonly resource: Referenced;
  readonly name: string;
}

const MIRROR = 'kubernetes.io/config.mirror';

/** Of the pod's namespace. A node must not give itself rights by a mirror pod, so that has none. */
export function podReferences(pod: Pod): readonly Reference[] {
  const { metadata, spec } = pod;
  if (Object.hasOwn(metadata.annotations ?? {}, MIRROR)) return [];
  return [
    ...named('serviceaccounts', [spec.serviceAccountName]),
    ...named('secrets', secretNamesOf(spec)),
    ...named('configmaps', configMapNames(spec)),
    ...named('persistentvolumeclaims', claimNames(pod)),
    ...named('resourceclaims', resourceClaimNames(pod)),
  ];
}

function named(resource: Referenced, names: readonly (string | undefined)[]): Reference[] {
  return names.flatMap((name) => (name === undefined || name === '' ? [] : [{ resource, name }]));
}

function configMapNames(spec: PodSpec): (string | undefined)[] {
  const containers = CONTAINER_LISTS.flatMap((list): readonly ConfigMapUser[] => items(spec[list]));
  const inContainers = containers.flatMap(({ envFrom, env }) => [
    ...items(envFrom).map(({ configMapRef }) => configMapRef?.name),
    ...items(env).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ]);
  const inVolumes = items(spec.volumes).flatMap(({ projected, configMap }) =>
    projected === undefined
      ? [configMap?.name]
      : items(projected.sources).map((source) => source.configMap?.name),
  );
  return [...inContainers, ...inVolumes];
}

type ConfigMapUser = Pick<Container, 'env' | 'envFrom'>;

function claimNames({ metadata, spec }: Pod): (string | undefined)[] {
  return items(spec.volumes).map(({ name, persistentVolumeClaim: claim, ephemeral }) => {
    if (claim !== undefined) return claim.claimName;
    return ephemeral === undefined ? undefined : `${metadata.name ?? ''}-${name}`;
  });
}

function resourceClaimNames({ spec, status }: Pod): (string | undefined)[] {
  const made = items(status.resourceClaimStatuses);
  const names = items(spec.resourceClaims).map((claim) => {
    if (claim.resourceClaimName !== undefined) return claim.resourceClaimName;
    if (claim.resourceClaimTemplateName === undefined) return undefined;
    return made.find(({ name }) => name === claim.name)?.resourceClaimName;
  });
  return [...names, status.extendedResourceClaimStatus?.resourceClaimName];
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Volume sources whose secret may lie in the namespace of the claim. */
const IN_CLAIM_NAMESPACE = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'] as const;
const ELSEWHERE = ['cinder', 'storageos'] as const;
/** Others are for controllers. */
const CSI_OF_NODES = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const;

/** The secrets that a node needs for the volume. */
export function volumeSecrets(spec: Partial<PersistentVolumeSpec>): readonly SecretName[] {
  const { azureFile: azure, csi, claimRef } = spec;
  const claimed = claimRef?.namespace ?? '';
  const found = [
    { namespace: azure?.secretNamespace || claimed, name: azure?.secretName ?? '' },
    ...IN_CLAIM_NAMESPACE.map((key) => secretAt(spec[key]?.secretRef, claimed)),
    ...ELSEWHERE.map((key) => secretAt(spec[key]?.secretRef, '')),
    ...CSI_OF_NODES.map((key) => secretAt(csi?.[key], '')),
  ];
  return found.filter(({ name }) => name !== '');
}

function secretAt(
  reference: Partial<SecretName> | null | undefined,
  otherwise: string,
): SecretName {
  return { namespace: reference?.namespace || otherwise, name: reference?.name ?? '' };
}
