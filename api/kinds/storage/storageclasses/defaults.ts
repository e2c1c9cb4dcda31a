/**
 * Defaults of a StorageClass.
 *
 * In Kubernetes: SetDefaults_StorageClass, pkg/apis/storage/v1.
 */
import type { StorageClass } from '../../../generated/kinds/storage-v1.ts';

export function setStorageClassDefaults(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}
