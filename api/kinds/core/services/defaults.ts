/**
 * Defaults of a Service. IP families, cluster IPs and node ports are not among them: the server
 * hands those out when it creates the object.
 *
 * In Kubernetes: SetDefaults_Service, pkg/apis/core/v1.
 */
import { type JsonObject, objectAt, stringAt } from '../../../json/json.ts';
import {
  forEachIn,
  isAbsent,
  isEmpty,
  isZero,
  setIfAbsent,
  setIfZero,
  structAt,
  withObject,
} from '../../default-field.ts';

const AFFINITY_TIMEOUT_SECONDS = 10_800;

export function setServiceDefaults(service: JsonObject): void {
  const spec = structAt(service, 'spec');
  setSessionAffinityDefaults(spec);
  setIfZero(spec, 'type', 'ClusterIP');
  forEachIn(spec, 'ports', (port) => {
    setIfZero(port, 'protocol', 'TCP');
    if (isZero(port['targetPort'])) port['targetPort'] = port['port'] ?? 0;
  });
  setTrafficPolicyDefaults(spec);
  if (stringAt(spec, 'type') === 'LoadBalancer') {
    setIfAbsent(spec, 'allocateLoadBalancerNodePorts', true);
    setIpModeDefaults(service);
  }
}

/** The configuration belongs to ClientIP alone: with None it is taken away. */
function setSessionAffinityDefaults(spec: JsonObject): void {
  setIfZero(spec, 'sessionAffinity', 'None');
  const affinity = stringAt(spec, 'sessionAffinity');
  if (affinity === 'None') delete spec['sessionAffinityConfig'];
  if (affinity !== 'ClientIP') return;
  const config = objectAt(spec, 'sessionAffinityConfig');
  if (isAbsent(objectAt(config, 'clientIP')?.['timeoutSeconds'])) {
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: AFFINITY_TIMEOUT_SECONDS } };
  }
}

function setTrafficPolicyDefaults(spec: JsonObject): void {
  const type = stringAt(spec, 'type');
  const isInside = type === 'ClusterIP';
  const isOutside = type === 'NodePort' || type === 'LoadBalancer';
  if (isOutside || (isInside && !isEmpty(spec['externalIPs']))) {
    setIfZero(spec, 'externalTrafficPolicy', 'Cluster');
  }
  if (isInside || isOutside) setIfAbsent(spec, 'internalTrafficPolicy', 'Cluster');
}

function setIpModeDefaults(service: JsonObject): void {
  withObject(service, 'status', (status) => {
    withObject(status, 'loadBalancer', (loadBalancer) => {
      forEachIn(loadBalancer, 'ingress', (ingress) => {
        if (stringAt(ingress, 'ip') !== '') setIfAbsent(ingress, 'ipMode', 'VIP');
      });
    });
  });
}
