/**
 * IP addresses and networks: `ip('10.0.0.1')`, `cidr('10.0.0.0/8').containsIP(…)`.
 *
 * In Kubernetes: apiserver/pkg/cel/library/ip.go and cidr.go, and Go's net/netip.
 */
import { goQuote } from '../../json/go-format.ts';
import { BOOL, INT, STRING } from '../cel-type.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import { CelError, CelOpaque, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';
import { formatAddress, NoAddress, parseAddress } from './address-text.ts';
import { CIDR_TYPE, IP_TYPE } from './opaque-values.ts';

class CelIp extends CelOpaque {
  override readonly type = IP_TYPE;
  /** 4 or 16. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }

  override get costSize(): number {
    return this.bytes.length;
  }

  override equals(other: CelValue): boolean {
    return other instanceof CelIp && Buffer.compare(this.bytes, other.bytes) === 0;
  }
}

class CelCidr extends CelOpaque {
  override readonly type = CIDR_TYPE;
  readonly address: CelIp;
  readonly bits: number;

  constructor(address: CelIp, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8);
  }

  override equals(other: CelValue): boolean {
    return (
      other instanceof CelCidr && this.bits === other.bits && this.address.equals(other.address)
    );
  }
}

function isMapped(bytes: Uint8Array): boolean {
  return (
    bytes.length === 16 &&
    bytes.subarray(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff
  );
}

function ipOf(text: string): CelIp | CelError {
  const bytes = parseAddress(text);
  const quoted = goQuote(text);
  if (bytes instanceof NoAddress) {
    return new CelError(
      `IP Address ${quoted} parse error during conversion from string: ${bytes.why}`,
    );
  }
  if ('zone' in bytes) return new CelError(`IP address ${quoted} with zone value is not allowed`);
  return isMapped(bytes)
    ? new CelError(`IPv4-mapped IPv6 address ${quoted} is not allowed`)
    : new CelIp(bytes);
}

function cidrOf(text: string): CelCidr | CelError {
  const wrong = (why: string): CelError => {
    const what = 'network address parse error during conversion from string';
    return new CelError(`${what}: ${what}: netip.ParsePrefix(${goQuote(text)}): ${why}`);
  };
  const slash = text.lastIndexOf('/');
  if (slash < 0) return wrong("no '/'");
  const [address, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const bytes = parseAddress(address);
  if (bytes instanceof NoAddress) return wrong(bytes.why);
  if ('zone' in bytes) return wrong('IPv6 zones cannot be present in a prefix');
  if (!/^(?:0|[1-9]\d*)$/.test(length)) return wrong(`bad bits after slash: ${goQuote(length)}`);
  const bits = Number(length);
  if (bits > bytes.length * 8) return wrong('prefix length out of range');
  if (!isMapped(bytes)) return new CelCidr(new CelIp(bytes), bits);
  const what = 'network address parse error during conversion from string';
  return new CelError(`${what}: IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
}

function masked(bytes: Uint8Array, bits: number): Uint8Array {
  return bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept));
  });
}

function isWithin(network: CelCidr, { bytes }: CelIp): boolean {
  const { address, bits } = network;
  if (bytes.length !== address.bytes.length) return false;
  return Buffer.compare(masked(bytes, bits), masked(address.bytes, bits)) === 0;
}

function ofText<T>(
  parse: (text: string) => T,
  run: (parsed: T, text: string) => CelValue,
): Implementation {
  return (text) => (typeof text === 'string' ? run(parse(text), text) : NO_SUCH_OVERLOAD);
}

function ofIp(run: (bytes: Uint8Array) => CelValue): Implementation {
  return (ip) => (ip instanceof CelIp ? run(ip.bytes) : NO_SUCH_OVERLOAD);
}

function ofCidr(run: (cidr: CelCidr, other: CelValue) => CelValue): Implementation {
  return (cidr, other) => (cidr instanceof CelCidr ? run(cidr, other) : NO_SUCH_OVERLOAD);
}

const containsIp = ofCidr((cidr, other) => {
  const ip = typeof other === 'string' ? ipOf(other) : other;
  if (ip instanceof CelError) return ip;
  return ip instanceof CelIp ? isWithin(cidr, ip) : NO_SUCH_OVERLOAD;
});

const containsCidr = ofCidr((cidr, other) => {
  const inner = typeof other === 'string' ? cidrOf(other) : other;
  if (inner instanceof CelError) return inner;
  if (!(inner instanceof CelCidr)) return NO_SUCH_OVERLOAD;
  return cidr.bits <= inner.bits && isWithin(cidr, inner.address);
});

const isLoopback = ofIp((bytes) =>
  bytes.length === 4 ? bytes[0] === 127 : formatAddress(bytes) === '::1',
);

const first = (bytes: Uint8Array): number => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);

const isLinkLocalUnicast = (bytes: Uint8Array): boolean =>
  bytes.length === 4 ? first(bytes) === 0xa9fe : (first(bytes) & 0xffc0) === 0xfe80;

const isLinkLocalMulticast = (bytes: Uint8Array): boolean =>
  bytes.length === 4
    ? first(bytes) === 0xe000 && bytes[2] === 0
    : (first(bytes) & 0xff0f) === 0xff02;

const isUnspecified = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

const isMulticast = (bytes: Uint8Array): boolean =>
  bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;

const isGlobalUnicast = ofIp((bytes) => {
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return (
    !isBroadcast &&
    !isUnspecified(bytes) &&
    isLoopback(new CelIp(bytes), null, null, null) === false &&
    !isMulticast(bytes) &&
    !isLinkLocalUnicast(bytes)
  );
});

export const NETWORK_ADDRESSES: Library = [
  declare(
    'ip',
    overload(
      'string_to_ip',
      [STRING],
      IP_TYPE,
      ofText(ipOf, (ip) => ip),
    ),
    method(
      'cidr_ip',
      [CIDR_TYPE],
      IP_TYPE,
      ofCidr(({ address }) => address),
    ),
  ),
  declare(
    'isIP',
    overload(
      'is_ip',
      [STRING],
      BOOL,
      ofText(ipOf, (ip) => ip instanceof CelIp),
    ),
  ),
  declare(
    'ip.isCanonical',
    overload(
      'ip_is_canonical',
      [STRING],
      BOOL,
      ofText(ipOf, (ip, text) => (ip instanceof CelIp ? formatAddress(ip.bytes) === text : ip)),
    ),
  ),
  declare(
    'family',
    method(
      'ip_family',
      [IP_TYPE],
      INT,
      ofIp(({ length }) => (length === 4 ? 4 : 6)),
    ),
  ),
  declare('isUnspecified', method('ip_is_unspecified', [IP_TYPE], BOOL, ofIp(isUnspecified))),
  declare('isLoopback', method('ip_is_loopback', [IP_TYPE], BOOL, isLoopback)),
  declare(
    'isLinkLocalMulticast',
    method('ip_is_link_local_multicast', [IP_TYPE], BOOL, ofIp(isLinkLocalMulticast)),
  ),
  declare(
    'isLinkLocalUnicast',
    method('ip_is_link_local_unicast', [IP_TYPE], BOOL, ofIp(isLinkLocalUnicast)),
  ),
  declare('isGlobalUnicast', method('ip_is_global_unicast', [IP_TYPE], BOOL, isGlobalUnicast)),
  declare(
    'string',
    overload('ip_to_string', [IP_TYPE], STRING, ofIp(formatAddress)),
    overload(
      'cidr_to_string',
      [CIDR_TYPE],
      STRING,
      ofCidr(({ address, bits }) => `${formatAddress(address.bytes)}/${String(bits)}`),
    ),
  ),
  declare(
    'cidr',
    overload(
      'string_to_cidr',
      [STRING],
      CIDR_TYPE,
      ofText(cidrOf, (cidr) => cidr),
    ),
  ),
  declare(
    'isCIDR',
    overload(
      'is_cidr',
      [STRING],
      BOOL,
      ofText(cidrOf, (cidr) => cidr instanceof CelCidr),
    ),
  ),
  declare(
    'containsIP',
    method('cidr_contains_ip_string', [CIDR_TYPE, STRING], BOOL, containsIp),
    method('cidr_contains_ip_ip', [CIDR_TYPE, IP_TYPE], BOOL, containsIp),
  ),
  declare(
    'containsCIDR',
    method('cidr_contains_cidr_string', [CIDR_TYPE, STRING], BOOL, containsCidr),
    method('cidr_contains_cidr', [CIDR_TYPE, CIDR_TYPE], BOOL, containsCidr),
  ),
  declare(
    'prefixLength',
    method(
      'cidr_prefix_length',
      [CIDR_TYPE],
      INT,
      ofCidr(({ bits }) => bits),
    ),
  ),
  declare(
    'masked',
    method(
      'cidr_masked',
      [CIDR_TYPE],
      CIDR_TYPE,
      ofCidr(({ address, bits }) => new CelCidr(new CelIp(masked(address.bytes, bits)), bits)),
    ),
  ),
];
