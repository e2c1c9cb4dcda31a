/**
 * Of which families the addresses of a service are: `ipFamilies` and `ipFamilyPolicy` with their
 * defaults, and what an update may make of them.
 *
 * In Kubernetes: initIPFamilyFields and defaultOnReadIPFamilies, registry/core/service/storage.
 */
import { flatMapItems } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { familyOf, parseIp } from '../../rules/ip-address.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateClusterIps } from './addresses-validation.ts';
import { pairNewClusterIps } from './allocations.ts';
import { needsClusterIp, typeOf } from './service-spec.ts';
import type { IpFamily } from './service-ranges.ts';

/** The families that the cluster has ranges of; the first is that of services that ask for none. */
export type ClusterFamilies = readonly [IpFamily, ...IpFamily[]];

const POLICY = 'spec.ipFamilyPolicy';
const NEEDS_DUAL = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";

/** A copy of what is stored with the families that services had before there were such fields. */
export function withFamilies(service: Service, [primary]: ClusterFamilies): Service {
  const copy = { ...service, spec: { ...service.spec } };
  const { spec } = copy;
  pairNewClusterIps(copy);
  if (!needsClusterIp(spec) || items(spec.ipFamilies).length > 0) return copy;
  const ips = items(spec.clusterIPs);
  if (spec.clusterIP === 'None') {
    spec.ipFamilies = isSelectorless(spec) ? [primary, otherFamily(primary)] : [primary];
  } else if (ips.length > 0) spec.ipFamilies = ips.map(familyOfText);
  else return copy;
  spec.ipFamilyPolicy = spec.ipFamilies.length > 1 ? 'RequireDualStack' : 'SingleStack';
  return copy;
}

/** Changes the service. @param old with its families, see {@link withFamilies}; undefined for a new one. */
export function settleFamilies(
  service: Service,
  old: Service | undefined,
  families: ClusterFamilies,
): FieldErrors {
  const { spec } = service;
  if (!needsClusterIp(spec) || keepsPreference(spec, old?.spec)) return [];
  spec.ipFamilyPolicy ??= defaultPolicy(spec, old?.spec);
  const loose = validateClusterIps(spec, items(old?.spec.clusterIPs));
  if (loose.length > 0) return loose;
  const problems = [
    ...(old === undefined ? [] : releaseSecond(spec, old.spec)),
    ...validatePolicy(spec),
    ...inferFamilies(spec, families),
  ];
  if (problems.length > 0) return problems;
  if (spec.clusterIP === 'None' && isSelectorless(spec)) {
    if (items(spec.ipFamilies).length === 0) spec.ipFamilies = [families[0]];
    if (spec.ipFamilyPolicy !== 'SingleStack') addOther(spec);
    return [];
  }
  const unconfigured = validateConfigured(spec, families);
  if (unconfigured.length > 0) return unconfigured;
  if (items(spec.ipFamilies).length === 0) spec.ipFamilies = [families[0]];
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 2) addOther(spec);
  return [];
}

/**
 * Whether an update leaves the addresses of a service alone that prefers two families: it gets and
 * loses none because the cluster has changed meanwhile.
 */
export function keepsPreference(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (old === undefined || isMissing(spec.ipFamilyPolicy)) return false;
  // One that was written before addresses were given has none to keep.
  if (items(old.clusterIPs).length === 0) return false;
  return (
    typeOf(old) === typeOf(spec) &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (old.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    isSameList(spec.clusterIPs, old.clusterIPs) &&
    isSameList(spec.ipFamilies, old.ipFamilies)
  );
}

function defaultPolicy(spec: ServiceSpec, old: ServiceSpec | undefined): string {
  if (old !== undefined && !isMissing(old.ipFamilyPolicy)) return old.ipFamilyPolicy ?? '';
  return spec.clusterIP === 'None' && isSelectorless(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** With one family only, what is there of the second goes by itself; with more it is to stay. */
function releaseSecond(spec: ServiceSpec, old: ServiceSpec): FieldErrors {
  const [ips, families] = [items(spec.clusterIPs), items(spec.ipFamilies)];
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (isSameList(ips, old.clusterIPs) && ips.length > 1) spec.clusterIPs = ips.slice(0, 1);
    if (isSameList(families, old.ipFamilies) && families.length > 1) {
      spec.ipFamilies = families.slice(0, 1);
    }
    return [];
  }
  const isReduced = (now: readonly string[], before: readonly string[]): boolean =>
    now.length > 0 && now.length < before.length;
  const released = (what: string) =>
    invalidValue(
      POLICY,
      spec.ipFamilyPolicy,
      `must be 'SingleStack' to release the secondary ${what}`,
    );
  return [
    ...(isReduced(ips, items(old.clusterIPs)) ? [released('cluster IP')] : []),
    ...(isReduced(families, items(old.ipFamilies)) ? [released('IP family')] : []),
  ];
}

function validatePolicy(spec: ServiceSpec): FieldErrors {
  const { ipFamilyPolicy: policy } = spec;
  if (policy !== 'SingleStack') return [];
  return [
    ...(items(spec.clusterIPs).length === 2
      ? [invalidValue(POLICY, policy, `${NEEDS_DUAL} cluster IPs are specified`)]
      : []),
    ...(items(spec.ipFamilies).length === 2
      ? [invalidValue(POLICY, policy, `${NEEDS_DUAL} IP families are specified`)]
      : []),
  ];
}

/** Addresses that a client chose say of which family they are. */
function inferFamilies(spec: ServiceSpec, families: ClusterFamilies): FieldErrors {
  const ips = items(spec.clusterIPs);
  if (ips[0] === 'None') return [];
  const errors: FieldErrors[number][] = [];
  for (const [index, ip] of ips.entries()) {
    if (index < items(spec.ipFamilies).length) continue;
    const family = familyOfText(ip);
    if (families.includes(family)) spec.ipFamilies = [...items(spec.ipFamilies), family];
    else {
      const detail = `${family} is not configured on this cluster`;
      errors.push(invalidValue(indexPath('spec.clusterIPs', index), ips, detail));
    }
  }
  return errors;
}

function validateConfigured(spec: ServiceSpec, families: ClusterFamilies): FieldErrors {
  const isMissingOne = spec.ipFamilyPolicy === 'RequireDualStack' && families.length < 2;
  const detail = 'this cluster is not configured for dual-stack services';
  return [
    ...(isMissingOne ? [invalidValue(POLICY, spec.ipFamilyPolicy, detail)] : []),
    ...flatMapItems(items(spec.ipFamilies), (family, index) =>
      families.some((one) => one === family)
        ? []
        : [
            invalidValue(
              indexPath('spec.ipFamilies', index),
              family,
              'not configured on this cluster',
            ),
          ],
    ),
  ];
}

function addOther(spec: ServiceSpec): void {
  const [first, ...others] = items(spec.ipFamilies);
  if (first === undefined || others.length > 0) return;
  spec.ipFamilies = [first, otherFamily(first)];
}

function isSelectorless({ selector }: ServiceSpec): boolean {
  return Object.keys(selector ?? {}).length === 0;
}

function otherFamily(family: string): IpFamily {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}

function familyOfText(text: string): IpFamily {
  const address = parseIp(text);
  return address === undefined ? 'IPv4' : familyOf(address);
}

function isSameList(one: string[] | undefined, other: string[] | undefined): boolean {
  const [a, b] = [items(one), items(other)];
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
