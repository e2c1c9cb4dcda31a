/**
 * Defaults of an IngressClass.
 *
 * In Kubernetes: SetDefaults_IngressClass, pkg/apis/networking/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, withObject } from '../../default-field.ts';

export function setIngressClassDefaults(ingressClass: JsonObject): void {
  withObject(ingressClass, 'spec', (spec) => {
    withObject(spec, 'parameters', (parameters) => {
      setIfAbsent(parameters, 'scope', 'Cluster');
    });
  });
}
