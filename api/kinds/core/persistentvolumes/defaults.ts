/**
 * Defaults of a PersistentVolume.
 *
 * In Kubernetes: SetDefaults_PersistentVolume, pkg/apis/core/v1.
 */
import type { PersistentVolume } from '../../../generated/kinds/core-v1.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';
import { setVolumeSourceDefaults } from '../../pod-spec/volumes/volume-source-defaults.ts';

export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  volume.status.phase ||= 'Pending';
  const spec = volume.spec;
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  setResourceListDefaults(spec.capacity);
  setVolumeSourceDefaults(spec);
}
