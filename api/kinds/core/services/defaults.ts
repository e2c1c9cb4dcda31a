/**
 * Defaults of a Service. IP families, cluster IPs and node ports are not among them: the server
 * hands those out when it creates the object.
 *
 * In Kubernetes: SetDefaults_Service, pkg/apis/core/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { isAbsent, isEmpty, isZero } from '../../default-field.ts';

const AFFINITY_TIMEOUT_SECONDS = 10_800;

export function setServiceDefaults(service: Service): void {
  const spec = service.spec;
  setSessionAffinityDefaults(spec);
  spec.type ||= 'ClusterIP';
  forEachItem(items(spec.ports), (port) => {
    port.protocol ||= 'TCP';
    if (isZero(port.targetPort)) port.targetPort = port.port;
  });
  setTrafficPolicyDefaults(spec);
  if ((spec.type ?? '') === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true;
    setIpModeDefaults(service);
  }
}

/** The configuration belongs to ClientIP alone: with None it is taken away. */
function setSessionAffinityDefaults(spec: ServiceSpec): void {
  spec.sessionAffinity ||= 'None';
  const affinity = spec.sessionAffinity ?? '';
  if (affinity === 'None') delete spec.sessionAffinityConfig;
  if (affinity !== 'ClientIP') return;
  const config = spec.sessionAffinityConfig;
  if (isAbsent(config?.clientIP?.timeoutSeconds)) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_TIMEOUT_SECONDS } };
  }
}

function setTrafficPolicyDefaults(spec: ServiceSpec): void {
  const type = spec.type ?? '';
  const isInside = type === 'ClusterIP';
  const isOutside = type === 'NodePort' || type === 'LoadBalancer';
  if (isOutside || (isInside && !isEmpty(spec.externalIPs))) {
    spec.externalTrafficPolicy ||= 'Cluster';
  }
  if (isInside || isOutside) spec.internalTrafficPolicy ??= 'Cluster';
}

function setIpModeDefaults({ status }: Service): void {
  forEachItem(items(status.loadBalancer.ingress), (ingress) => {
    if (ingress.ip !== undefined && ingress.ip !== '') ingress.ipMode ??= 'VIP';
  });
}
