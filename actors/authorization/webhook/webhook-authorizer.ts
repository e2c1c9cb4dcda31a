/**
 * Asks a webhook whether a user may do something, with a SubjectAccessReview, and remembers for a
 * while what it said.
 *
 * In Kubernetes: apiserver/plugin/pkg/authorizer/webhook.
 */
import { ExpiringMap } from '../../../api/meta/bounded-map.ts';
import { stringAt, type JsonObject } from '../../../api/json/json.ts';
import {
  askReview,
  type AttemptResult,
  type ReviewVersion,
  type WebhookReviewParts,
} from '../../request/webhook-review.ts';
import { accessReviewSpec } from '../access-review-spec.ts';
import type { WebhookAuthorizerMeters } from '../authorization-meters.ts';
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from '../authorizer.ts';
import { NO_RULES, type ResolvedRules, type RuleResolver } from '../rule-resolver.ts';
import { formatJson } from '../../../api/json/json-text.ts';

export interface WebhookAuthorizerOptions {
  readonly version: ReviewVersion;
  /** How long a yes is remembered; 0: it is not. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** What is decided where the webhook does not answer. */
  readonly onFailure: 'noOpinion' | 'deny';
  /** Which questions it is asked; undefined: all. */
  readonly condition?: ReviewCondition | undefined;
}

interface WebhookAuthorizerParts extends WebhookReviewParts {
  readonly meters?: WebhookAuthorizerMeters | undefined;
}

/** Whether the webhook is to be asked; or why that cannot be said. */
export type ReviewCondition = (
  spec: JsonObject,
) =>
  | { readonly ok: true; readonly matches: boolean }
  | { readonly ok: false; readonly error: Error };

const REMEMBERED_MAX = 8_192;
/** Characters that a requester chooses freely: more of them are not remembered. */
const CONTROLLED_MAX = 10_000;

const NOT_LISTED: ResolvedRules = {
  ...NO_RULES,
  isIncomplete: true,
  problem: 'webhook authorizer does not support user rule resolution',
};

export function webhookAuthorizer(
  parts: WebhookAuthorizerParts,
  options: WebhookAuthorizerOptions,
): Authorizer & RuleResolver {
  return new WebhookAuthorizer(parts, options);
}

class WebhookAuthorizer implements Authorizer, RuleResolver {
  readonly #parts: WebhookAuthorizerParts;
  readonly #options: WebhookAuthorizerOptions;
  /** By the specs of reviews. */
  readonly #remembered: ExpiringMap<string, Decision>;

  constructor(parts: WebhookAuthorizerParts, options: WebhookAuthorizerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#remembered = new ExpiringMap(REMEMBERED_MAX, parts.clock);
  }

  authorize(attributes: Attributes): Decision | Promise<Decision> {
    const spec = accessReviewSpec(attributes);
    const condition = this.#checked(spec);
    if (condition?.ok === false) return this.#failed(condition.error);
    if (condition?.matches === false) return NO_OPINION;
    const key = formatJson(spec);
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const { version, timeoutMs, authorizedTtlMs, unauthorizedTtlMs } = this.#options;
    const { meters } = this.#parts;
    let last: AttemptResult = 'success';
    const attempted = (result: AttemptResult, durationMs: number): void => {
      last = result;
      meters?.asked(result, durationMs);
    };
    const asking = { ...this.#parts, attempted };
    return askReview(asking, reviewOf(spec, version), timeoutMs).then((answer) => {
      if (answer instanceof Error) {
        if (this.#options.onFailure === 'noOpinion') meters?.failedOpen(last);
        return this.#failed(answer);
      }
      const decision = decisionOf(answer);
      if (controlledSize(attributes) < CONTROLLED_MAX) {
        const ttlMs = answer['allowed'] === true ? authorizedTtlMs : unauthorizedTtlMs;
        this.#remembered.set(key, decision, ttlMs);
      }
      return decision;
    });
  }

  #checked(spec: JsonObject): ReturnType<ReviewCondition> | undefined {
    const { condition } = this.#options;
    if (condition === undefined) return undefined;
    const done = this.#parts.meters?.checking();
    const found = condition(spec);
    done?.(!found.ok ? 'error' : found.matches ? 'matches' : 'excluded');
    return found;
  }

  rulesFor(): ResolvedRules {
    return NOT_LISTED;
  }

  #failed(error: Error): Decision {
    return { verdict: this.#options.onFailure, reason: '', error };
  }
}

function reviewOf(spec: JsonObject, version: ReviewVersion): JsonObject {
  const { groups, ...rest } = spec;
  // The older version has another name for them.
  const named = groups === undefined ? {} : version === 'v1' ? { groups } : { group: groups };
  return {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: { ...rest, ...named },
    status: { allowed: false },
  };
}

function decisionOf(status: JsonObject): Decision {
  const isAllowed = status['allowed'] === true;
  const reason = stringAt(status, 'reason');
  if (status['denied'] === true) {
    if (!isAllowed) return { verdict: 'deny', reason };
    const both = 'webhook subject access review returned both allow and deny response';
    return { verdict: 'deny', reason, error: new Error(both) };
  }
  return { verdict: isAllowed ? 'allow' : 'noOpinion', reason };
}

function controlledSize({ request }: Attributes): number {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = request;
  return [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path].join('').length;
}
