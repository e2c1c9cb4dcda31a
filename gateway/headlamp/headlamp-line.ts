/**
 * What Headlamp's page asks becomes an ordinary request before any filter sees it: the place that a cluster is of takes the
 * place of its name in the path, and the token of the cookies becomes the header `Authorization`. So all that holds for requests
 * holds for these, and none of the filters knows of Headlamp.
 *
 * Only of requests that the page itself makes: a browser sends cookies, and shows a certificate, also where another page
 * of the same host asks, on another port say, or a document that a pod serves through the API. Any other keeps its path, which serves nothing.
 */
import { headerValues } from '../../actors/request/header-values.ts';
import { HEADLAMP_SOCKET_PATH, headlampClusterPath } from '../../actors/request/page-paths.ts';
import type { IncomingHeaders, RequestLine } from '../../actors/request/request-line.ts';
import type { HeadlampClusters } from '../flags/headlamp-clusters.ts';
import { sentCookies } from './token-cookies.ts';

/** Of Sec-Fetch-Dest: a script asks, which reads the answer, and no window shows it. */
const SCRIPTS: ReadonlySet<string> = new Set(['empty', 'websocket']);

/** The line by which the server goes on; the same where it is none of Headlamp's. */
export function headlampLine(clusters: HeadlampClusters, line: RequestLine): RequestLine {
  const { path } = line;
  const asked = headlampClusterPath(path);
  const place = asked === undefined ? undefined : clusters.get(asked.cluster);
  if (path !== HEADLAMP_SOCKET_PATH && place === undefined) return line;
  if (asked?.rest === '/set-token' || !isAskedByThePage(line)) return line;
  const meant = withToken(line);
  if (asked === undefined || place === undefined || asked.rest === '/me') return meant;
  return { ...meant, path: place + asked.rest };
}

/**
 * Whether a script of a page of this server asks, which browsers say in `Sec-Fetch-Site`, which no script can set,
 * or else in `Origin`. Where they say neither, nothing speaks for it.
 */
export function isAskedByThePage({ headers }: Pick<RequestLine, 'headers'>): boolean {
  const destination = headers['sec-fetch-dest'];
  if (typeof destination === 'string' && !SCRIPTS.has(destination)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const host = headers[':authority'] ?? headers['host'];
  return typeof host === 'string' && headers['origin'] === `https://${host}`;
}

/** A header that is there already counts. Nothing behind this sees the cookie. */
function withToken(line: RequestLine): RequestLine {
  const { token, others } = sentCookies(headerValues(line, 'cookie'));
  const { authorization, cookie: _cookie, ...headers } = line.headers as Record<string, string>;
  const rawHeaders: string[] = [];
  const sent = line.rawHeaders ?? [];
  for (let at = 0; at + 1 < sent.length; at += 2) {
    const [name = '', value = ''] = [sent[at], sent[at + 1]];
    if (name.toLowerCase() !== 'cookie') rawHeaders.push(name, value);
  }
  const added: Record<string, string> = {};
  if (others !== '') added['cookie'] = others;
  if (authorization !== undefined) headers['authorization'] = authorization;
  else if (token !== undefined) added['authorization'] = `Bearer ${token}`;
  rawHeaders.push(...Object.entries(added).flat());
  const all: IncomingHeaders = { ...headers, ...added };
  return { ...line, headers: all, rawHeaders };
}
