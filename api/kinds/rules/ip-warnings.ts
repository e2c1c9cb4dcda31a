/**
 * Addresses and ranges that are taken, and that others may read as something else.
 *
 * In Kubernetes: GetWarningsForIP and GetWarningsForCIDR, apimachinery/pkg/util/validation.
 */
import { goQuote } from '../../json/go-format.ts';
import {
  formatIp,
  formatIpRange,
  isMapped,
  maskedAddress,
  parseIp,
  parseIpRange,
  type IpRange,
} from './ip-address.ts';

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
