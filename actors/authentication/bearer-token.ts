/**
 * Reads the token of an `Authorization: Bearer …` header. A token that nobody knows is refused.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/bearertoken.
 */
import type { RoutedRequest } from '../request/request.ts';
import {
  refused,
  UNKNOWN,
  type Authentication,
  type Authenticator,
  type TokenAuthenticator,
} from './authenticator.ts';

const EXTRA_SPACE_WARNING =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

const SCHEME = 'bearer ';
const INVALID_TOKEN = refused('invalid bearer token');

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

/** A token that was shown and that nobody knows is a wrong one. */
export function unlessUnknown(answer: Authentication): Authentication {
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
