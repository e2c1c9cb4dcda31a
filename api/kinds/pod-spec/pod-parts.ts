/** Ways to walk through a pod that several plug-ins go. */
import type { Container, EphemeralContainer, PodSpec } from '../../generated/kinds/core-v1.ts';
import { type JsonObject, objectAt, stringAt } from '../../json/json.ts';
import { objectsAt } from '../rules/value-validation.ts';

/** The fields of a pod spec that hold containers. */
export type ContainerList = 'initContainers' | 'containers' | 'ephemeralContainers';

/** In the order in which upstream visits them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** A container of any of the lists. */
export type AnyContainer = Container | EphemeralContainer;

/** Of all lists, or of those that are named, in their order; the objects themselves. */
export function containersOf(spec: PodSpec, lists?: readonly ContainerList[]): AnyContainer[];
/** Of a value that was not decoded. */
export function containersOf(spec: JsonObject, lists?: readonly ContainerList[]): JsonObject[];
export function containersOf(
  spec: JsonObject,
  lists: readonly ContainerList[] = CONTAINER_LISTS,
): JsonObject[] {
  return lists.flatMap((list) => objectsAt(spec, list));
}

/** Where a volume source names its secret, other than in a reference called `secretRef`. */
const REFERENCES: ReadonlyMap<string, (source: JsonObject) => string[]> = new Map([
  ['azureFile', (source) => [stringAt(source, 'secretName')]],
  ['cephfs', secretRef],
  ['cinder', secretRef],
  ['flexVolume', secretRef],
  ['projected', (source) => objectsAt(source, 'sources').map((one) => nameAt(one, 'secret'))],
  ['rbd', secretRef],
  ['secret', (source) => [stringAt(source, 'secretName')]],
  ['scaleIO', secretRef],
  ['iscsi', secretRef],
  ['storageos', secretRef],
  ['csi', (source) => [nameAt(source, 'nodePublishSecretRef')]],
]);

/**
 * The names of the secrets that a pod speaks of.
 *
 * In Kubernetes: VisitPodSecretNames, pkg/api/pod.
 */
export function secretNamesOf(spec: JsonObject): string[] {
  const pulled = objectsAt(spec, 'imagePullSecrets').map((one) => stringAt(one, 'name'));
  const inContainers = containersOf(spec).flatMap((container) => [
    ...objectsAt(container, 'envFrom').map((one) => nameAt(one, 'secretRef')),
    ...objectsAt(container, 'env').map((one) => nameAt(objectAt(one, 'valueFrom'), 'secretKeyRef')),
  ]);
  const inVolumes = objectsAt(spec, 'volumes').flatMap(secretsOfVolume);
  return [...pulled, ...inContainers, ...inVolumes].filter((name) => name !== '');
}

function secretsOfVolume(volume: JsonObject): string[] {
  for (const [key, read] of REFERENCES) {
    const source = objectAt(volume, key);
    if (source !== undefined) return read(source);
  }
  return [];
}

function secretRef(source: JsonObject): string[] {
  return [nameAt(source, 'secretRef')];
}

function nameAt(parent: JsonObject | undefined, key: string): string {
  return stringAt(objectAt(parent, key), 'name');
}
