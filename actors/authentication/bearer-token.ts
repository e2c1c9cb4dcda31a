/**
 * Where a request has its token: in the header `Authorization: Bearer …`, or as a subprotocol of a
 * WebSocket, since a browser cannot set headers there: `base64url.bearer.authorization.k8s.io.<token>`,
 * the token in base64url without padding. A token that no authenticator knows is refused.
 *
 * The server must never agree to that subprotocol, so a client has to offer another one beside it.
 *
 * In Kubernetes: bearertoken and websocket, apiserver/pkg/authentication/request.
 */
import type { RoutedRequest } from '../request/request.ts';
import {
  type Authentication,
  type Authenticator,
  refused,
  type TokenAuthenticator,
  UNKNOWN,
} from './authenticator.ts';
import { headerValues } from '../request/header-values.ts';

const EXTRA_SPACE_WARNING =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

const SCHEME = 'bearer ';
const INVALID_TOKEN = refused('invalid bearer token');

/** Reads the token of the `Authorization` header; a request without one is unknown, not refused. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticate(request, audiences) {
      const token = bearerToken(request);
      if (token === '') return UNKNOWN;
      const answer = tokens.authenticateToken(token, audiences);
      return answer instanceof Promise ? answer.then(unlessUnknown) : unlessUnknown(answer);
    },
  };
}

/** A token that was shown and that no authenticator knows is a wrong one. */
function unlessUnknown(answer: Authentication): Authentication {
  return answer.verdict === 'unknown' ? INVALID_TOKEN : answer;
}

/** '' when there is none. */
function bearerToken(request: RoutedRequest): string {
  const header = request.headers['authorization'];
  if (typeof header !== 'string') return '';
  const credential = header.trim();
  if (credential.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return '';
  const end = credential.indexOf(' ', SCHEME.length);
  if (end === SCHEME.length) request.warn(EXTRA_SPACE_WARNING);
  return credential.slice(SCHEME.length, end < 0 ? undefined : end);
}

/** Never to be chosen as the subprotocol of a WebSocket: what follows it is a secret. */
export const BEARER_PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** Reads the token of `Sec-WebSocket-Protocol`, of WebSocket requests only. */
export function websocketProtocolAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticate(request, audiences) {
      if (!request.isWebSocket) return UNKNOWN;
      const offered = offeredToken(request);
      if (typeof offered !== 'string') return offered;
      const answer = tokens.authenticateToken(offered, audiences);
      return answer instanceof Promise ? answer.then(unlessUnknown) : unlessUnknown(answer);
    },
  };
}

type WithHeaders = Pick<RoutedRequest, 'headers' | 'rawHeaders'>;

/** The token, or the verdict where there is none or it is malformed. */
function offeredToken(request: WithHeaders): string | Authentication {
  const { carriers, isAlone } = offeredProtocols(request);
  const [carrier] = carriers;
  if (carrier === undefined) return UNKNOWN;
  if (carriers.length > 1) {
    return refused('multiple base64.bearer.authorization tokens specified');
  }
  const token = decoded(carrier.slice(BEARER_PROTOCOL_PREFIX.length));
  if (token === undefined) return refused('invalid base64.bearer.authorization token encoding');
  if (token === '') return UNKNOWN;
  return isAlone ? refused('missing additional subprotocol') : token;
}

interface Offered {
  /** Protocols that carry a token. */
  readonly carriers: readonly string[];
  /** Whether one protocol is all that is offered. */
  readonly isAlone: boolean;
}

/** Before authentication, so most headers are not even taken apart. */
function offeredProtocols(request: WithHeaders): Offered {
  const lines = headerValues(request, 'sec-websocket-protocol');
  const carriers: string[] = [];
  for (const line of lines) {
    if (!line.includes(BEARER_PROTOCOL_PREFIX)) continue;
    for (const part of line.split(',')) {
      const protocol = part.trim();
      if (protocol.startsWith(BEARER_PROTOCOL_PREFIX)) carriers.push(protocol);
    }
  }
  return { carriers, isAlone: lines.length === 1 && !lines[0]?.includes(',') };
}

/** The token that a WebSocket client offers as a subprotocol; undefined: none, or none that can be read. */
export function tokenOffered(request: WithHeaders): string | undefined {
  const offered = offeredToken(request);
  return typeof offered === 'string' ? offered : undefined;
}

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** undefined when it is not base64url without padding, or does not spell UTF-8. */
function decoded(text: string): string | undefined {
  if (!BASE64URL.test(text) || text.length % 4 === 1) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(text, 'base64url'),
    );
  } catch {
    return undefined; // Decoding is the only way to learn that bytes are not UTF-8.
  }
}
