/**
 * Which texts are domains, mailboxes and URIs to Go, in certificates and in what constrains their names.
 *
 * In Go: domainNameValid, parseRFC2821Mailbox and parseURIs, crypto/x509.
 */
import { NoAddress, parseAddress } from '../cel/library/address-text.ts';
import { goQuote } from '../json/go-format.ts';
import { CertificateError } from './certificate-error.ts';

/** @param isConstraint which may begin with a dot. */
export function isDomain(text: string, isConstraint = false): boolean {
  if (text === '') return true;
  const labels = isConstraint && text.startsWith('.') ? text.slice(1) : text;
  return labels.split('.').every((label) => label !== '' && VISIBLE.test(label));
}

const VISIBLE = /^[!-~]*$/;

export interface Mailbox {
  readonly local: string;
  readonly domain: string;
}

/** undefined: it is none. */
export function parseMailbox(text: string): Mailbox | undefined {
  const found = text.startsWith('"') ? quotedLocal(text) : plainLocal(text);
  if (found === undefined || text[found.end] !== '@') return undefined;
  const domain = text.slice(found.end + 1);
  const isAbsolute = domain.endsWith('.');
  return isAbsolute || !isDomain(domain) ? undefined : { local: found.local, domain };
}

interface LocalPart {
  readonly local: string;
  /** Where it ends. */
  readonly end: number;
}

const ATOM = /[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.]/;
const QUOTED = /[\u0001-\u0008\u000b\u000c\u000e-\u001f !#-[\]-~\u007f]/;
const QUOTED_PAIR = /[\u0001-\u0009\u000b\u000c\u000e-\u007f]/;

function quotedLocal(text: string): LocalPart | undefined {
  let local = '';
  for (let at = 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { local, end: at + 1 };
    const isPair = character === '\\';
    if (isPair) at += 1;
    const meant = text.charAt(at);
    if (!(isPair ? QUOTED_PAIR : QUOTED).test(meant)) return undefined;
    local += meant;
  }
  return undefined;
}

function plainLocal(text: string): LocalPart | undefined {
  let local = '';
  let end = 0;
  for (; end < text.length; end += 1) {
    const isPair = text[end] === '\\';
    const meant = text.charAt(isPair ? end + 1 : end);
    // Whatever follows a backslash stands for itself.
    if (meant === '' || (!isPair && !ATOM.test(meant))) break;
    if (isPair) end += 1;
    local += meant;
  }
  if (text[end] === '\\') return undefined;
  const isDotted = local.startsWith('.') || local.endsWith('.') || local.includes('..');
  return local === '' || isDotted ? undefined : { local, end };
}

export interface UriName {
  readonly text: string;
  /** With its port; '' where there is none. */
  readonly host: string;
}

const URI = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/([^/?#]*))?/;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** @throws {CertificateError} */
export function parseUriName(text: string): UriName {
  const quoted = goQuote(text);
  if (CONTROL.test(text)) {
    const why = 'net/url: invalid control character in URL';
    throw new CertificateError(`x509: cannot parse URI ${quoted}: parse ${quoted}: ${why}`);
  }
  const authority = URI.exec(text)?.[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (isDomain(host)) return { text, host };
  throw new CertificateError(`x509: cannot parse URI ${quoted}: invalid domain`);
}

const PORT = /:(\d*)$/;

/** The domain that constraints are about. @throws {CertificateError} where they cannot be. */
export function domainOf({ text, host }: UriName): string {
  const quoted = goQuote(text);
  if (host === '') {
    throw new CertificateError(
      `URI with empty host (${quoted}) cannot be matched against constraints`,
    );
  }
  const domain = host.toLowerCase().replace(PORT, '');
  const isBracketed = domain.startsWith('[') && domain.endsWith(']');
  if (!isBracketed && parseAddress(domain) instanceof NoAddress) return domain;
  throw new CertificateError(`URI with IP (${quoted}) cannot be matched against constraints`);
}
