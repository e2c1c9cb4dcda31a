/** Flags about the webhook that is asked whose a token is, as kube-apiserver spells them. */
import type { ReviewVersion } from '../../../actors/request/webhook-review.ts';
import { parseReviewVersion } from './authorization-settings.ts';
import { parseDelay, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface TokenWebhookSettings {
  /** undefined: there is none. */
  readonly authenticationTokenWebhookConfigFile: string | undefined;
  readonly authenticationTokenWebhookVersion: ReviewVersion;
  /** 0: nothing is remembered. */
  readonly authenticationTokenWebhookCacheTtlMs: number;
}

export const TOKEN_WEBHOOK_SETTINGS: SettingsOf<TokenWebhookSettings> = {
  authenticationTokenWebhookConfigFile: {
    flag: 'authentication-token-webhook-config-file',
    placeholder: 'FILE',
    help: 'a kubeconfig of the webhook that is asked about tokens that the other authenticators do not know',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  authenticationTokenWebhookVersion: {
    flag: 'authentication-token-webhook-version',
    placeholder: 'VERSION',
    help: 'of the TokenReview that the webhook gets: v1 or v1beta1',
    takes: 'text',
    default: 'v1beta1',
    parse: parseReviewVersion,
  },
  authenticationTokenWebhookCacheTtlMs: {
    flag: 'authentication-token-webhook-cache-ttl',
    placeholder: 'DURATION',
    help: 'how long is remembered what the webhook said',
    takes: 'text',
    default: '2m0s',
    parse: parseDelay,
  },
};
