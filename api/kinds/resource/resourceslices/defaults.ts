/** Defaults of devices. In Kubernetes: SetDefaults_Device, pkg/apis/resource/v1. */
import type { Device, ResourceSlice } from '../../../generated/kinds/resource-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';

/** A device stands for as much of the node's resource as it says, once. */
export function setResourceSliceDefaults({ spec }: ResourceSlice): void {
  forEachItem(items(spec.devices), setMappingDefaults);
}

/** Of one device. */
export function setMappingDefaults(device: Pick<Device, 'nodeAllocatableResourceMappings'>): void {
  const mappings = Object.values(device.nodeAllocatableResourceMappings ?? {});
  for (const mapping of mappings) mapping.allocationMultiplier ??= '1';
}
