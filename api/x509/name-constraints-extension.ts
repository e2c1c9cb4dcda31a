/**
 * For which names a certificate may sign, as its extension says it.
 *
 * In Go: parseNameConstraintsExtension, crypto/x509.
 */
import { NoAddress, parseAddress } from '../cel/library/address-text.ts';
import { goQuote } from '../json/go-format.ts';
import { CertificateError, required } from './certificate-error.ts';
import { contextTag, DerReader, TAG } from './der-reader.ts';
import { isAscii } from './distinguished-name.ts';
import { isDomain, parseMailbox } from './domain-text.ts';

export interface IpRange {
  /** 4 or 16 bytes. */
  readonly address: Buffer;
  readonly prefixLength: number;
}

export interface Subtrees {
  readonly dns: readonly string[];
  readonly ranges: readonly IpRange[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
}

export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** Whether some of it is about names of an unknown kind. */
  readonly hasUnknown: boolean;
}

const INVALID = 'x509: invalid NameConstraints extension';
const EMAIL = contextTag(1);
const DNS = contextTag(2);
const URI = contextTag(6);
const IP = contextTag(7);

/** @throws {CertificateError} */
export function parseNameConstraints(value: Buffer): NameConstraints {
  const outer = new DerReader(value);
  const inner = required(outer.enter(TAG.sequence), INVALID);
  const permitted = optional(inner, contextTag(0, true));
  const excluded = optional(inner, contextTag(1, true));
  if (!outer.isEmpty || !inner.isEmpty) throw new CertificateError(INVALID);
  if (permitted.length + excluded.length === 0) {
    throw new CertificateError('x509: empty name constraints extension');
  }
  const first = subtreesOf(permitted);
  const second = subtreesOf(excluded);
  const hasUnknown = first.hasUnknown || second.hasUnknown;
  return { permitted: first.subtrees, excluded: second.subtrees, hasUnknown };
}

function optional(reader: DerReader, tag: number): Buffer {
  return reader.sees(tag) ? required(reader.read(tag), INVALID) : Buffer.alloc(0);
}

function subtreesOf(bytes: Buffer): { readonly subtrees: Subtrees; readonly hasUnknown: boolean } {
  const reader = new DerReader(bytes);
  const subtrees = {
    dns: [] as string[],
    ranges: [] as IpRange[],
    emails: [] as string[],
    uris: [] as string[],
  };
  let hasUnknown = false;
  while (!reader.isEmpty) {
    const subtree = required(reader.enter(TAG.sequence), INVALID);
    const { tag, contents } = required(subtree.readAny(), INVALID);
    if (tag === DNS) subtrees.dns.push(domainIn(contents, 'dnsName'));
    else if (tag === IP) subtrees.ranges.push(rangeIn(contents));
    else if (tag === EMAIL) subtrees.emails.push(emailIn(contents));
    else if (tag === URI) subtrees.uris.push(uriIn(contents));
    else hasUnknown = true;
  }
  return { subtrees, hasUnknown };
}

function textIn(contents: Buffer): string {
  const text = contents.toString('latin1');
  if (isAscii(contents)) return text;
  const shown = goQuote(contents.toString('utf8'));
  throw new CertificateError(
    `x509: invalid constraint value: x509: ${shown} cannot be encoded as an IA5String`,
  );
}

function domainIn(contents: Buffer, kind: string): string {
  const text = textIn(contents);
  if (isDomain(text, true)) return text;
  throw new CertificateError(`x509: failed to parse ${kind} constraint ${goQuote(text)}`);
}

function emailIn(contents: Buffer): string {
  const text = textIn(contents);
  if (!text.includes('@')) return domainIn(contents, 'rfc822Name');
  if (parseMailbox(text) !== undefined) return text;
  throw new CertificateError(`x509: failed to parse rfc822Name constraint ${goQuote(text)}`);
}

function uriIn(contents: Buffer): string {
  const text = textIn(contents);
  if (parseAddress(text) instanceof NoAddress) return domainIn(contents, 'URI');
  const about = `x509: failed to parse URI constraint ${goQuote(text)}`;
  throw new CertificateError(`${about}: cannot be IP address`);
}

function rangeIn(contents: Buffer): IpRange {
  const half = contents.length / 2;
  if (half !== 4 && half !== 16) {
    const length = String(contents.length);
    throw new CertificateError(`x509: IP constraint contained value of length ${length}`);
  }
  const mask = contents.subarray(half);
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const firstZero = bits.indexOf('0');
  const prefixLength = firstZero < 0 ? bits.length : firstZero;
  if (bits.slice(prefixLength).includes('1')) {
    throw new CertificateError(
      `x509: IP constraint contained invalid mask ${mask.toString('hex')}`,
    );
  }
  return { address: contents.subarray(0, half), prefixLength };
}
