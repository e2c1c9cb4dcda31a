/**
 * Defaults of an Endpoints object.
 *
 * In Kubernetes: SetDefaults_Endpoints, pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { forEachIn, setIfZero } from '../../default-field.ts';

export function setEndpointsDefaults(endpoints: JsonObject): void {
  forEachIn(endpoints, 'subsets', (subset) => {
    forEachIn(subset, 'ports', (port) => {
      setIfZero(port, 'protocol', 'TCP');
    });
  });
}
