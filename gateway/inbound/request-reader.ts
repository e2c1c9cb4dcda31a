/** From what the wire says to the request line that the filters know. */
import { firstValues } from '../../actors/request/header-values.ts';
import type {
  Connection,
  IncomingHeaders,
  RequestLine,
} from '../../actors/request/request-line.ts';
import { acceptanceOf } from '../negotiation/accept.ts';

export interface WireRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingHeaders;
  readonly rawHeaders?: readonly string[];
  readonly connection: Connection;
  readonly isWebSocket: boolean;
}

/** Splits the target at its first `?`. Nothing is percent-decoded, and nothing can be wrong. */
export function requestLine(wire: WireRequest): RequestLine {
  const { method, target, rawHeaders, connection, isWebSocket } = wire;
  const headers = firstValues(wire);
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark + 1);
  const acceptance = acceptanceOf(headers, query);
  return {
    method,
    path,
    query,
    headers,
    rawHeaders,
    connection,
    accepted: acceptance.any,
    acceptance,
    isWebSocket,
  };
}
