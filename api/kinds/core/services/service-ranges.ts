/**
 * The ranges out of which services get their addresses and node ports, and the order in which free
 * ones are looked for: from anywhere in the upper part, and in the lower one when that is full. So
 * the lower part stays for addresses and ports that clients choose themselves.
 *
 * In Kubernetes: registry/core/service/ipallocator and portallocator; PortRange, apimachinery/pkg/util/net.
 */
import type { Random } from '../../../meta/clock.ts';
import {
  familyOf,
  formatIp,
  formatIpRange,
  parseIp,
  parseIpRange,
} from '../../rules/ip-address.ts';
import { maskedAddress, type IpAddress } from '../../rules/ip-address.ts';

/** As `spec.ipFamilies` names them. */
export type IpFamily = 'IPv4' | 'IPv6';

/** Addresses that services may have. */
export interface AddressRange {
  /** `10.0.0.0/24`. */
  readonly text: string;
  /** Of IPv4 or IPv6. */
  readonly family: IpFamily;
  /** The first address of the prefix, which no service gets. */
  readonly network: bigint;
  /** Of those that services get; behind {@link last} where there is none. */
  readonly first: bigint;
  /** The last address as a number; it is part of the range. */
  readonly last: bigint;
  /** So many from the first on are the lower part. */
  readonly reserved: bigint;
}

/** Node ports that services may have, both ends included. */
export interface PortRange {
  /** The lowest port that is given. */
  readonly first: number;
  /** The highest port that is given. */
  readonly last: number;
}

const V4_BITS = 32;
const V6_BITS = 128;
/** Upstream has no allocator for a longer range of IPv6. */
const V6_PREFIX_MIN = 64;
const ADDRESSES_RESERVED = { min: 16n, max: 256n, step: 16n };
const PORTS_RESERVED = { min: 16n, max: 128n, step: 32n };

/** @returns undefined where it is no range that services can have. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const parsed = parseIpRange(text);
  if (parsed === undefined) return undefined;
  const { address, bits } = parsed;
  const isV4 = address.bytes.length * 8 === V4_BITS;
  if (!isV4 && bits < V6_PREFIX_MIN) return undefined;
  const size = 1n << BigInt((isV4 ? V4_BITS : V6_BITS) - bits);
  const network = numberOf(maskedAddress(parsed));
  return {
    text: formatIpRange(parsed),
    family: isV4 ? 'IPv4' : 'IPv6',
    network,
    first: network + 1n,
    // The broadcast address is no host's.
    last: network + size - (isV4 ? 2n : 1n),
    reserved: reservedOf(size, ADDRESSES_RESERVED),
  };
}

/** @returns undefined where it is none, or of another family. */
export function addressIn({ family }: AddressRange, text: string): bigint | undefined {
  const address = parseIp(text);
  return address === undefined || familyOf(address) !== family ? undefined : valueOf(address);
}

/** Whether a service may have the address; neither the first of the prefix nor the broadcast address is one. */
export function containsAddress(range: AddressRange, text: string): boolean {
  const address = addressIn(range, text);
  return address !== undefined && address >= range.first && address <= range.last;
}

/** Whether an address is one of the prefix, be it one that services get or not. */
export function isInPrefix(range: AddressRange, text: string): boolean {
  const address = addressIn(range, text);
  const broadcast = range.family === 'IPv4' ? 1n : 0n;
  return address !== undefined && address >= range.network && address <= range.last + broadcast;
}

/** As its IPAddress is named. */
export function formatAddress(family: IpFamily, value: bigint): string {
  const bytes: number[] = [];
  let rest = value;
  for (let left = family === 'IPv4' ? 4 : 16; left > 0; left -= 1) {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  }
  return formatIp({ bytes, hasLeadingZeros: false });
}

/** The address as its IPAddress is named; undefined where it is none. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseIp(text);
  return address === undefined ? undefined : formatIp(address);
}

/** All addresses of the range, in the order in which a free one is looked for. */
export function* addressesOf(range: AddressRange, random: Random): Generator<string> {
  const { family, first, last, reserved } = range;
  for (const offset of offsetsOf(last - first + 1n, reserved, random)) {
    yield formatAddress(family, first + offset);
  }
}

/** All ports of the range, in the order in which a free one is looked for. */
export function* portsOf({ first, last }: PortRange, random: Random): Generator<number> {
  const size = BigInt(last - first + 1);
  for (const offset of offsetsOf(size, reservedOf(size, PORTS_RESERVED), random)) {
    yield first + Number(offset);
  }
}

/** `30000-32767`, as upstream prints it. */
export function formatPortRange({ first, last }: PortRange): string {
  return last < first ? '' : `${String(first)}-${String(last)}`;
}

interface Steps {
  readonly min: bigint;
  readonly max: bigint;
  readonly step: bigint;
}

function reservedOf(size: bigint, { min, max, step }: Steps): bigint {
  if (size <= min) return 0n;
  const part = size / step;
  if (part < min) return min;
  return part > max ? max : part;
}

function* offsetsOf(size: bigint, reserved: bigint, random: Random): Generator<bigint> {
  yield* around(reserved, size, random);
  yield* around(0n, reserved < size ? reserved : size, random);
}

/** From `from` on and before `to`, beginning anywhere. */
function* around(from: bigint, to: bigint, random: Random): Generator<bigint> {
  if (to <= from) return;
  const start = from + anyBelow(to - from, random);
  for (let at = start; at < to; at += 1n) yield at;
  for (let at = from; at < start; at += 1n) yield at;
}

const CHUNK = 0x1_0000_0000;

function anyBelow(size: bigint, random: Random): bigint {
  if (size <= BigInt(CHUNK)) return BigInt(random.integer(Number(size)));
  const high = BigInt(random.integer(CHUNK));
  return ((high << 32n) | BigInt(random.integer(CHUNK))) % size;
}

function numberOf({ bytes }: IpAddress): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** A mapped address is one of IPv4. */
function valueOf(address: IpAddress): bigint {
  const { bytes } = address;
  return familyOf(address) === 'IPv4'
    ? numberOf({ ...address, bytes: bytes.slice(-4) })
    : numberOf(address);
}
