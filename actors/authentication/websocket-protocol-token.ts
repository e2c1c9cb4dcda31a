/**
 * Reads the token of a WebSocket client, which cannot set an Authorization header in a browser
 * and so offers the token as a subprotocol: `base64url.bearer.authorization.k8s.io.<token>`,
 * the token in base64url without padding.
 *
 * That subprotocol must never be the one the server agrees to, so a client has to offer another
 * one beside it.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/websocket.
 */
import { headerValues } from '../request/header-values.ts';
import type { RoutedRequest } from '../request/request.ts';
import {
  refused,
  UNKNOWN,
  type Authentication,
  type Authenticator,
  type TokenAuthenticator,
} from './authenticator.ts';
import { unlessUnknown } from './bearer-token.ts';

export const BEARER_PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

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

/** The token, or the verdict where there is none or it is malformed. */
function offeredToken(request: RoutedRequest): string | Authentication {
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
function offeredProtocols(request: RoutedRequest): Offered {
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
