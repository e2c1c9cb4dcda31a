/**
 * Defaults of a claim's spec, which stands in claims, in the templates of StatefulSets and in
 * ephemeral volumes of pods.
 *
 * In Kubernetes: SetDefaults_PersistentVolumeClaim and SetDefaults_PersistentVolumeClaimSpec,
 * pkg/apis/core/v1.
 */
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from '../../../generated/kinds/core-v1.ts';
import {
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from '../containers/resource-list-defaults.ts';

/**
 * SetDefaults_PersistentVolumeClaim: for claims, and for the templates of them in a StatefulSet.
 */
export function setClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ||= 'Pending';
  setClaimSpecDefaults(spec);
  setResourceListDefaults(status.capacity);
  setResourceListDefaults(status.allocatedResources);
}

export function setClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  setResourceRequirementsDefaults(spec.resources);
}
