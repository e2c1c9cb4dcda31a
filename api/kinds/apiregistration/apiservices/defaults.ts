/**
 * Defaults of an APIService.
 *
 * In Kubernetes: SetDefaults_ServiceReference, kube-aggregator/pkg/apis/apiregistration/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, withObject } from '../../default-field.ts';

export function setApiServiceDefaults(apiService: JsonObject): void {
  withObject(apiService, 'spec', (spec) => {
    withObject(spec, 'service', (service) => {
      setIfAbsent(service, 'port', 443);
    });
  });
}
