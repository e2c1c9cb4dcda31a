/**
 * Defaults of a ResourceSlice. When a taint was added is not among them, because it needs a clock;
 * see definition.ts.
 *
 * In Kubernetes: SetDefaults_Device, pkg/apis/resource/v1.
 */
import type { ResourceSlice } from '../../../generated/kinds/resource-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';

/** A device stands for as much of the node's resource as it says, once. */
export function setResourceSliceDefaults({ spec }: ResourceSlice): void {
  forEachItem(items(spec.devices), ({ nodeAllocatableResourceMappings: mappings }) => {
    for (const mapping of Object.values(mappings ?? {})) mapping.allocationMultiplier ??= '1';
  });
}
