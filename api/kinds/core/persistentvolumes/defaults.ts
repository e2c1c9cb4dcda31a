/**
 * Defaults of a PersistentVolume.
 *
 * In Kubernetes: SetDefaults_PersistentVolume, pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, structAt } from '../../default-field.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';
import { setVolumeSourceDefaults } from '../../pod-spec/volumes/volume-source-defaults.ts';

export function setPersistentVolumeDefaults(volume: JsonObject): void {
  setIfZero(structAt(volume, 'status'), 'phase', 'Pending');
  const spec = structAt(volume, 'spec');
  setIfZero(spec, 'persistentVolumeReclaimPolicy', 'Retain');
  setIfAbsent(spec, 'volumeMode', 'Filesystem');
  setResourceListDefaults(spec, 'capacity');
  setVolumeSourceDefaults(spec);
}
