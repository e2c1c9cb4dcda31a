/**
 * Defaults of an EndpointSlice.
 *
 * In Kubernetes: SetDefaults_EndpointPort, pkg/apis/discovery/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { EndpointSlice } from '../../../generated/kinds/discovery-v1.ts';

export function setEndpointSliceDefaults(slice: EndpointSlice): void {
  forEachItem(items(slice.ports), (port) => {
    port.name ??= '';
    port.protocol ??= 'TCP';
  });
}
