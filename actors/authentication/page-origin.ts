/**
 * Whether a page of another site has opened a connection of WebSocket. A browser shows the client certificate of
 * its user on every socket that any page opens, and says in `Origin` which page that is; a token is the
 * page's own. So on such a connection the certificate counts for nothing.
 *
 * Client libraries send no Origin, or that of the server, or one of loopback, as Kubernetes' own tests do.
 * The surprise: kube-apiserver does not ask for it, so this is the one place where ours refuses more.
 */
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import type { RequestLine } from '../request/request-line.ts';

/** As a browser writes them in Origin; `kubectl proxy` and dashboards on a desktop are there. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @param allowed by the operator, for pages that may call the API. */
export function isOfAnotherSite(
  { headers, connection }: Pick<RequestLine, 'headers' | 'connection'>,
  allowed: readonly RegularExpression[],
): boolean {
  const { origin, host } = headers;
  if (connection.isUpgraded !== true || typeof origin !== 'string') return false;
  if (allowed.some((pattern) => pattern.test(origin))) return false;
  const page = siteIn(origin);
  if (page === undefined) return true;
  if (LOOPBACK.has(page.hostname)) return false;
  const own = typeof host === 'string' ? siteIn(`https://${host}`) : undefined;
  return own?.origin !== page.origin;
}

/** With the port left out where it is that of the scheme; undefined: it is none, as `null`. */
function siteIn(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
