/** In Kubernetes: Convert_v1_PodStatus_To_core_PodStatus and back, pkg/apis/core/v1. */
import type { PodStatus } from '../../../generated/kinds/core-v1.ts';

/** `podIP` is always the first of `podIPs`; where a writer says both and they differ, it holds. */
export function pairPodIps(status: PodStatus): void {
  const { podIP = '', podIPs = [] } = status;
  const first = podIPs[0]?.ip ?? '';
  if (podIP === first) return;
  if (podIP === '') status.podIP = first;
  else status.podIPs = [{ ip: podIP }];
}
