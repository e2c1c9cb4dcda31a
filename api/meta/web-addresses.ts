/**
 * Addresses of the web as Go reads them: the parts of a URL, as far as addresses of webhooks go, or
 * why it is none (JavaScript's own reader mends what Go refuses); and single parameters of a query
 * string, without taking the whole of it apart. A pair that is malformed (a bad percent escape, a
 * semicolon) is passed over in silence, and `+` means a space.
 *
 * In Go: url.Parse and url.ParseQuery, net/url.
 */
import { goQuote } from '../json/go-format.ts';

interface WebAddress {
  readonly scheme: string;
  /** With its port. */
  readonly host: string;
  /** As it was written, undefined when there is none. */
  readonly user: string | undefined;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

type ParsedWebAddress =
  | { readonly ok: true; readonly address: WebAddress }
  /** `parse "…": …` */
  | { readonly ok: false; readonly message: string };

const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):/;
const CONTROL = /[\u0000-\u001f\u007f]/;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2}).{0,2}/;
const PORT = /^(?::[0-9]*)?$/;
const BAD_HOST = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/;
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

/** As Go's `url.Parse`, with its error. */
export function parseWebAddress(text: string): ParsedWebAddress {
  const result = parse(text);
  if (typeof result !== 'string') return { ok: true, address: result };
  return { ok: false, message: `parse ${goQuote(text)}: ${result}` };
}

/** The parts, or what is wrong. */
function parse(text: string): WebAddress | string {
  if (CONTROL.test(text)) return 'net/url: invalid control character in URL';
  const hash = text.indexOf('#');
  const [whole, fragment] = hash < 0 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)];
  if (whole.startsWith(':')) return 'missing protocol scheme';
  const scheme = SCHEME.exec(whole)?.[1] ?? '';
  const rest = scheme === '' ? whole : whole.slice(scheme.length + 1);
  const mark = rest.indexOf('?');
  const [place, query] = mark < 0 ? [rest, ''] : [rest.slice(0, mark), rest.slice(mark + 1)];
  const none = { scheme: scheme.toLowerCase(), host: '', user: undefined, path: '', query };
  if (!place.startsWith('/')) {
    // What follows a scheme at once is opaque.
    if (scheme !== '') return { ...none, fragment };
    const [segment = ''] = place.split('/');
    if (segment.includes(':')) return 'first path segment in URL cannot contain colon';
  }
  const isRooted = place.startsWith('//') && (scheme !== '' || !place.startsWith('///'));
  const slash = isRooted ? place.indexOf('/', 2) : 0;
  const authority = isRooted ? place.slice(2, slash < 0 ? undefined : slash) : '';
  const path = slash < 0 ? '' : place.slice(slash);
  const parsed = parseAuthority(authority);
  if (typeof parsed === 'string') return parsed;
  const escape = BAD_ESCAPE.exec(path) ?? BAD_ESCAPE.exec(fragment);
  if (escape !== null) return `invalid URL escape ${goQuote(escape[0])}`;
  return { ...none, ...parsed, path, fragment };
}

function parseAuthority(authority: string): Pick<WebAddress, 'host' | 'user'> | string {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const host = authority.slice(at + 1);
  const problem = hostProblem(host);
  if (problem !== undefined) return problem;
  if (user !== undefined && !USER.test(user)) return 'net/url: invalid userinfo';
  return { host, user };
}

function hostProblem(host: string): string | undefined {
  const close = host.lastIndexOf(']');
  if (host.startsWith('[') && close < 0) return "missing ']' in host";
  const colon = host.startsWith('[') ? close + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!PORT.test(port)) return `invalid port ${goQuote(port)} after host`;
  const escape = BAD_ESCAPE.exec(host) ?? /%[0-7][0-9a-fA-F]/.exec(host);
  if (escape !== null) return `invalid URL escape ${goQuote(escape[0])}`;
  const bad = BAD_HOST.exec(host);
  return bad === null ? undefined : `invalid character ${goQuote(bad[0])} in host name`;
}

/** The first value of `name`, decoded; undefined when there is none. `?watch` gives ''. */
export function queryValue(query: string, name: string): string | undefined {
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    const value = valueIfNamed(query, { start, end }, name);
    if (value !== undefined) return value;
    start = end + 1;
  }
  return undefined;
}

/** Every value of `name`, decoded, in the order they stand in. */
export function queryValues(query: string, name: string): string[] {
  const values: string[] = [];
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    const value = valueIfNamed(query, { start, end }, name);
    if (value !== undefined) values.push(value);
    start = end + 1;
  }
  return values;
}

function endOfPair(query: string, start: number): number {
  const end = query.indexOf('&', start);
  return end < 0 ? query.length : end;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function valueIfNamed(query: string, { start, end }: Span, name: string): string | undefined {
  const keyEnd = endOfKey(query, { start, end });
  if (!isNamed(query, { start, end: keyEnd }, name)) return undefined;
  const raw = query.slice(Math.min(keyEnd + 1, end), end);
  return raw.includes(';') ? undefined : queryUnescape(raw);
}

/** Looks no further than the pair goes: a query can have as many pairs as it has characters. */
function endOfKey(query: string, { start, end }: Span): number {
  let at = start;
  while (at < end && query.charCodeAt(at) !== EQUALS) at += 1;
  return at;
}

const EQUALS = 0x3d;

function isNamed(query: string, { start, end }: Span, name: string): boolean {
  if (end - start === name.length) return query.startsWith(name, start);
  if (end - start < name.length) return false;
  // A longer key can still be the same one, with its letters escaped.
  const key = query.slice(start, end);
  return key.includes('%') && !key.includes(';') && queryUnescape(key) === name;
}

/** undefined when an escape is malformed. Bytes that are not UTF-8 become U+FFFD. */
export function queryUnescape(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return percentDecode(spaced);
}

const MALFORMED_ESCAPE = /%(?![0-9a-fA-F]{2})/;

/** undefined when an escape is malformed. Bytes that are not UTF-8 become U+FFFD. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (MALFORMED_ESCAPE.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeBytes(text);
  }
}

/** The escapes are well-formed but do not spell UTF-8, which Go lets through and we replace. */
function decodeBytes(text: string): string {
  const source = Buffer.from(text, 'utf8');
  const bytes: number[] = [];
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === 0x25) {
      bytes.push(Number.parseInt(source.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(source[at] ?? 0);
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
