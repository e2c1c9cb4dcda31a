/** What a service says in vain. In Kubernetes: GetWarningsForService, pkg/api/service. */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { isMissing, specOf } from '../../rules/value-validation.ts';
import { isHeadless, typeOf } from './service-spec.ts';

const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';

export function serviceWarnings(service: KubeObject): readonly string[] {
  const spec = specOf(service);
  const hasHints = Object.hasOwn(service.metadata.annotations ?? {}, TOPOLOGY_HINTS);
  return [
    ...(hasHints
      ? [`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`]
      : []),
    ...(isHeadless(spec) ? headlessWarnings(spec) : []),
    ...typeWarnings(spec),
    ...(spec['trafficDistribution'] === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function headlessWarnings(spec: JsonObject): readonly string[] {
  return [
    ...(stringAt(spec, 'loadBalancerIP') === ''
      ? []
      : ['spec.loadBalancerIP is ignored for headless services']),
    ...(isMissing(spec['externalIPs'])
      ? []
      : ['spec.externalIPs is ignored for headless services']),
    ...(spec['sessionAffinity'] === 'None'
      ? []
      : ['spec.SessionAffinity is ignored for headless services']),
  ];
}

function typeWarnings(spec: JsonObject): readonly string[] {
  const hasExternalIps = !isMissing(spec['externalIPs']);
  if (typeOf(spec) === 'ExternalName') {
    return hasExternalIps ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  }
  return [
    ...(hasExternalIps && !isHeadless(spec)
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...(stringAt(spec, 'externalName') === ''
      ? []
      : ['spec.externalName is ignored when spec.type is not "ExternalName"']),
  ];
}
