/**
 * Services. Their addresses and ports are given to them before these rules are asked, in
 * actors/registry/services. The first address and family, the class of the load balancer and the port
 * of the health check cannot change once they were handed out.
 *
 * When the type of a service changes, fields that only the old type has go away by themselves, unless
 * the client changed them too: then validation tells.
 *
 * In Kubernetes: registry/core/service, with dropTypeDependentFields; SetDefaults_Service,
 * pkg/apis/core/v1; ValidateServiceUpdate, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { type FieldErrors, forbiddenField, invalidValue } from '../../../field/field-errors.ts';
import { sameValue } from '../../rules/same-value.ts';
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
  ownSpec,
  typeOf,
} from './service-spec.ts';
import {
  validateLoadBalancerClass,
  validateLoadBalancerStatus,
  validateService,
} from './validation.ts';
import { nameIsDnsLabel } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { nodePortOf, pairNewClusterIps } from './allocations.ts';
import { serviceStatusWarnings, serviceWarnings } from './warnings.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { isAbsent, isEmpty, isZero } from '../../default-field.ts';

const FIXED = 'may not change once set';

function validateServiceChange(service: Service, old: Service): FieldErrors {
  const spec = service.spec;
  const oldSpec = old.spec;
  return [
    ...validateHandedOut(spec, oldSpec),
    ...validateClassChange(spec, oldSpec),
    ...validateHealthCheckChange(spec, oldSpec),
    ...validateService(service, old),
  ];
}

/** Services that are mere names, before or after, have nothing to lose. */
function validateHandedOut(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  if (typeOf(spec) === 'ExternalName' || typeOf(oldSpec) === 'ExternalName') return [];
  const isAnyHeadless = isHeadless(spec) || isHeadless(oldSpec);
  const isBothHeadless = isHeadless(spec) && isHeadless(oldSpec);
  return [
    ...(isBothHeadless
      ? []
      : validateFirstStays(spec, oldSpec, { key: 'clusterIPs', word: 'clusterIP' })),
    ...(isAnyHeadless
      ? []
      : validateFirstStays(spec, oldSpec, { key: 'ipFamilies', word: 'ipFamily' })),
  ];
}

interface HandedOutList {
  readonly key: 'clusterIPs' | 'ipFamilies';
  /** One of the list. */
  readonly word: string;
}

/** The second of two may come and go, the first may not. */
function validateFirstStays(
  spec: ServiceSpec,
  oldSpec: ServiceSpec,
  { key, word }: HandedOutList,
): FieldErrors {
  const field = `spec.${key}`;
  const values = items(spec[key]);
  const oldValues = items(oldSpec[key]);
  if (values.length === oldValues.length) {
    const changed = oldValues.flatMap((old, index) => (old === values[index] ? [] : [index]));
    return changed.map((index) =>
      invalidValue(`${field}[${String(key === 'ipFamilies' ? 0 : index)}]`, values, FIXED),
    );
  }
  // Upstream looks at the addresses here even when it speaks of the families.
  const ips = items(spec.clusterIPs);
  const isShorter = values.length < oldValues.length;
  const isFirstChanged = oldValues.length > 0 && values.length > 0 && values[0] !== oldValues[0];
  const isReleased = isShorter && values.length === 1 && spec.ipFamilyPolicy !== 'SingleStack';
  const policy = spec.ipFamilyPolicy ?? null;
  const releasing = `must be set to 'SingleStack' when releasing the secondary ${word}`;
  return [
    ...(isShorter && ips.length === 0
      ? [invalidValue(`${field}[0]`, null, `primary ${word} can not be unset`)]
      : []),
    ...(isFirstChanged ? [invalidValue(`${field}[0]`, ips, FIXED)] : []),
    ...(isReleased ? [invalidValue('spec.ipFamilyPolicy', policy, releasing)] : []),
  ];
}

function validateClassChange(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  const isBothBalanced = typeOf(spec) === 'LoadBalancer' && typeOf(oldSpec) === 'LoadBalancer';
  const value = spec.loadBalancerClass;
  const isChanged = isBothBalanced && !sameValue(value, oldSpec.loadBalancerClass);
  return [
    ...(isChanged ? [invalidValue('spec.loadBalancerClass', value, FIXED)] : []),
    // Upstream says it here and once more with the rules of every write.
    ...validateLoadBalancerClass(spec),
  ];
}

