/**
 * Defaults of an APIService.
 *
 * In Kubernetes: SetDefaults_ServiceReference, kube-aggregator/pkg/apis/apiregistration/v1.
 */
import type { APIService } from '../../../generated/kinds/apiregistration-v1.ts';
import { setIfAbsent, withObject } from '../../default-field.ts';

export function setApiServiceDefaults(apiService: APIService): void {
  withObject(apiService, 'spec', (spec) => {
    withObject(spec, 'service', (service) => {
      setIfAbsent(service, 'port', 443);
    });
  });
}
