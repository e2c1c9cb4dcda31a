/** Ways to walk through a pod that several plug-ins go. */
import type {
  Container,
  EphemeralContainer,
  PodSpec,
  Volume,
} from '../../generated/kinds/core-v1.ts';
import { items } from '../../json/go-values.ts';

/** The fields of a pod spec that hold containers. */
export type ContainerList = 'initContainers' | 'containers' | 'ephemeralContainers';

/** In the order in which upstream visits them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** A container of any of the lists. */
export type AnyContainer = Container | EphemeralContainer;

/** Of all lists, or of those that are named, in their order; the objects themselves. */
export function containersOf(
  spec: PodSpec,
  lists: readonly ContainerList[] = CONTAINER_LISTS,
): AnyContainer[] {
  return lists.flatMap((list): readonly AnyContainer[] => items(spec[list]));
}

type Name = string | undefined;

/** The secrets that each source of a volume names; undefined: the volume has no such source. */
const SECRETS_OF_SOURCES: readonly ((volume: Volume) => readonly Name[] | undefined)[] = [
  ({ azureFile: from }) => from && [from.secretName],
  ({ cephfs: from }) => from && [from.secretRef?.name],
  ({ cinder: from }) => from && [from.secretRef?.name],
  ({ flexVolume: from }) => from && [from.secretRef?.name],
  ({ projected: from }) => from && items(from.sources).map(({ secret }) => secret?.name),
  ({ rbd: from }) => from && [from.secretRef?.name],
  ({ secret: from }) => from && [from.secretName],
  ({ scaleIO: from }) => from && [from.secretRef?.name],
  ({ iscsi: from }) => from && [from.secretRef?.name],
  ({ storageos: from }) => from && [from.secretRef?.name],
  ({ csi: from }) => from && [from.nodePublishSecretRef?.name],
];

/**
 * The names of the secrets that a pod speaks of.
 *
 * In Kubernetes: VisitPodSecretNames, pkg/api/pod.
 */
export function secretNamesOf(spec: PodSpec): string[] {
  const pulled = items(spec.imagePullSecrets).map(({ name }) => name);
  const inContainers = containersOf(spec).flatMap(({ envFrom, env }) => [
    ...items(envFrom).map(({ secretRef }) => secretRef?.name),
    ...items(env).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ]);
  const inVolumes = items(spec.volumes).flatMap(secretsOfVolume);
  return [...pulled, ...inContainers, ...inVolumes].flatMap((name = '') => name || []);
}

function secretsOfVolume(volume: Volume): readonly Name[] {
  for (const secretsOf of SECRETS_OF_SOURCES) {
    const names = secretsOf(volume);
    if (names !== undefined) return names;
  }
  return [];
}