function validateHealthCheckChange(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  const key = 'healthCheckNodePort';
  const isBoth = needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec);
  if (!isBoth || sameValue(spec[key] ?? 0, oldSpec[key] ?? 0)) return [];
  return [forbiddenField(`spec.${key}`, 'field is immutable')];
}

/** The kind Service. */
export const services = defineKind('v1/services', {
  actions: ['proxy'],
  fields: {
    'spec.clusterIP': (service) => service.spec.clusterIP ?? '',
    'spec.type': (service) => service.spec.type ?? '',
  },
  rules: {
    validateName: nameIsDnsLabel,
    allowsCreateOnUpdate: true,
    returnsDeletedObject: true,
    status: {
      initial: () => ({ loadBalancer: {} }),
      validateUpdate: validateLoadBalancerStatus,
      warningsOnUpdate: serviceStatusWarnings,
    },
    prepareForUpdate(service, old) {
      ownSpec(service);
      dropFieldsOfOldType(service, old);
    },
    validate: (service) => validateService(service),
    validateUpdate: validateServiceChange,
    canonicalize(service) {
      // Upstream does both whenever it reads one.
      if (typeOf(service.spec) === 'ExternalName') delete service.spec.internalTrafficPolicy;
      pairNewClusterIps(service);
    },
    warningsOnCreate: serviceWarnings,
    warningsOnUpdate: serviceWarnings,
  },
});

const AFFINITY_TIMEOUT_SECONDS = 10_800;

/** SetDefaults_Service: TCP, ClusterIP, target ports, and policies of the traffic by type. */
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

type Question = (spec: ServiceSpec) => boolean;

/** Changes `service`; its status must be its own already. */
function dropFieldsOfOldType(service: Service, old: Service): void {
  const spec = service.spec;
  const oldSpec = old.spec;
  const noLonger = (question: Question): boolean => question(oldSpec) && !question(spec);
  if (noLonger(needsClusterIp)) dropClusterIps(spec, oldSpec);
  if (noLonger(needsNodePort)) dropNodePorts(spec, oldSpec);
  if (noLonger(needsHealthCheckPort)) dropIfSame(spec, oldSpec, 'healthCheckNodePort');
  if (noLonger(isLoadBalancer)) {
    dropIfSame(spec, oldSpec, 'allocateLoadBalancerNodePorts');
    dropIfSame(spec, oldSpec, 'loadBalancerClass');
  }
  if (noLonger(isExternallyAccessible)) dropIfSame(spec, oldSpec, 'externalTrafficPolicy');
  if (!isLoadBalancer(spec)) service.status = { ...service.status, loadBalancer: {} };
}

function isLoadBalancer(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'LoadBalancer';
}

function dropClusterIps(spec: ServiceSpec, oldSpec: ServiceSpec): void {
  const keys = ['clusterIP', 'clusterIPs'] as const;
  if (keys.every((key) => sameValue(spec[key], oldSpec[key]))) {
    for (const key of keys) Reflect.deleteProperty(spec, key);
  }
  dropIfSame(spec, oldSpec, 'ipFamilies');
  dropIfSame(spec, oldSpec, 'ipFamilyPolicy');
}

/** All or none: one port that the old service did not have keeps the others. */
function dropNodePorts(spec: ServiceSpec, oldSpec: ServiceSpec): void {
  const ports = items(spec.ports);
  const oldNodePorts = new Set([0, ...items(oldSpec.ports).map(nodePortOf)]);
  if (!ports.every((port) => oldNodePorts.has(nodePortOf(port)))) return;
  for (const port of ports) Reflect.deleteProperty(port, 'nodePort');
}

function dropIfSame(spec: ServiceSpec, oldSpec: ServiceSpec, key: keyof ServiceSpec): void {
  if (sameValue(spec[key], oldSpec[key])) Reflect.deleteProperty(spec, key);
}
