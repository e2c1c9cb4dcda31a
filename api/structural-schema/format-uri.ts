/**
 * The format `uri`: what a client may put into a request line, a path or an absolute URL. What
 * follows a `#` is no fragment there but a part of the path.
 *
 * In Kubernetes: ParseRequestURI of Go's net/url.
 */
import { isIpv6 } from './format-addresses.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const PORT = /^(?::\d*)?$/;
/** ASCII that a host may have as it is. */
const HOST = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/;
/** In a host only bytes beyond ASCII are escaped, and the percent sign. */
const ESCAPED_ASCII = /%(?!25)[0-7]/;

export function isRequestUri(text: string): boolean {
  if (text === '' || CONTROL.test(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = SCHEME.exec(text)?.[1] ?? '';
  const rest = withoutQuery(scheme === '' ? text : text.slice(scheme.length + 1));
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme === '' || !rest.startsWith('//')) return isEscaped(rest);
  const end = rest.indexOf('/', 2);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
  const path = end < 0 ? '' : rest.slice(end);
  return isAuthority(authority, scheme.toLowerCase()) && isEscaped(path);
}

function withoutQuery(text: string): string {
  const mark = text.indexOf('?');
  return mark < 0 ? text : text.slice(0, mark);
}

function isEscaped(text: string): boolean {
  return !BROKEN_ESCAPE.test(text);
}

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  return isHost(authority.slice(at + 1), scheme) && USER_INFO.test(user) && isEscaped(user);
}

function isHost(host: string, scheme: string): boolean {
  const open = host.lastIndexOf('[');
  if (open > 0) return false;
  if (open === 0) return isBracketed(host);
  const isWeb = scheme === 'http' || scheme === 'https';
  const colon = isWeb ? host.indexOf(':') : host.lastIndexOf(':');
  return (colon < 0 || PORT.test(host.slice(colon))) && isHostText(host);
}

function isHostText(text: string): boolean {
  return HOST.test(text) && isEscaped(text) && !ESCAPED_ASCII.test(text);
}

/** `[::1]:80`, and with a zone: `[fe80::1%25en0]`. */
function isBracketed(host: string): boolean {
  const close = host.lastIndexOf(']');
  if (close < 0 || !PORT.test(host.slice(close + 1))) return false;
  const [address = '', ...zones] = host.slice(1, close).split('%25');
  if (!isHostText(address) || address.includes('%')) return false;
  const hasZone = zones.length > 0;
  return isIpv6(address) && (!hasZone || isZone(zones.join('%25')));
}

const ZONE_ESCAPE = /%([0-9A-Fa-f]{2})/g;

/** Bytes that may stand in a zone as they are may be escaped there too, and so may a space. */
function isZone(zone: string): boolean {
  if (zone === '' || !HOST.test(zone) || !isEscaped(zone)) return false;
  return [...zone.matchAll(ZONE_ESCAPE)].every(([escape, code = '']) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return escape === '%25' || character === ' ' || (character !== '%' && isAsciiOfHost(character));
  });
}

function isAsciiOfHost(character: string): boolean {
  return character < '\u0080' && HOST.test(character);
}
