/**
 * Defaults of a CSIDriver.
 *
 * In Kubernetes: SetDefaults_CSIDriver, pkg/apis/storage/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { isEmpty, setIfAbsent, structAt } from '../../default-field.ts';

export function setCsiDriverDefaults(driver: JsonObject): void {
  const spec = structAt(driver, 'spec');
  setIfAbsent(spec, 'attachRequired', true);
  setIfAbsent(spec, 'podInfoOnMount', false);
  setIfAbsent(spec, 'storageCapacity', false);
  setIfAbsent(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
  if (isEmpty(spec['volumeLifecycleModes'])) spec['volumeLifecycleModes'] = ['Persistent'];
  setIfAbsent(spec, 'requiresRepublish', false);
  setIfAbsent(spec, 'seLinuxMount', false);
}
