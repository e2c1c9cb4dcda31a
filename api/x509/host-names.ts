/**
 * Whether a certificate is for a host. Names of subjects never count, an address counts where it is
 * named as one, and a wildcard stands for one whole label, the first.
 *
 * In Go: VerifyHostname and HostnameError, crypto/x509.
 */
import { formatAddress, NoAddress, parseAddress } from '../cel/library/address-text.ts';
import type { Certificate } from './certificate.ts';

/** Beyond so many, messages count names and do not show them. */
const NAMES_SHOWN = 100;
const LABEL = /^[a-z0-9_][a-z0-9_-]*$/i;

/** Why it is not, in Go's words; undefined: it is. @param host in brackets or not, where it is IPv6. */
export function hostProblem(certificate: Certificate, host: string): string | undefined {
  const isBracketed = host.length >= 3 && host.startsWith('[') && host.endsWith(']');
  const unbracketed = isBracketed ? host.slice(1, -1) : host;
  const address = addressOf(unbracketed);
  const { dns, ips } = certificate.names;
  if (address !== undefined) {
    if (ips.some((one) => shortened(one).equals(address))) return undefined;
    return mismatch(certificate, unbracketed, address);
  }
  const wanted = lowered(host);
  const isName = isHostName(withoutLastDot(wanted), false);
  const isOne = dns.some((name) =>
    isName && isHostName(name, true)
      ? matches(lowered(name), withoutLastDot(wanted))
      : isSame(name, wanted),
  );
  return isOne ? undefined : mismatch(certificate, host);
}

/** 4 bytes for what is an address of IPv4 within IPv6. */
export function shortened(address: Buffer): Buffer {
  const isMapped =
    address.length === 16 &&
    address.readUIntBE(0, 6) === 0 &&
    address.readUInt32BE(6) === 0 &&
    address.readUInt16BE(10) === 0xffff;
  return isMapped ? address.subarray(12) : address;
}

/** As Go writes addresses. */
export function shownAddress(address: Buffer): string {
  return formatAddress(shortened(address));
}

function addressOf(text: string): Buffer | undefined {
  if (text.includes('%')) return undefined;
  const bytes = parseAddress(text);
  return bytes instanceof NoAddress ? undefined : shortened(Buffer.from(bytes));
}

function isHostName(host: string, isPattern: boolean): boolean {
  if (host === '' || host === '*') return false;
  return host
    .split('.')
    .every((label, index) => (isPattern && index === 0 && label === '*') || LABEL.test(label));
}

function matches(pattern: string, host: string): boolean {
  const labels = host.split('.');
  const wanted = pattern.split('.');
  if (pattern === '' || wanted.length !== labels.length) return false;
  return wanted.every((label, index) => (index === 0 && label === '*') || label === labels[index]);
}

/** Of names that are none: they may stand for themselves. */
function isSame(name: string, host: string): boolean {
  return name !== '' && name !== '.' && host !== '' && host !== '.' && lowered(name) === host;
}

function withoutLastDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** Only letters of ASCII have two cases here. */
function lowered(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function mismatch(certificate: Certificate, host: string, address?: Buffer): string {
  const { names, rawNames, subject } = certificate;
  if (
    rawNames === undefined &&
    matches(lowered(subject.commonName), withoutLastDot(lowered(host)))
  ) {
    return 'x509: certificate relies on legacy Common Name field, use SANs instead';
  }
  const shown = address === undefined ? names.dns : names.ips.map(shownAddress);
  if (address !== undefined && shown.length === 0) {
    const about = `x509: cannot validate certificate for ${host}`;
    return `${about} because it doesn't contain any IP SANs`;
  }
  if (shown.length >= NAMES_SHOWN) {
    const what = address === undefined ? 'names' : 'IP SANs';
    const count = String(shown.length);
    return `x509: certificate is valid for ${count} ${what}, but none matched ${host}`;
  }
  const valid = shown.join(', ');
  return valid === ''
    ? `x509: certificate is not valid for any names, but wanted to match ${host}`
    : `x509: certificate is valid for ${valid}, not ${host}`;
}
