/**
 * Who says what users may do.
 *
 * In Kubernetes: apiserver/pkg/authorization/authorizer.
 */
import type { RequestInfo, UserInfo } from '../request/request.ts';

export interface Attributes {
  readonly user: UserInfo;
  readonly request: RequestInfo;
}

/** `noOpinion` lets the next authorizer speak; at the end of the chain it means no. */
export type Decision =
  | { readonly verdict: 'allow'; readonly reason: string }
  | { readonly verdict: 'deny' | 'noOpinion'; readonly reason: string; readonly error?: Error };

export interface Authorizer {
  /** Decides at once where it can; gives a promise only where it has to ask somebody. */
  authorize(attributes: Attributes): Decision | Promise<Decision>;
}

export const ALLOW: Decision = { verdict: 'allow', reason: '' };
export const NO_OPINION: Decision = { verdict: 'noOpinion', reason: '' };

/** The decision of an authorizer that failed instead of deciding. */
export function undecided(cause: unknown): Decision {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return { verdict: 'noOpinion', reason: '', error };
}
