/**
 * Defaults of an IngressClass.
 *
 * In Kubernetes: SetDefaults_IngressClass, pkg/apis/networking/v1.
 */
import type { IngressClass } from '../../../generated/kinds/networking-v1.ts';
import { setIfAbsent, withObject } from '../../default-field.ts';

export function setIngressClassDefaults(ingressClass: IngressClass): void {
  withObject(ingressClass, 'spec', (spec) => {
    withObject(spec, 'parameters', (parameters) => {
      setIfAbsent(parameters, 'scope', 'Cluster');
    });
  });
}
