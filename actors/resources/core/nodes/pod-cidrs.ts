/** In Kubernetes: Convert_v1_NodeSpec_To_core_NodeSpec and back, pkg/apis/core/v1. */
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { specOf, stringsAt } from '../../value-validation.ts';

/** `podCIDR` is always the first of `podCIDRs`, whichever of the two a client knows. */
export function pairPodCidrs(node: KubeObject): void {
  const spec = specOf(node);
  const first = typeof spec['podCIDR'] === 'string' ? spec['podCIDR'] : '';
  const cidrs = stringsAt(spec, 'podCIDRs');
  if (first !== '' && cidrs[0] !== first) node['spec'] = { ...spec, podCIDRs: [first] };
  else if (first === '' && cidrs[0] !== undefined) node['spec'] = { ...spec, podCIDR: cidrs[0] };
}
