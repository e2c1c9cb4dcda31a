/**
 * What a service may say.
 *
 * In Kubernetes: ValidateService, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  LoadBalancerIngress,
  Service,
  ServicePort,
  ServiceSpec,
} from '../../../generated/kinds/core-v1.ts';
import type { JsonObject, JsonValue } from '../../../json/json.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  qualifiedNameProblems,
} from '../../../meta/names.ts';
import { flatMapItems, remembered } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { validateLegacyIp, validateNoAddress } from '../../rules/ip-validation.ts';
import { PORT_PROTOCOLS } from '../../pod-spec/containers/container-ports-validation.ts';
import { validateLabels } from '../../rules/label-selector-validation.ts';
import {
  invalidFor,
  isMissing,
  oneOf,
  portNameProblems,
  portNumberProblems,
} from '../../rules/value-validation.ts';
import { nodePortOf } from './allocations.ts';
import {
  isExternallyAccessible,
  isHeadless,
  needsHealthCheckPort,
  typeOf,
} from './service-spec.ts';
import {
  validateClusterIps,
  validateExternalIps,
  validateSourceRanges,
} from './addresses-validation.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const TRAFFIC_DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const AFFINITY_TIMEOUT_SECONDS_MAX = 86_400;

/** `old` is undefined on create; the addresses that it has stay allowed. */
export function validateService(service: Service, old?: Service): FieldErrors {
  const spec = service.spec;
  const oldSpec = old === undefined ? {} : old.spec;
  const isPortless = items(spec.ports).length === 0;
  return [
    ...validateTopologyMode(service),
    ...(isPortless && !isHeadless(spec) && typeOf(spec) !== 'ExternalName'
      ? [required('spec.ports')]
      : []),
    ...validateFieldsOfType(spec),
    ...validatePorts(spec),
    ...validateLabels('spec.selector', spec.selector),
    ...oneOf('spec.sessionAffinity', spec.sessionAffinity, AFFINITIES),
    ...validateAffinityConfig(spec),
    ...validateClusterIps(spec, items(oldSpec.clusterIPs)),
    ...validateExternalIps(spec, oldSpec),
    ...oneOf('spec.type', spec.type, TYPES),
    ...validateNodePorts(spec),
    ...validateDuplicatePorts(spec),
    ...validateSourceRanges(service, old),
    ...validateLoadBalancerFields(spec),
    ...validateExternalTraffic(spec),
    ...validateInternalTraffic(spec),
    ...validateTrafficDistribution(spec),
  ];
}

/** The rules of the `status` subresource. */
export function validateLoadBalancerStatus(service: Service, old: Service): FieldErrors {
  const field = 'status.loadBalancer.ingress';
  const ingresses = items(service.status.loadBalancer.ingress);
  if (ingresses.length > 0 && typeOf(service.spec) !== 'LoadBalancer') {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const oldIps = items(old.status.loadBalancer.ingress).map((one) => one.ip ?? '');
  return ingresses.flatMap((ingress, index) => {
    const path = indexPath(field, index);
    const hostname = ingress.hostname ?? '';
    return [
      ...validateIngressIp(`${path}.ip`, ingress, oldIps),
      ...validateIpMode(`${path}.ipMode`, ingress),
      ...(hostname === ''
        ? []
        : [
            ...invalidFor(`${path}.hostname`, hostname, dns1123SubdomainProblems(hostname)),
            ...validateNoAddress(`${path}.hostname`, hostname),
          ]),
    ];
  });
}

function validateIngressIp(
  field: string,
  ingress: LoadBalancerIngress,
  old: readonly string[],
): FieldErrors {
  const ip = ingress.ip ?? '';
  return ip === '' ? [] : validateLegacyIp(field, ip, old);
}

function validateIpMode(field: string, ingress: LoadBalancerIngress): FieldErrors {
  const hasIp = (ingress.ip ?? '') !== '';
  const mode = ingress.ipMode;
  if (isMissing(mode)) return hasIp ? [required(field, 'must be specified when `ip` is set')] : [];
  if (!hasIp) return [forbiddenField(field, 'may not be specified when `ip` is not set')];
  return mode === 'Proxy' || mode === 'VIP' ? [] : [notSupported(field, mode, ['Proxy', 'VIP'])];
}

function validateFieldsOfType(spec: ServiceSpec): FieldErrors {
  const type = typeOf(spec);
  if (type === 'ExternalName') return validateExternalName(spec);
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${type} services`;
    return [invalidValue('spec.clusterIPs[0]', 'None', detail)];
  }
  return [];
}

function validateExternalName(spec: ServiceSpec): FieldErrors {
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  return [
    ...(['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const)
      .filter((key) => !isMissing(spec[key]))
      .map((key) => forbiddenField(`spec.${key}`, 'may not be set for ExternalName services')),
    ...(name === ''
      ? [required('spec.externalName')]
      : invalidFor('spec.externalName', name, dns1123SubdomainProblems(name))),
  ];
}

function validatePorts(spec: ServiceSpec): FieldErrors {
  const ports = items(spec.ports);
  const names = remembered(() => new Set<string>());
  return flatMapItems(ports, (port, index) => {
    const path = indexPath('spec.ports', index);
    const number = port.port;
    const appProtocol = port.appProtocol ?? '';
    const errors = [
      ...validatePortName(`${path}.name`, port, { names, isRequired: ports.length > 1 }),
      ...invalidFor(`${path}.port`, number, portNumberProblems(number)),
      ...oneOf(`${path}.protocol`, port.protocol, PORT_PROTOCOLS),
      ...validateTargetPort(`${path}.targetPort`, port.targetPort),
      ...(isMissing(port.appProtocol)
        ? []
        : invalidFor(`${path}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol))),
    ];
    names.add(port.name ?? '');
    return errors;
  });
}

