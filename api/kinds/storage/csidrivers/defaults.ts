/**
 * Defaults of a CSIDriver.
 *
 * In Kubernetes: SetDefaults_CSIDriver, pkg/apis/storage/v1.
 */
import type { CSIDriver } from '../../../generated/kinds/storage-v1.ts';
import { isEmpty } from '../../default-field.ts';

export function setCsiDriverDefaults(driver: CSIDriver): void {
  const spec = driver.spec;
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (isEmpty(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}
