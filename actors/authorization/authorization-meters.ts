/** Counts what authorizers decide, and how long that takes. All times are in milliseconds. */
import type { AttemptResult } from '../request/webhook-review.ts';

/** `error`: no authorizer allowed it, and one could not say. */
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

/** Figures of the authorization filter, once for each request. */
export interface RequestAuthorizationMeters {
  authorized(result: AuthorizationResult, durationMs: number): void;
}

/** Of one authorizer: what it decided so that none behind it was asked. */
export interface DecisionCounts {
  /** Since the start of the server. */
  allowed: number;
  /** Since the start of the server. */
  denied: number;
}

/** Of one webhook that authorizes. */
export interface WebhookAuthorizerMeters {
  /** It was asked once. */
  asked(result: AttemptResult, durationMs: number): void;
  /** Nothing came of asking it, and the next authorizer decides. */
  failedOpen(result: AttemptResult): void;
  /** Begins to look whether it is to be asked. @returns called with what was found. */
  checking(): (found: 'matches' | 'excluded' | 'error') => void;
}

export interface AuthorizationMeters extends RequestAuthorizationMeters {
  /** @param type as `RBAC`. @param name as it is configured. */
  decisionsOf(type: string, name: string): DecisionCounts;
  /** Asked for once for each webhook, at the start and when the configuration changes. */
  webhook(name: string): WebhookAuthorizerMeters;
}
