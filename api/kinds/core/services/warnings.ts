/**
 * What a client is told of a service that is taken, but means less than it says or will not be taken
 * for ever.
 *
 * In Kubernetes: GetWarningsForService, pkg/api/service; serviceStatusStrategy, registry/core/service.
 */
import { items } from '../../../json/go-values.ts';
import { flatMapItems } from '../../../json/work-in-slices.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipRangeWarnings, ipWarnings } from '../../rules/ip-validation.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { isHeadless, typeOf } from './service-spec.ts';

const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';

/** Of a service that is written. */
export function serviceWarnings(service: Service): readonly string[] {
  const spec = service.spec;
  const hasHints = Object.hasOwn(service.metadata.annotations ?? {}, TOPOLOGY_HINTS);
  return [
    ...(hasHints
      ? [`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`]
      : []),
    ...clusterIpWarnings(spec),
    ...(isHeadless(spec) ? headlessWarnings(spec) : []),
    ...ofAddresses('spec.externalIPs', spec.externalIPs),
    ...deprecatedIpWarnings(spec),
    ...ofAddress('spec.loadBalancerIP', spec.loadBalancerIP),
    ...flatMapItems(items(spec.loadBalancerSourceRanges), (range, index) =>
      ipRangeWarnings(indexPath('spec.loadBalancerSourceRanges', index), range),
    ),
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
  return (spec.externalName ?? '') === ''
    ? []
    : ['spec.externalName is ignored when spec.type is not "ExternalName"'];
}

function deprecatedIpWarnings(spec: ServiceSpec): readonly string[] {
  const isUsed = !isHeadless(spec) && typeOf(spec) !== 'ExternalName';
  return isUsed && !isMissing(spec.externalIPs)
    ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
    : [];
}

function clusterIpWarnings(spec: ServiceSpec): readonly string[] {
  const isSet = (spec.clusterIP ?? '') !== '' && spec.clusterIP !== 'None';
  return isSet ? ofAddresses('spec.clusterIPs', spec.clusterIPs) : [];
}

function ofAddresses(field: string, ips: string[] | undefined): readonly string[] {
  return flatMapItems(items(ips), (ip, index) => ipWarnings(indexPath(field, index), ip));
}

function ofAddress(field: string, ip = ''): readonly string[] {
  return ip === '' ? [] : ipWarnings(field, ip);
}

/** Of where a load balancer says that it is. */
export function serviceStatusWarnings({ status }: Service): readonly string[] {
  return flatMapItems(items(status.loadBalancer.ingress), (point, index) =>
    ofAddress(indexPath('status.loadBalancer.ingress', index), point.ip),
  );
}