interface PortNames {
  /** The names of the ports before. */
  readonly names: ReadonlySet<string>;
  readonly isRequired: boolean;
}

function validatePortName(
  field: string,
  port: ServicePort,
  { names, isRequired }: PortNames,
): FieldErrors {
  const name = port.name ?? '';
  if (name === '') return isRequired ? [required(field)] : [];
  return [
    ...invalidFor(field, name, dns1123LabelProblems(name)),
    ...(names.has(name) ? [duplicateValue(field, name)] : []),
  ];
}

function validateTargetPort(field: string, port: JsonValue | undefined): FieldErrors {
  return typeof port === 'string'
    ? invalidFor(field, port, portNameProblems(port))
    : invalidFor(field, port ?? 0, portNumberProblems(typeof port === 'number' ? port : 0));
}

function validateAffinityConfig(spec: ServiceSpec): FieldErrors {
  const field = 'spec.sessionAffinityConfig';
  const affinity = spec.sessionAffinity ?? '';
  const config = spec.sessionAffinityConfig;
  if (affinity === 'None' && !isMissing(config)) {
    return [forbiddenField(field, 'must not be set when session affinity is None')];
  }
  if (affinity !== 'ClientIP') return [];
  const detail = 'when session affinity type is ClientIP';
  if (isMissing(config)) return [required(field, detail)];
  const clientIp = spec.sessionAffinityConfig?.clientIP;
  if (clientIp === undefined) return [required(`${field}.clientIP`, detail)];
  const seconds = clientIp.timeoutSeconds;
  const path = `${field}.clientIP.timeoutSeconds`;
  if (seconds === undefined) return [required(path, detail)];
  return seconds > 0 && seconds <= AFFINITY_TIMEOUT_SECONDS_MAX
    ? []
    : [
        invalidValue(
          path,
          seconds,
          `must be greater than 0 and less than ${String(AFFINITY_TIMEOUT_SECONDS_MAX)}`,
        ),
      ];
}

function validateNodePorts(spec: ServiceSpec): FieldErrors {
  const seen = new Set<string>();
  const isInside = typeOf(spec) === 'ClusterIP';
  const ports = items(spec.ports);
  const forbidden = ports.flatMap((port, index) =>
    isInside && nodePortOf(port) !== 0
      ? [
          forbiddenField(
            `${indexPath('spec.ports', index)}.nodePort`,
            "may not be used when `type` is 'ClusterIP'",
          ),
        ]
      : [],
  );
  const duplicates = ports.flatMap((port, index) => {
    const nodePort = nodePortOf(port);
    const key = `${port.protocol ?? ''} ${String(nodePort)}`;
    if (nodePort === 0) return [];
    if (seen.has(key)) {
      return [duplicateValue(`${indexPath('spec.ports', index)}.nodePort`, nodePort)];
    }
    seen.add(key);
    return [];
  });
  return [...forbidden, ...duplicates];
}

