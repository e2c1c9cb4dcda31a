/**
 * Whether a page of another site opens the socket with what is the user's. A browser shows a client
 * certificate on sockets that any page opens, and says in Origin which page it is; a token is the page's own.
 */
import type { AuthenticatedRequest } from '../../actors/request/request.ts';

/** True where the browser has shown a client certificate on behalf of a page that is not of this server. */
export function isOfAnotherSite({
  headers,
  connection,
}: Pick<AuthenticatedRequest, 'headers' | 'connection'>): boolean {
  const { origin, host } = headers;
  if (origin === undefined || connection.clientCertificate() === undefined) return false;
  return typeof host !== 'string' || origin !== `https://${host}`;
}
