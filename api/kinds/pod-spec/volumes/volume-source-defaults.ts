/**
 * Defaults of the kinds of storage that both the volumes of pods and PersistentVolumes can name.
 *
 * In Kubernetes: `+default` markers and SetDefaults_HostPathVolumeSource, pkg/apis/core/v1.
 */
import type { PersistentVolumeSpec, Volume } from '../../../generated/kinds/core-v1.ts';

/** `source` is a volume of a pod or the spec of a PersistentVolume: both name the storage inline. */
export function setVolumeSourceDefaults(source: Volume | PersistentVolumeSpec): void {
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = source;
  if (hostPath !== undefined) hostPath.type ??= '';
  if (iscsi !== undefined) iscsi.iscsiInterface ||= 'default';
  if (rbd !== undefined) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= 'Shared';
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}
