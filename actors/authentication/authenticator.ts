/**
 * What says which user is asking, and what can be said.
 *
 * In Kubernetes: Request and Token, apiserver/pkg/authentication/authenticator.
 */
import type { RoutedRequest, UserInfo } from '../request/request.ts';

/** The request is this user's. */
export interface Identified {
  readonly verdict: 'identified';
  /** As authorization sees it, unless the request impersonates another. */
  readonly user: UserInfo;
  /** For which of the audiences that were asked for the credential is good; undefined: for any. */
  readonly audiences?: readonly string[];
  /** What is to be said of the credential: annotations of the audit, by key. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** For the client, as a `Warning` header; undefined: none. */
  readonly warning?: string;
}

export interface Refused {
  readonly verdict: 'refused';
  readonly reason: string;
  /** As of a user that is let in: for the audit of requests that are not. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * `unknown` means that the request carries nothing this authenticator reads; `refused` that
 * it does, and that it is no good. The reason is for the log only, never for the client, and has
 * nothing in it that is secret.
 */
export type Authentication = Identified | { readonly verdict: 'unknown' } | Refused;

/** Whom a credential has to be meant for; undefined: this server. */
export type Audiences = readonly string[] | undefined;

export interface Authenticator {
  /** Decides at once where it can; gives a promise only where it has to ask a webhook. */
  authenticate(
    request: RoutedRequest,
    audiences?: Audiences,
  ): Authentication | Promise<Authentication>;
}

/** Judges a token by itself. A promise only where another server has to be asked. */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences?: Audiences): Authentication | Promise<Authentication>;
}

/** For an authenticator that does not know the credential: the next one is asked. */
export const UNKNOWN: Authentication = { verdict: 'unknown' };

/** The verdict for a user of whose credential nothing else is known. */
export function identified(user: UserInfo): Authentication {
  return { verdict: 'identified', user };
}

/** Also what becomes of an authenticator that failed instead of deciding. */
export function refused(cause: unknown): Authentication {
  return { verdict: 'refused', reason: cause instanceof Error ? cause.message : String(cause) };
}
