/** Whether a request came over HTTP/2, where many share one connection. */
import type { ReceivedRequest } from './request.ts';

/** No header of HTTP/1 can begin with a colon. */
export function isHttp2({ headers }: ReceivedRequest): boolean {
  return headers[':method'] !== undefined;
}
