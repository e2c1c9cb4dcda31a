/**
 * The addresses of a service: those that it asks for, and free ones of its families where it asks for
 * none.
 *
 * In Kubernetes: txnAllocClusterIPs and txnUpdateClusterIPs, registry/core/service/storage/alloc.go;
 * MetaAllocator, registry/core/service/ipallocator.
 */
import type { Service, ServiceSpec } from '../../../api/generated/kinds/core-v1.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { items } from '../../../api/json/go-values.ts';
import { invalidValue } from '../../../api/field/field-errors.ts';
import { keepsPreference } from '../../../api/kinds/core/services/ip-families.ts';
import { needsClusterIp } from '../../../api/kinds/core/services/service-spec.ts';
import {
  addressesOf,
  canonicalAddress,
  containsAddress,
  formatAddress,
  type AddressRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import { internalError, invalid, type Status } from '../../../api/meta/status.ts';
import { pathOf } from '../../../streams/event.ts';
import { IP_ADDRESSES } from './service-claims.ts';
import type { Choosing } from './choosing.ts';

const SERVICE = { group: '', resource: 'Service' };
const FULL = 'range is full';

/** Changes the service. @param old with its families. @returns why it cannot have what it asks for. */
export function settleClusterIps(
  service: Service,
  old: Service | undefined,
  choosing: Choosing,
): Status | undefined {
  const { spec } = service;
  if (!needsClusterIp(spec)) return undefined;
  if (keepsPreference(spec, old?.spec)) return undefined;
  const isNone = ({ clusterIPs }: ServiceSpec): boolean => items(clusterIPs)[0] === 'None';
  if (old === undefined || isWithoutAddresses(old.spec)) {
    return isNone(spec) ? undefined : allocateFrom(service, 0, choosing);
  }
  if (isNone(old.spec)) return undefined;
  const isUpgraded = items(old.spec.ipFamilies).length === 1 && items(spec.ipFamilies).length === 2;
  if (!isUpgraded) return undefined;
  // Only a service that says None may be of a family that the cluster has no range of.
  const hasRange = choosing.network.ranges.some(({ family }) => family === spec.ipFamilies?.[1]);
  // Such a service too is given the second one: upstream's rules refuse the update with both.
  return hasRange ? allocateFrom(service, 1, choosing) : undefined;
}

/** A mere name has none, and so has a service that was written before addresses were given. */
function isWithoutAddresses(spec: ServiceSpec): boolean {
  return (
    !needsClusterIp(spec) || (items(spec.clusterIPs).length === 0 && spec.clusterIP !== 'None')
  );
}

/** Gives the families from this one on their addresses. */
function allocateFrom(service: Service, from: number, choosing: Choosing): Status | undefined {
  const { spec } = service;
  const families = items(spec.ipFamilies);
  const ips = [...items(spec.clusterIPs)];
  while (ips.length < families.length) ips.push('');
  spec.clusterIPs = ips;
  for (const [index, family] of families.entries()) {
    if (index < from) continue;
    const asked = ips[index] ?? '';
    const found = asked === '' ? freeAddress(family, choosing) : asked;
    const problem =
      found === undefined ? full(service) : unless(service, { family, asked, found }, choosing);
    if (problem !== undefined) return problem;
    ips[index] = found ?? '';
    choosing.choose(canonicalAddress(found ?? '') ?? '');
  }
  spec.clusterIP = ips[0] ?? '';
  return undefined;
}

interface Found {
  readonly family: string;
  readonly asked: string;
  readonly found: string;
}

/** Why an address that the client asks for cannot be had. */
function unless(
  service: Service,
  { family, asked, found }: Found,
  choosing: Choosing,
): Status | undefined {
  if (asked === '') return undefined;
  const why = refusal(family, found, choosing);
  if (why === undefined) return undefined;
  const detail = `failed to allocate IP ${asked}: ${why}`;
  const errors = [invalidValue('spec.clusterIPs', service.spec.clusterIPs, detail)];
  return invalid(SERVICE, service.metadata.name ?? '', errors);
}

function refusal(family: string, address: string, choosing: Choosing): string | undefined {
  const ranges = choosing.cidrs.ready(family);
  if (choosing.isDryRun) return ranges[0] === undefined ? undefined : outside(ranges[0], address);
  if (!ranges.some((range) => containsAddress(range, address))) {
    return 'the provided network does not match the current range';
  }
  const path = pathOf('', canonicalAddress(address) ?? '');
  const isTaken = choosing.isTaken({ resource: IP_ADDRESSES, path });
  const range = ranges.find((one) => containsAddress(one, address));
  choosing.counts.address(range?.text ?? '', 'static', !isTaken);
  return isTaken ? 'provided IP is already allocated' : undefined;
}

function outside(range: AddressRange, address: string): string | undefined {
  if (containsAddress(range, address)) return undefined;
  return (
    `the provided IP (${canonicalAddress(address) ?? ''}) is not in the valid range. ` +
    `The range of valid IPs is ${range.text}`
  );
}

/** A dry run is shown the first address of the range, as by upstream: which one it would be is not known. */
function freeAddress(family: string, choosing: Choosing): string | undefined {
  for (const range of choosing.cidrs.ready(family)) {
    if (choosing.isDryRun) return formatAddress(range.family, range.network);
    for (const address of addressesOf(range, choosing.random)) {
      if (choosing.isChosen(address)) continue;
      if (choosing.isTaken({ resource: IP_ADDRESSES, path: pathOf('', address) })) continue;
      choosing.counts.address(range.text, 'dynamic', true);
      return address;
    }
    choosing.counts.address(range.text, 'dynamic', false);
  }
  return undefined;
}

function full({ metadata }: Service): Status {
  const name = goQuote(metadata.name ?? '');
  return internalError(`failed to allocate a serviceIP for Service ${name}: ${FULL}`);
}
