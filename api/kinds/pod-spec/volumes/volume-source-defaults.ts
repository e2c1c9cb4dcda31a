/**
 * Defaults of the kinds of storage that both the volumes of pods and PersistentVolumes can name.
 *
 * In Kubernetes: `+default` markers and SetDefaults_HostPathVolumeSource, pkg/apis/core/v1.
 */
import type { PersistentVolumeSpec } from '../../../generated/kinds/core-v1.ts';
import { setIfAbsent, setIfZero, withObject } from '../../default-field.ts';

/** `source` is a volume of a pod or the spec of a PersistentVolume: both name the storage inline. */
export function setVolumeSourceDefaults(source: PersistentVolumeSpec): void {
  withObject(source, 'hostPath', (hostPath) => {
    setIfAbsent(hostPath, 'type', '');
  });
  withObject(source, 'iscsi', (iscsi) => {
    setIfZero(iscsi, 'iscsiInterface', 'default');
  });
  withObject(source, 'rbd', (rbd) => {
    setIfZero(rbd, 'pool', 'rbd');
    setIfZero(rbd, 'user', 'admin');
    setIfZero(rbd, 'keyring', '/etc/ceph/keyring');
  });
  withObject(source, 'azureDisk', (disk) => {
    setIfAbsent(disk, 'cachingMode', 'ReadWrite');
    setIfAbsent(disk, 'fsType', 'ext4');
    setIfAbsent(disk, 'readOnly', false);
    setIfAbsent(disk, 'kind', 'Shared');
  });
  withObject(source, 'scaleIO', (scaleIO) => {
    setIfZero(scaleIO, 'storageMode', 'ThinProvisioned');
    setIfZero(scaleIO, 'fsType', 'xfs');
  });
}
