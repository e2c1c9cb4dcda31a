/**
 * What is wrong with an IP address or a range of them, and the warnings about those that are taken but
 * may be read as something else. Fields from before the rules were strict (`legacy…`) take any
 * spelling, and whatever the old object has already.
 *
 * In Kubernetes: GetWarningsForIP and its neighbours, apimachinery/pkg/util/validation/ip.go.
 */
import { isAmong } from '../../json/among.ts';
import { goQuote } from '../../json/go-format.ts';
import { type FieldErrors, invalidValue } from '../../field/field-errors.ts';
import {
  formatIp,
  formatIpRange,
  type IpAddress,
  type IpRange,
  isMapped,
  maskedAddress,
  parseIp,
  parseIpRange,
  specialRangeOf,
} from './ip-address.ts';

const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_RANGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** What is wrong with an address in a field of today: it must be in canonical form. */
export function ipProblems(value: string): readonly string[] {
  const address = parseIp(value);
  if (address === undefined) return [NO_ADDRESS];
  const problems = strictProblems(address);
  if (problems.length > 0) return problems;
  const canonical = formatIp(address);
  return value === canonical ? [] : [`must be in canonical form (${goQuote(canonical)})`];
}

/** IsValidIP: an address in canonical form. */
export function validateIp(field: string, value: string): FieldErrors {
  return ipProblems(value).map((problem) => invalidValue(field, value, problem));
}

/**
 * IsValidIPForLegacyField: as before, but a value that stands in the old object already may stay.
 */
export function validateLegacyIp(
  field: string,
  value: string,
  oldValues: readonly string[] = [],
): FieldErrors {
  if (isAmong(oldValues, value)) return [];
  const address = parseIp(value);
  const problems = address === undefined ? [NO_ADDRESS] : strictProblems(address);
  return problems.map((problem) => invalidValue(field, value, problem));
}

/** Where a name is wanted. */
export function validateNoAddress(field: string, host: string): FieldErrors {
  if (parseIp(host) === undefined) return [];
  return [invalidValue(field, host, 'must be a DNS name, not an IP address')];
}

/** IsValidCIDR: a range in canonical form. */
export function validateIpRange(field: string, value: string): FieldErrors {
  const range = parseIpRange(value);
  if (range === undefined) return [invalidValue(field, value, NO_RANGE)];
  const problems = strictRangeProblems(range);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, value, problem));
  const canonical = formatIpRange(range);
  if (value === canonical) return [];
  return [invalidValue(field, value, `must be in canonical form (${goQuote(canonical)})`)];
}

/** IsValidCIDRForLegacyField: a range that stands in the old object already may stay. */
export function validateLegacyIpRange(
  field: string,
  value: string,
  oldValues: readonly string[] = [],
): FieldErrors {
  if (isAmong(oldValues, value)) return [];
  const range = parseIpRange(value);
  const problems = range === undefined ? [NO_RANGE] : strictRangeProblems(range);
  return problems.map((problem) => invalidValue(field, value, problem));
}

/** An address behind a service: one that can be reached from another machine. */
export function validateEndpointIp(field: string, value: string): FieldErrors {
  const address = parseIp(value);
  if (address === undefined) return [invalidValue(field, value, 'must be a valid IP address')];
  switch (specialRangeOf(address)) {
    case 'unspecified':
      return [invalidValue(field, value, `may not be unspecified (${value})`)];
    case 'loopback': {
      const detail = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
      return [invalidValue(field, value, detail)];
    }
    case 'link-local': {
      const detail = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
      return [invalidValue(field, value, detail)];
    }
    case 'link-local multicast': {
      const detail = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
      return [invalidValue(field, value, detail)];
    }
    case undefined:
      return [];
  }
}

function strictProblems(address: IpAddress): readonly string[] {
  if (address.hasLeadingZeros) return ['must not have leading 0s'];
  return isMapped(address) ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

function strictRangeProblems(range: IpRange): readonly string[] {
  const { address, hasLeadingZeros } = range;
  if (hasLeadingZeros) return ['must not have leading 0s in IP or prefix length'];
  if (isMapped(address)) return ['must not have an IPv4-mapped IPv6 address'];
  const masked = maskedAddress(range).bytes;
  return address.bytes.every((byte, index) => byte === masked[index])
    ? []
    : ['must not have bits set beyond the prefix length'];
}

/** An address of an interface with the length of its network: `192.168.1.5/24`. */
export function validateInterfaceAddress(field: string, value: string): FieldErrors {
  const range = parseIpRange(value);
  if (range === undefined) {
    const detail = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
    return [invalidValue(field, value, detail)];
  }
  const { address, bits } = range;
  // A mapped address is shown as IPv4, and so is the length of its network.
  const shownBits = isMapped(address) && bits > 32 ? bits - 96 : bits;
  const canonical = `${formatIp(address)}/${String(shownBits)}`;
  if (value === canonical) return [];
  return [invalidValue(field, value, `must be in canonical form (${goQuote(canonical)})`)];
}

/** Nothing about what is no address at all: that is an error. */
export function ipWarnings(field: string, value: string): readonly string[] {
  const address = parseIp(value);
  if (address === undefined) return [];
  const canonical = formatIp(address);
  if (address.hasLeadingZeros || isMapped(address)) return [nonStandard(field, value, canonical)];
  if (!value.includes(':') || value === canonical) return [];
  return [
    `${field}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format ` +
      `(${goQuote(canonical)})`,
  ];
}

/** Nothing about what is no range at all. */
export function ipRangeWarnings(field: string, value: string): readonly string[] {
  const range = parseIpRange(value);
  if (range === undefined) return [];
  const canonical = formatIpRange(range);
  const warnings = ambiguity(field, value, range);
  if (range.hasLeadingZeros || isMapped(range.address)) {
    warnings.push(
      `${field}: non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(canonical)}`,
    );
  }
  if (warnings.length > 0 || !value.includes(':') || value === canonical) return warnings;
  return [
    `${field}: IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format ` +
      `(${goQuote(canonical)})`,
  ];
}

/** A whole address with the length of a prefix: is it the range, or the one address? */
function ambiguity(field: string, value: string, range: IpRange): string[] {
  const { address } = range;
  const masked = maskedAddress(range);
  if (masked.bytes.every((byte, index) => byte === address.bytes[index])) return [];
  const single = `${formatIp(address)}/${String(address.bytes.length * 8)}`;
  return [
    `${field}: CIDR value ${goQuote(value)} is ambiguous in this context ` +
      `(should be ${goQuote(formatIpRange(range))} or ${goQuote(single)}?)`,
  ];
}

function nonStandard(field: string, value: string, canonical: string): string {
  return `${field}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(canonical)}`;
}
