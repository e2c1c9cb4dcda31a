/** In Kubernetes: Convert_v1_NodeSpec_To_core_NodeSpec and back, pkg/apis/core/v1. */
import type { Node } from '../../../generated/kinds/core-v1.ts';

/** `podCIDR` is always the first of `podCIDRs`, whichever of the two a client knows. */
export function pairPodCidrs(node: Node): void {
  const { podCIDR = '', podCIDRs = [] } = node.spec;
  const [first] = podCIDRs;
  if (podCIDR !== '' && first !== podCIDR) node.spec = { ...node.spec, podCIDRs: [podCIDR] };
  else if (podCIDR === '' && first !== undefined) node.spec = { ...node.spec, podCIDR: first };
}
