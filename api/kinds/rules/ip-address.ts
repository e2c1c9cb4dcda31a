/**
 * IP addresses and ranges as Kubernetes reads them: `010.1.2.3` is one that could be read, and is
 * refused later with a sentence of its own.
 *
 * In Kubernetes: ParseIPSloppy and ParseCIDRSloppy, k8s.io/utils/net, and net/netip of Go.
 */
import { stepped } from '../../json/work-in-slices.ts';

export interface IpAddress {
  /** 4 or 16; a mapped address such as `::ffff:1.2.3.4` has 16. */
  readonly bytes: readonly number[];
  /** A number in it is longer than it needs to be, in a way that strict readers refuse. */
  readonly hasLeadingZeros: boolean;
}

export interface IpRange {
  readonly address: IpAddress;
  readonly bits: number;
  /** In the address or in the length of the prefix. */
  readonly hasLeadingZeros: boolean;
}

interface Groups {
  readonly bytes: number[];
  readonly hasLeadingZeros: boolean;
}

const DECIMAL = /^[0-9]+$/;
const HEXADECIMAL = /^[0-9a-fA-F]+$/;
const TEXT_MAX = 128;
const NUMBER_MAX = 0xffffff;
const V4_BYTES = 4;
const V6_BYTES = 16;
/** To read one takes so many steps more than to look at an item of a list. */
const STEPS = 4;

/** undefined when it is no address. */
export function parseIp(text: string): IpAddress | undefined {
  stepped(STEPS);
  if (text.length > TEXT_MAX) return undefined;
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

/** `10.0.0.0/8`; undefined when it is no range. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  const bits = numberOf(length);
  if (address === undefined || bits === undefined) return undefined;
  if (bits > address.bytes.length * 8) return undefined;
  const hasLeadingZeros = address.hasLeadingZeros || (length.length > 1 && length.startsWith('0'));
  return { address, bits, hasLeadingZeros };
}

/** An IPv4 address in the clothes of an IPv6 one: `::ffff:1.2.3.4`. */
export function isMapped({ bytes }: IpAddress): boolean {
  if (bytes.length === V4_BYTES) return false;
  return bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** IPv4 also for an IPv4 address that is written as IPv6, as `::ffff:1.2.3.4`. */
export function familyOf(address: IpAddress): 'IPv4' | 'IPv6' {
  return address.bytes.length === V4_BYTES || isMapped(address) ? 'IPv4' : 'IPv6';
}

/** The address with every bit behind the prefix made zero. */
export function maskedAddress({ address, bits }: IpRange): IpAddress {
  const bytes = address.bytes.map((byte, index) => {
    const kept = Math.min(Math.max(bits - index * 8, 0), 8);
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return { bytes, hasLeadingZeros: false };
}

/** False for an address of another length than the range's. */
export function isInRange(range: IpRange, address: IpAddress): boolean {
  if (range.address.bytes.length !== address.bytes.length) return false;
  const masked = maskedAddress({ ...range, address }).bytes;
  return maskedAddress(range).bytes.every((byte, index) => byte === masked[index]);
}

/** The one way in which all programs should write it (RFC 5952). */
export function formatIp(address: IpAddress): string {
  const { bytes } = address;
  if (bytes.length === V4_BYTES) return bytes.join('.');
  return isMapped(address) ? bytes.slice(12).join('.') : formatV6(bytes);
}

/** The range with its bits behind the prefix made zero. */
export function formatIpRange(range: IpRange): string {
  return `${formatIp(maskedAddress(range))}/${String(range.bits)}`;
}

export type SpecialRange = 'unspecified' | 'loopback' | 'link-local' | 'link-local multicast';

/** The range that no pod can be reached in, if it is in one. */
export function specialRangeOf(address: IpAddress): SpecialRange | undefined {
  const { bytes } = address;
  if (familyOf(address) === 'IPv4') return specialV4RangeOf(bytes.slice(-V4_BYTES));
  const [first = 0, second = 0] = bytes;
  const isSmall = bytes.every((byte, index) => index === V6_BYTES - 1 || byte === 0);
  if (isSmall && bytes[15] === 0) return 'unspecified';
  if (isSmall && bytes[15] === 1) return 'loopback';
  if (first === 0xfe && (second & 0xc0) === 0x80) return 'link-local';
  return first === 0xff && (second & 0x0f) === 0x02 ? 'link-local multicast' : undefined;
}

/** Whether it is the address of one machine that others reach. In Go: IP.IsGlobalUnicast. */
export function isGlobalUnicast(address: IpAddress): boolean {
  const { bytes } = address;
  if (specialRangeOf(address) !== undefined) return false;
  if (familyOf(address) === 'IPv6') return bytes[0] !== 0xff;
  const v4 = bytes.slice(-V4_BYTES);
  return ((v4[0] ?? 0) & 0xf0) !== 0xe0 && !v4.every((byte) => byte === 0xff);
}

function specialV4RangeOf([a, b, c, d]: readonly number[]): SpecialRange | undefined {
  if (a === 0 && b === 0 && c === 0 && d === 0) return 'unspecified';
  if (a === 127) return 'loopback';
  if (a === 169 && b === 254) return 'link-local';
  return a === 224 && b === 0 && c === 0 ? 'link-local multicast' : undefined;
}

function parseV4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== V4_BYTES) return undefined;
  const bytes = parts.flatMap((part) => numberOf(part) ?? []);
  if (bytes.length !== V4_BYTES || bytes.some((byte) => byte > 0xff)) return undefined;
  const hasLeadingZeros = parts.some((part) => part.length > 1 && part.startsWith('0'));
  return { bytes, hasLeadingZeros };
}

function parseV6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = '', tail] = halves;
  const front = groupsOf(head, tail === undefined);
  const back = tail === undefined ? NO_GROUPS : groupsOf(tail, true);
  if (front === undefined || back === undefined) return undefined;
  const missing = V6_BYTES - front.bytes.length - back.bytes.length;
  // A gap stands for one group of zeros at least.
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return {
    bytes: [...front.bytes, ...new Array<number>(missing).fill(0), ...back.bytes],
    hasLeadingZeros: front.hasLeadingZeros || back.hasLeadingZeros,
  };
}

const NO_GROUPS: Groups = { bytes: [], hasLeadingZeros: false };

/** The groups of one side of the gap; an IPv4 address may stand at the very end. */
function groupsOf(text: string, mayEndInV4: boolean): Groups | undefined {
  if (text === '') return NO_GROUPS;
  const bytes: number[] = [];
  let hasLeadingZeros = false;
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (group.includes('.')) {
      const v4 = mayEndInV4 && index === groups.length - 1 ? parseV4(group) : undefined;
      if (v4 === undefined) return undefined;
      bytes.push(...v4.bytes);
      hasLeadingZeros ||= v4.hasLeadingZeros;
      continue;
    }
    const value = HEXADECIMAL.test(group) ? Number.parseInt(group, 16) : Number.NaN;
    if (!(value <= 0xffff)) return undefined;
    bytes.push(value >> 8, value & 0xff);
    hasLeadingZeros ||= group.length > 4;
  }
  return { bytes, hasLeadingZeros };
}

function numberOf(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return value < NUMBER_MAX ? value : undefined;
}

function formatV6(bytes: readonly number[]): string {
  const groups = Array.from(
    { length: V6_BYTES / 2 },
    (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0),
  );
  const gap = longestZeros(groups);
  const shown = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (gap.length < 2) return shown(groups);
  return `${shown(groups.slice(0, gap.start))}::${shown(groups.slice(gap.start + gap.length))}`;
}

/** The first of the longest runs of zeros. */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
