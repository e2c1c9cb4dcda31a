/**
 * IP addresses as text, read and written as Go does.
 *
 * In Kubernetes: Go's net/netip.
 */
import { goQuote } from '../../json/go-format.ts';

/** Why a text is no address, in the words of net/netip. */
export class NoAddress {
  readonly why: string;

  constructor(text: string, why: string, at = '') {
    this.why = `ParseAddr(${goQuote(text)}): ${why}${at === '' ? '' : ` (at ${goQuote(at)})`}`;
  }
}

/** 4 or 16 bytes, or why there are none; an address with a zone has it beside its bytes. */
export function parseAddress(text: string): Uint8Array | NoAddress {
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
    // Asked where something is wrong only: else each group would copy all that follow.
    const rest = (): string => groups.slice(index).join(':');
    if (!/^[0-9a-fA-F]+/.test(group)) {
      return new NoAddress(
        whole,
        'each colon-separated field must have at least one digit',
        rest(),
      );
    }
    if (group.length > 4) {
      return new NoAddress(whole, 'each group must have 4 or less digits', rest());
    }
    if (!/^[0-9a-fA-F]+$/.test(group)) {
      return new NoAddress(
        whole,
        'unexpected character, want colon',
        rest().replace(/^[0-9a-fA-F]+/, ''),
      );
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}

/** The shortest form. */
export function formatAddress(bytes: Uint8Array): string {
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
