/** From what the wire says to the request line that the filters know. */
import { firstValues } from '../../actors/request/header-values.ts';
import type {
  Connection,
  IncomingHeaders,
  RequestLine,
} from '../../actors/request/request-line.ts';
import { acceptanceOf } from '../negotiation/accept.ts';

export interface WireRequest extends SentWith {
  /** Path and query, as sent. */
  readonly target: string;
}

/** What is sent beside the target. */
export interface SentWith {
  readonly method: string;
  readonly headers: IncomingHeaders;
  readonly rawHeaders?: readonly string[];
  readonly connection: Connection;
  readonly isWebSocket: boolean;
}

/** What is asked for. */
export interface Target {
  /** As sent. */
  readonly path: string;
  /** Without `?`; '' for none. */
  readonly query: string;
}

/** Splits the target at its first `?`. Nothing is percent-decoded, and nothing can be wrong. */
export function requestLine(wire: WireRequest): RequestLine {
  const { target } = wire;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark + 1);
  return lineOf({ path, query }, wire);
}

/** The same of a target that is taken apart. */
export function lineOf({ path, query }: Target, sent: SentWith): RequestLine {
  const { method, rawHeaders, connection, isWebSocket } = sent;
  const headers = firstValues(sent);
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