function validateDuplicatePorts(spec: ServiceSpec): FieldErrors {
  const seen = new Set<string>();
  return items(spec.ports).flatMap((port, index) => {
    const protocol = port.protocol ?? '';
    const number = port.port;
    const key = `${protocol} ${String(number)}`;
    const isTaken = seen.has(key);
    seen.add(key);
    if (!isTaken) return [];
    return [duplicateValue(indexPath('spec.ports', index), shownPort(protocol, number))];
  });
}

/** As Go prints its internal form of a port, of which only these two are known here. */
function shownPort(protocol: string, port: number): JsonObject {
  return {
    Name: '',
    Protocol: protocol,
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  };
}

const BALANCED_ONLY = "may only be used when `type` is 'LoadBalancer'";

function validateLoadBalancerFields(spec: ServiceSpec): FieldErrors {
  const isBalanced = typeOf(spec) === 'LoadBalancer';
  const isThere = !isMissing(spec.allocateLoadBalancerNodePorts);
  return [
    ...(isBalanced && !isThere ? [required('allocateLoadBalancerNodePorts')] : []),
    ...(!isBalanced && isThere
      ? [forbiddenField('spec.allocateLoadBalancerNodePorts', BALANCED_ONLY)]
      : []),
    ...validateLoadBalancerClass(spec),
  ];
}

/** Of a service of any type. */
export function validateLoadBalancerClass(spec: ServiceSpec): FieldErrors {
  if (isMissing(spec.loadBalancerClass)) return [];
  const field = 'spec.loadBalancerClass';
  if (typeOf(spec) !== 'LoadBalancer') return [forbiddenField(field, BALANCED_ONLY)];
  const className = spec.loadBalancerClass ?? '';
  return [...invalidFor(field, className, qualifiedNameProblems(className))];
}

/** The health check's port is one that the server hands out, so none is not an error yet. */
function validateExternalTraffic(spec: ServiceSpec): FieldErrors {
  const policy = spec.externalTrafficPolicy ?? '';
  const port = spec.healthCheckNodePort ?? 0;
  const portField = 'spec.healthCheckNodePort';
  return [
    ...(isExternallyAccessible(spec)
      ? oneOf('spec.externalTrafficPolicy', policy, TRAFFIC_POLICIES)
      : invalidFor(
          'spec.externalTrafficPolicy',
          policy,
          policy === '' ? [] : ['may only be set for externally-accessible services'],
        )),
    ...(port === 0 || needsHealthCheckPort(spec)
      ? invalidFor(portField, port, port === 0 ? [] : portNumberProblems(port))
      : [
          invalidValue(
            portField,
            port,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ),
        ]),
  ];
}

function validateInternalTraffic(spec: ServiceSpec): FieldErrors {
  const policy = spec.internalTrafficPolicy;
  const isNeeded = ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(typeOf(spec));
  const field = 'spec.internalTrafficPolicy';
  if (isMissing(policy)) return isNeeded ? [required(field)] : [];
  return TRAFFIC_POLICIES.includes(spec.internalTrafficPolicy ?? '')
    ? []
    : [notSupported(field, policy, TRAFFIC_POLICIES)];
}

function validateTrafficDistribution(spec: ServiceSpec): FieldErrors {
  const value = spec.trafficDistribution;
  if (isMissing(value) || TRAFFIC_DISTRIBUTIONS.includes(spec.trafficDistribution ?? '')) {
    return [];
  }
  return [notSupported('spec.trafficDistribution', value, TRAFFIC_DISTRIBUTIONS)];
}

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

function validateTopologyMode(service: Service): FieldErrors {
  const annotations = service.metadata.annotations ?? {};
  const [hints, mode] = [annotations[HINTS], annotations[MODE]];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${HINTS}] when both are specified`;
  return [invalidValue(keyPath('metadata.annotations', MODE), mode, detail)];
}
