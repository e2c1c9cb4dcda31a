/**
 * Who says who is asking, and what can be said.
 *
 * In Kubernetes: Request and Token, apiserver/pkg/authentication/authenticator.
 */
import type { RoutedRequest, UserInfo } from '../request.ts';

/**
 * `unknown` means that the request carries nothing this authenticator reads; `refused` that
 * it does, and that it is no good. The reason is for the log only, never for the client.
 */
export type Authentication =
  | { readonly verdict: 'identified'; readonly user: UserInfo }
  | { readonly verdict: 'unknown' }
  | { readonly verdict: 'refused'; readonly reason: string };

export interface Authenticator {
  /** Decides at once where it can; gives a promise only where it has to ask somebody. */
  authenticate(request: RoutedRequest): Authentication | Promise<Authentication>;
}

export interface TokenAuthenticator {
  authenticateToken(token: string): Authentication | Promise<Authentication>;
}

export const UNKNOWN: Authentication = { verdict: 'unknown' };

export function identified(user: UserInfo): Authentication {
  return { verdict: 'identified', user };
}

/** Also what becomes of an authenticator that failed instead of deciding. */
export function refused(cause: unknown): Authentication {
  return { verdict: 'refused', reason: cause instanceof Error ? cause.message : String(cause) };
}
