/**
 * URLs: `url('https://example.com:80/path?k=v').getHost()`. What one is, is what Go reads as one.
 *
 * In Kubernetes: apiserver/pkg/cel/library/urls.go, and Go's net/url.
 */
import { goQuote } from '../../json/go-format.ts';
import { isRequestUri } from '../../structural-schema/format-uri.ts';
import { BOOL, listOf, mapOf, STRING } from '../cel-type.ts';
import { ValueList, ValueMap } from '../containers.ts';
import {
  declare,
  method,
  overload,
  type FunctionDeclaration,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { CelError, CelList, CelOpaque, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';
import { URL_TYPE } from './opaque-values.ts';

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly text: string;
}

class CelUrl extends CelOpaque {
  override readonly type = URL_TYPE;
  readonly parts: UrlParts;

  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  override equals(other: CelValue): boolean {
    return other instanceof CelUrl && this.parts.text === other.parts.text;
  }
}

const SHAPE =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

const parse: Implementation = (text) => {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD;
  const match = SHAPE.exec(text);
  if (!isRequestUri(text) || match === null) return unparsed(text);
  const [, scheme = '', authority = '', path = '', query = ''] = match;
  const host = unescape(authority.slice(authority.lastIndexOf('@') + 1));
  // Without a host and a leading slash the rest is opaque, and there is no path.
  const isOpaque = scheme !== '' && !text.slice(scheme.length + 1).startsWith('/');
  const parts = {
    scheme: scheme.toLowerCase(),
    host,
    path: isOpaque ? '' : escapedPath(path),
    query,
  };
  return new CelUrl({ ...parts, text });
};

function unparsed(text: string): CelError {
  const why = text === '' ? 'empty url' : 'invalid URI for request';
  const what = 'URL parse error during conversion from string';
  return new CelError(`${what}: parse ${goQuote(text)}: ${why}`);
}

function unescape(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = text.replace(/%[0-9A-Fa-f]{2}/g, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

/** What may stand as it is stays; the rest is escaped. */
function escapedPath(path: string): string {
  const isValid = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/.test(path);
  return isValid ? path : encodeURI(unescape(path)).replace(/[[\]]/g, encodeURIComponent);
}

/** The last colon counts, unless it is one of an address in brackets. */
function hostAndPort(host: string): readonly [hostname: string, port: string] {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && /^\d*$/.test(host.slice(colon + 1)) && !host.endsWith(']');
  const name = hasPort ? host.slice(0, colon) : host;
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return [bare, hasPort ? host.slice(colon + 1) : ''];
}

function queryOf(query: string): CelValue {
  const map = new ValueMap();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [name = '', value = ''] = pair.split(/=(.*)/s).map((part) => part.replaceAll('+', ' '));
    if (/%(?![0-9A-Fa-f]{2})/.test(name + value)) continue;
    const key = unescape(name);
    const known = map.find(key);
    const values = known instanceof CelList ? known : new ValueList([]);
    map.set(key, values.plus(new ValueList([unescape(value)])));
  }
  return map;
}

function part(name: string, id: string, of: (parts: UrlParts) => string): FunctionDeclaration {
  const run: Implementation = (url) => (url instanceof CelUrl ? of(url.parts) : NO_SUCH_OVERLOAD);
  return declare(name, method(id, [URL_TYPE], STRING, run));
}

const getQuery: Implementation = (url) =>
  url instanceof CelUrl ? queryOf(url.parts.query) : NO_SUCH_OVERLOAD;

const isUrl: Implementation = (text) =>
  typeof text === 'string' ? isRequestUri(text) : NO_SUCH_OVERLOAD;

export const URLS: Library = [
  declare('url', overload('string_to_url', [STRING], URL_TYPE, parse)),
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', ({ host }) => hostAndPort(host)[0]),
  part('getPort', 'url_get_port', ({ host }) => hostAndPort(host)[1]),
  part('getEscapedPath', 'url_get_escaped_path', ({ path }) => path),
  declare('getQuery', method('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), getQuery)),
  declare('isURL', overload('is_url_string', [STRING], BOOL, isUrl)),
];
