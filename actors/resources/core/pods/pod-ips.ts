/** In Kubernetes: Convert_v1_PodStatus_To_core_PodStatus and back, pkg/apis/core/v1. */
import { stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { objectsAt } from '../../value-validation.ts';

/** `podIP` is always the first of `podIPs`; where a writer says both and they differ, it holds. */
export function pairPodIps(status: JsonObject): void {
  const ip = stringAt(status, 'podIP');
  const first = stringAt(objectsAt(status, 'podIPs')[0], 'ip');
  if (ip === first) return;
  if (ip === '') status['podIP'] = first;
  else status['podIPs'] = [{ ip }];
}
