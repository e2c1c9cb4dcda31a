/**
 * Whether a page of another site makes a request that it must not make by the client certificate of its
 * user: a browser shows that on every request that any page makes, and says in `Sec-Fetch-Site` and in `Origin`
 * which page that is. Of a WebSocket the page reads all that comes; of anything else it reads nothing,
 * and what it writes is written. A token is the page's own. So there the certificate counts for nothing.
 *
 * Client libraries send no Origin, or that of the server, or one of loopback, as Kubernetes' own tests do.
 * The surprise: kube-apiserver does not ask for it, so this is the one place where ours refuses more.
 *
 * In Go: CrossOriginProtection, net/http/csrf.go, which asks in the same order.
 */
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import type { RequestLine } from '../request/request-line.ts';

/** As a browser writes them in Origin; `kubectl proxy` and dashboards on a desktop are there. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** What changes nothing; pages of other sites cannot read the answer. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Of Sec-Fetch-Site, which no script can set: the page's own server was asked, or the user typed the address. */
const OWN_SITE: ReadonlySet<string | string[] | undefined> = new Set(['same-origin', 'none']);

type AskedOf = Pick<RequestLine, 'method' | 'headers' | 'connection'>;

/** @param allowed by the operator, for pages that may call the API. */
export function isOfAnotherSite(
  { method, headers, connection }: AskedOf,
  allowed: readonly RegularExpression[],
): boolean {
  const { origin } = headers;
  if (typeof origin !== 'string') return false;
  if (connection.isUpgraded !== true && READS.has(method)) return false;
  // A dashboard that passes on what its page asks of it passes this on, too.
  if (OWN_SITE.has(headers['sec-fetch-site'])) return false;
  if (allowed.some((pattern) => pattern.test(origin))) return false;
  const page = siteIn(origin);
  if (page === undefined) return true;
  if (LOOPBACK.has(page.hostname)) return false;
  const host = headers[':authority'] ?? headers['host'];
  const own = typeof host === 'string' ? siteIn(`https://${host}`) : undefined;
  return own?.origin !== page.origin;
}

/** With the port left out where it is that of the scheme; undefined: it is none, as `null`. */
function siteIn(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
