/**
 * Defaults of an Endpoints object.
 *
 * In Kubernetes: SetDefaults_Endpoints, pkg/apis/core/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { Endpoints } from '../../../generated/kinds/core-v1.ts';

export function setEndpointsDefaults(endpoints: Endpoints): void {
  forEachItem(items(endpoints.subsets), (subset) => {
    forEachItem(items(subset.ports), (port) => {
      port.protocol ||= 'TCP';
    });
  });
}
