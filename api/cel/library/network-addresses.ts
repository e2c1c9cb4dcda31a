/**
 * IP addresses and networks: `ip('10.0.0.1')`, `cidr('10.0.0.0/8').containsIP(…)`.
 *
 * In Kubernetes: apiserver/pkg/cel/library/ip.go and cidr.go, and Go's net/netip.
 */
import { goQuote } from '../../patch/go-format.ts';
import { BOOL, INT, STRING } from '../cel-type.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import { CelError, CelOpaque, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';
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

/** Why a text is no address, in the words of net/netip. */
class NoAddress {
  readonly why: string;

  constructor(text: string, why: string, at = '') {
    this.why = `ParseAddr(${goQuote(text)}): ${why}${at === '' ? '' : ` (at ${goQuote(at)})`}`;
  }
}

function parseAddress(text: string): Uint8Array | NoAddress {
  const sign = /[.:%]/.exec(text)?.[0];
  if (sign === '.') return parseIpv4(text, text);
  if (sign === ':') return parseIpv6(text);
  return new NoAddress(text, sign === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function parseIpv4(whole: string, text: string): Uint8Array | NoAddress {
  const fields: number[] = [];
  for (const [index, field] of text.split('.').entries()) {
    const wrong = /[^0-9]/.exec(field);
    if (wrong !== null)
      return new NoAddress(whole, 'unexpected character', text.slice(text.indexOf(wrong[0])));
    if (field === '') {
      const rest = text.split('.').slice(index).join('.');
      return new NoAddress(
        whole,
        'IPv4 field must have at least one digit',
        rest === '' ? text.slice(-1) : rest,
      );
    }
    if (field.length > 1 && field.startsWith('0')) {
      return new NoAddress(whole, 'IPv4 field has octet with leading zero');
    }
    if (Number(field) > 255) return new NoAddress(whole, 'IPv4 field has value >255');
    fields.push(Number(field));
  }
  if (fields.length < 4) return new NoAddress(whole, 'IPv4 address too short');
  if (fields.length > 4) return new NoAddress(whole, 'IPv4 address too long');
  return Uint8Array.from(fields);
}

function parseIpv6(text: string): Uint8Array | NoAddress {
  const [address = '', zone] = text.split(/%(.*)/s);
  if (zone === '') return new NoAddress(text, 'zone must be a non-empty string');
  const halves = address.split('::');
  if (halves.length > 2) {
    return new NoAddress(
      text,
      'multiple :: in address',
      address.slice(address.lastIndexOf('::') + 1),
    );
  }
  const [head = '', tail] = halves;
  const front = groupsOf(text, head);
  const back = groupsOf(text, tail ?? '');
  if (front instanceof NoAddress) return front;
  if (back instanceof NoAddress) return back;
  const missing = 16 - front.length - back.length;
  if (tail === undefined && missing > 0) return new NoAddress(text, 'address string too short');
  if (missing < 0 || (tail !== undefined && missing === 0)) {
    return new NoAddress(
      text,
      tail === undefined
        ? 'trailing garbage after address'
        : 'the :: must expand to at least one field of zeros',
    );
  }
  const bytes = Uint8Array.from([...front, ...new Array<number>(missing).fill(0), ...back]);
  return zone === undefined ? bytes : Object.assign(bytes, { zone });
}

function groupsOf(whole: string, text: string): number[] | NoAddress {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (group.includes('.') && index === groups.length - 1) {
      const embedded = parseIpv4(whole, group);
      if (embedded instanceof NoAddress) return embedded;
      bytes.push(...embedded);
      continue;
    }
    const at = groups.slice(index).join(':');
    if (!/^[0-9a-fA-F]+/.test(group)) {
      return new NoAddress(whole, 'each colon-separated field must have at least one digit', at);
    }
    if (group.length > 4) {
      return new NoAddress(whole, 'each group must have 4 or less digits', at);
    }
    if (!/^[0-9a-fA-F]+$/.test(group)) {
      return new NoAddress(
        whole,
        'unexpected character, want colon',
        at.replace(/^[0-9a-fA-F]+/, ''),
      );
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
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

function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => {
    return ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0);
  });
  const { start, length } = longestZeros(groups);
  const shown = (from: number, to?: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return length < 2 ? shown(0) : `${shown(0, start)}::${shown(start + length)}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
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
