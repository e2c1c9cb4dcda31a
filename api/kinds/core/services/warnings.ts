/** What a service says in vain. In Kubernetes: GetWarningsForService, pkg/api/service. */
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { isHeadless, typeOf } from './service-spec.ts';

const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';

export function serviceWarnings(service: Service): readonly string[] {
  const spec = service.spec;
  const hasHints = Object.hasOwn(service.metadata.annotations ?? {}, TOPOLOGY_HINTS);
  return [
    ...(hasHints
      ? [`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`]
      : []),
    ...(isHeadless(spec) ? headlessWarnings(spec) : []),
    ...typeWarnings(spec),
    ...(spec.trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function headlessWarnings(spec: ServiceSpec): readonly string[] {
  return [
    ...((spec.loadBalancerIP ?? '') === ''
      ? []
      : ['spec.loadBalancerIP is ignored for headless services']),
    ...(isMissing(spec.externalIPs) ? [] : ['spec.externalIPs is ignored for headless services']),
    ...(spec.sessionAffinity === 'None'
      ? []
      : ['spec.SessionAffinity is ignored for headless services']),
  ];
}

function typeWarnings(spec: ServiceSpec): readonly string[] {
  const hasExternalIps = !isMissing(spec.externalIPs);
  if (typeOf(spec) === 'ExternalName') {
    return hasExternalIps ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  }
  return [
    ...(hasExternalIps && !isHeadless(spec)
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...((spec.externalName ?? '') === ''
      ? []
      : ['spec.externalName is ignored when spec.type is not "ExternalName"']),
  ];
}
