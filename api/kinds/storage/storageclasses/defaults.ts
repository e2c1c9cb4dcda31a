/**
 * Defaults of a StorageClass.
 *
 * In Kubernetes: SetDefaults_StorageClass, pkg/apis/storage/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent } from '../../default-field.ts';

export function setStorageClassDefaults(storageClass: JsonObject): void {
  setIfAbsent(storageClass, 'reclaimPolicy', 'Delete');
  setIfAbsent(storageClass, 'volumeBindingMode', 'Immediate');
}
