/**
 * Whether `clusterIP`, `clusterIPs` and `ipFamilies` go together.
 *
 * In Kubernetes: ValidateServiceClusterIPsRelatedFields, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { flatMapItems, remembered } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { familyOf, parseIp } from '../../rules/ip-address.ts';
import { validateLegacyIp } from '../../rules/ip-validation.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { typeOf } from './service-spec.ts';
import { repeatsIn } from '../../rules/repeats.ts';

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
  if (ips.length < 2 || new Set(ips.map(isIpv6)).size === 2) return [];
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
