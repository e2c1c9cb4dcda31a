/**
 * Addresses of a service: whether `clusterIP`, `clusterIPs` and `ipFamilies` go together, the
 * addresses from outside that lead to it, and those that may reach it.
 *
 * In Kubernetes: ValidateServiceClusterIPsRelatedFields and ValidateService,
 * pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import {
  validateEndpointIp,
  validateLegacyIp,
  validateLegacyIpRange,
} from '../../rules/ip-validation.ts';
import { typeOf } from './service-spec.ts';
import { flatMapItems, remembered } from '../../../json/work-in-slices.ts';
import { familyOf, parseIp } from '../../rules/ip-address.ts';
import { isMissing, repeatsIn } from '../../rules/value-validation.ts';

const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

export function validateExternalIps(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  const old = items(oldSpec.externalIPs);
  return flatMapItems(items(spec.externalIPs), (ip, index) => {
    const path = indexPath('spec.externalIPs', index);
    const errors = validateLegacyIp(path, ip, old);
    return errors.length > 0 ? errors : validateEndpointIp(path, ip);
  });
}

/** The annotation is only looked at where the field says nothing. Blanks around are allowed. */
export function validateSourceRanges(service: Service, old: Service | undefined): FieldErrors {
  const spec = service.spec;
  const field = 'spec.LoadBalancerSourceRanges';
  const ranges = items(spec.loadBalancerSourceRanges).map((range) => range.trim());
  if (ranges.length === 0) return validateAnnotation(service, old);
  const known = old === undefined ? [] : items(old.spec.loadBalancerSourceRanges);
  const oldRanges = known.map((range) => range.trim());
  return [
    ...(typeOf(spec) === 'LoadBalancer' ? [] : [forbiddenField(field, ONLY_BALANCED)]),
    ...flatMapItems(ranges, (range, index) =>
      validateLegacyIpRange(indexPath(field, index), range, oldRanges),
    ),
  ];
}

function validateAnnotation(service: Service, old: Service | undefined): FieldErrors {
  const text = service.metadata.annotations?.[RANGES_ANNOTATION];
  if (text === undefined) return [];
  const field = keyPath('metadata.annotations', RANGES_ANNOTATION);
  const isKept = old?.metadata.annotations?.[RANGES_ANNOTATION] === text;
  const ranges = isKept || text.trim() === '' ? [] : text.trim().split(',');
  return [
    ...(typeOf(service.spec) === 'LoadBalancer' ? [] : [forbiddenField(field, ONLY_BALANCED)]),
    ...flatMapItems(ranges, (range) => validateLegacyIpRange(field, range.trim())),
  ];
}

const FIELD = 'spec.clusterIPs';
const FAMILIES = ['IPv4', 'IPv6'];
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const IPS_MAX = 2;

/** `old` are the addresses before, which stay allowed. */
export function validateClusterIps(spec: ServiceSpec, old: readonly string[] = []): FieldErrors {
  if (typeOf(spec) === 'ExternalName') return [];
  const ips = items(spec.clusterIPs);
  const policy = spec.ipFamilyPolicy;
  const wrong = validateAddresses(ips, old);
  return [
    ...validatePair(spec.clusterIP ?? '', ips),
    ...validateFamilies(items(spec.ipFamilies)),
    ...(isMissing(policy) || FAMILY_POLICIES.includes(spec.ipFamilyPolicy ?? '')
      ? []
      : [notSupported('spec.ipFamilyPolicy', policy, FAMILY_POLICIES)]),
    ...wrong,
    ...(ips.length > IPS_MAX ? [invalidValue(FIELD, ips, 'may only hold up to 2 values')] : []),
    // What is said of families is of no use while an address is none.
    ...(wrong.length > 0 ? [] : [...validateDualStack(ips), ...validateFamiliesOfIps(spec, ips)]),
  ];
}

function validateAddresses(ips: string[], old: readonly string[]): FieldErrors {
  return flatMapItems(ips, (ip, index) => {
    if (index > 0 || ip !== 'None') return validateLegacyIp(indexPath(FIELD, index), ip, old);
    const detail = "'None' must be the first and only value";
    return ips.length > 1 ? [invalidValue(FIELD, ips, detail)] : [];
  });
}

function isIpv6(ip: string): boolean {
  const parsed = parseIp(ip);
  return parsed !== undefined && familyOf(parsed) === 'IPv6';
}

function validateDualStack(ips: string[]): FieldErrors {
  if (ips.length < 2 || new Set(flatMapItems(ips, (ip) => [isIpv6(ip)])).size === 2) return [];
  return [invalidValue(FIELD, ips, 'may specify no more than one IP for each IP family')];
}

function validatePair(ip: string, ips: string[]): FieldErrors {
  if (ip === '') {
    return ips.length === 0
      ? []
      : [invalidValue(FIELD, ips, 'must be empty when `clusterIP` is not specified')];
  }
  if (ips.length === 0) return [required(FIELD)];
  return ips[0] === ip ? [] : [invalidValue(FIELD, ips, 'first value must match `clusterIP`')];
}

/** Each address is of the family in the same place. */
function validateFamiliesOfIps(spec: ServiceSpec, ips: readonly string[]): FieldErrors {
  if (ips[0] === 'None') return [];
  return flatMapItems(items(spec.ipFamilies), (family, index) => {
    const ip = ips[index];
    if (ip === undefined || !FAMILIES.includes(family) || (family === 'IPv6') === isIpv6(ip))
      return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${String(index)}]\``;
    return [invalidValue(indexPath(FIELD, index), ip, detail)];
  });
}

function validateFamilies(families: string[]): FieldErrors {
  const repeats = remembered(() => repeatsIn(families));
  return flatMapItems(families, (family, index) => {
    const path = indexPath('spec.ipFamilies', index);
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(path, family, FAMILIES)]),
      ...(repeats[index] === true ? [duplicateValue(path, family)] : []),
    ];
  });
}
