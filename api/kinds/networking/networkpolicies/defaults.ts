/**
 * Defaults of a NetworkPolicy. A policy always means ingress; egress only when it has egress rules.
 *
 * In Kubernetes: SetDefaults_NetworkPolicy and SetDefaults_NetworkPolicyPort,
 * pkg/apis/networking/v1.
 */
import type { NetworkPolicy } from '../../../generated/kinds/networking-v1.ts';
import { forEachIn, isEmpty, setIfAbsent } from '../../default-field.ts';

export function setNetworkPolicyDefaults(networkPolicy: NetworkPolicy): void {
  const spec = networkPolicy.spec;
  if (isEmpty(spec.policyTypes)) {
    spec.policyTypes = isEmpty(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
  }
  for (const direction of ['ingress', 'egress']) {
    forEachIn(spec, direction, (rule) => {
      forEachIn(rule, 'ports', (port) => {
        setIfAbsent(port, 'protocol', 'TCP');
      });
    });
  }
}
