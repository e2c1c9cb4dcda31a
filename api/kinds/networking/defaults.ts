/**
 * Defaults of a NetworkPolicy and an IngressClass.
 *
 * In Kubernetes: SetDefaults_NetworkPolicy, SetDefaults_NetworkPolicyPort and SetDefaults_IngressClass,
 * pkg/apis/networking/v1.
 */
import { forEachItem } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type {
  IngressClass,
  NetworkPolicy,
  NetworkPolicyPort,
} from '../../generated/kinds/networking-v1.ts';

/** A policy always means ingress; egress only when it has egress rules. */
export function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  const { ingress, egress } = spec;
  if (items(spec.policyTypes).length === 0) {
    spec.policyTypes = items(egress).length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
  }
  forEachItem(items(ingress), setProtocols);
  forEachItem(items(egress), setProtocols);
}

function setProtocols({ ports }: { ports?: NetworkPolicyPort[] }): void {
  forEachItem(items(ports), (port) => {
    port.protocol ??= 'TCP';
  });
}

/** Parameters are an object of the cluster, unless they say otherwise. */
export function setIngressClassDefaults({ spec }: IngressClass): void {
  if (spec.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
}
