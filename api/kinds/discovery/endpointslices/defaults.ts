/**
 * Defaults of an EndpointSlice.
 *
 * In Kubernetes: SetDefaults_EndpointPort, pkg/apis/discovery/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { forEachIn, setIfAbsent } from '../../default-field.ts';

export function setEndpointSliceDefaults(slice: JsonObject): void {
  forEachIn(slice, 'ports', (port) => {
    setIfAbsent(port, 'name', '');
    setIfAbsent(port, 'protocol', 'TCP');
  });
}
