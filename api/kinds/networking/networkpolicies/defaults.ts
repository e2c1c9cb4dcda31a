/**
 * Defaults of a NetworkPolicy. A policy always means ingress; egress only when it has egress rules.
 *
 * In Kubernetes: SetDefaults_NetworkPolicy and SetDefaults_NetworkPolicyPort,
 * pkg/apis/networking/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { forEachIn, isEmpty, setIfAbsent, structAt } from '../../default-field.ts';

export function setNetworkPolicyDefaults(networkPolicy: JsonObject): void {
  const spec = structAt(networkPolicy, 'spec');
  if (isEmpty(spec['policyTypes'])) {
    spec['policyTypes'] = isEmpty(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
  }
  for (const direction of ['ingress', 'egress']) {
    forEachIn(spec, direction, (rule) => {
      forEachIn(rule, 'ports', (port) => {
        setIfAbsent(port, 'protocol', 'TCP');
      });
    });
  }
}
