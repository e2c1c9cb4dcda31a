/** A request of which only the headers matter, as the door makes one of the lines that came. */
import { NO_REQUEST_INFO } from '../../actors/request/request-info.ts';
import type { RoutedRequest } from '../../actors/request/request.ts';
import { receivedRequest } from '../../actors/request/server-request.ts';

/** @param lines one header in each, as `name: value`. */
export function requestWithHeaders(lines: string): RoutedRequest {
  const rawHeaders: string[] = [];
  // As Node does it, which keeps names of all kinds in a plain object without a prototype.
  const headers = Object.create(null) as Record<string, string>;
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    rawHeaders.push(name, value);
    const lower = name.toLowerCase();
    headers[lower] = headers[lower] === undefined ? value : `${headers[lower]}, ${value}`;
  }
  const line = {
    method: 'GET',
    path: '/api',
    query: '',
    headers,
    rawHeaders,
    connection: { remoteAddress: '192.0.2.1', clientCertificate: () => undefined },
    accepted: undefined,
    isWebSocket: true,
  };
  const nobody = { readBody: () => new Promise<never>(() => undefined), answer: () => undefined };
  return receivedRequest(line, nobody).routedAs(NO_REQUEST_INFO);
}
