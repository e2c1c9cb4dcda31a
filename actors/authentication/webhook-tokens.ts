/**
 * Asks a webhook whose a token is, with a TokenReview. Its caller remembers what it said: see
 * token-cache.ts.
 *
 * The token goes out in the body, to the one place that the operator named; it stands in no message.
 *
 * In Kubernetes: apiserver/plugin/pkg/authenticator/token/webhook.
 */
import { objectAt, stringAt, textsAt, type JsonObject } from '../../api/json/json.ts';
import {
  askReview,
  type ReviewVersion,
  type WebhookReviewParts,
} from '../request/webhook-review.ts';
import type { UserInfo } from '../request/request.ts';
import {
  refused,
  UNKNOWN,
  type Audiences,
  type Authentication,
  type TokenAuthenticator,
} from './authenticator.ts';

export interface WebhookTokensOptions {
  readonly version: ReviewVersion;
  /** What tokens call this server. */
  readonly audiences: readonly string[];
  /** Of one attempt. */
  readonly timeoutMs: number;
}

export function webhookTokens(
  parts: WebhookReviewParts,
  { version, audiences: own, timeoutMs }: WebhookTokensOptions,
): TokenAuthenticator {
  const apiVersion = `authentication.k8s.io/${version}`;

  async function ask(token: string, wanted: readonly string[]): Promise<Authentication> {
    const spec = { token, ...(wanted.length === 0 ? {} : { audiences: [...wanted] }) };
    const review = { kind: 'TokenReview', apiVersion, metadata: {}, spec, status: { user: {} } };
    const status = await askReview(parts, review, timeoutMs);
    if (status instanceof Error) return refused(status);
    const said = textsAt(status, 'audiences');
    // A webhook that knows nothing of audiences speaks for this server.
    const good = said.length === 0 ? own : said;
    const audiences = wanted.filter((one) => good.includes(one));
    if (wanted.length > 0 && audiences.length === 0) return UNKNOWN;
    if (status['authenticated'] !== true) {
      const error = stringAt(status, 'error');
      return error === '' ? UNKNOWN : refused(error);
    }
    return { verdict: 'identified', user: userIn(objectAt(status, 'user') ?? {}), audiences };
  }

  return {
    authenticateToken: (token: string, asked?: Audiences) => ask(token, asked ?? own),
  };
}

function userIn(user: JsonObject): UserInfo {
  const extra = objectAt(user, 'extra') ?? {};
  return {
    name: stringAt(user, 'username'),
    uid: stringAt(user, 'uid'),
    groups: textsAt(user, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}
