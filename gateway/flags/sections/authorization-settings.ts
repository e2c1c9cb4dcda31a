/** Flags of authorization. */
import {
  AUTHORIZATION_MODES,
  type AuthorizationMode,
  isAuthorizationMode,
} from '../../../actors/authorization/authorizer.ts';
import type { ReviewVersion } from '../../../actors/request/webhook-review.ts';
import { parseDelay, parseText, quoted } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface AuthorizationSettings {
  readonly authorizationMode: readonly AuthorizationMode[];
  /** Takes the place of the modes, and of what is said of a webhook. */
  readonly authorizationConfig: string | undefined;
  readonly authorizationPolicyFile: string | undefined;
  readonly authorizationWebhookConfigFile: string | undefined;
  readonly authorizationWebhookVersion: ReviewVersion;
  readonly authorizationWebhookCacheAuthorizedTtlMs: number;
  readonly authorizationWebhookCacheUnauthorizedTtlMs: number;
}

export const AUTHORIZATION_SETTINGS: SettingsOf<AuthorizationSettings> = {
  authorizationMode: {
    flag: 'authorization-mode',
    placeholder: 'MODE,...',
    help: `authorizers: ${AUTHORIZATION_MODES.join(', ')}, asked in the order given; the group system:masters may do everything`,
    takes: 'list',
    default: ['AlwaysAllow'],
    parse: parseAuthorizationModes,
  },
  authorizationConfig: {
    flag: 'authorization-config',
    placeholder: 'FILE',
    help: 'an AuthorizationConfiguration, which names the authorizers instead of --authorization-mode; read again when it changes',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  authorizationPolicyFile: {
    flag: 'authorization-policy-file',
    placeholder: 'FILE',
    help: 'for the mode ABAC: one policy a line, in JSON',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  authorizationWebhookConfigFile: {
    flag: 'authorization-webhook-config-file',
    placeholder: 'FILE',
    help: 'for the mode Webhook: a kubeconfig that says where it is, and with which credentials it is asked',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  authorizationWebhookVersion: {
    flag: 'authorization-webhook-version',
    placeholder: 'VERSION',
    help: 'of the SubjectAccessReview that the webhook gets: v1 or v1beta1',
    takes: 'text',
    default: 'v1beta1',
    parse: parseReviewVersion,
  },
  authorizationWebhookCacheAuthorizedTtlMs: {
    flag: 'authorization-webhook-cache-authorized-ttl',
    placeholder: 'DURATION',
    help: 'how long a yes of the webhook is remembered',
    takes: 'text',
    default: '5m0s',
    parse: parseDelay,
  },
  authorizationWebhookCacheUnauthorizedTtlMs: {
    flag: 'authorization-webhook-cache-unauthorized-ttl',
    placeholder: 'DURATION',
    help: 'how long a no of the webhook is remembered',
    takes: 'text',
    default: '30s',
    parse: parseDelay,
  },
};

/** What --authorization-config takes the place of. */
const LEGACY_FLAGS: readonly string[] = [
  ...['authorization-mode', 'authorization-webhook-config-file', 'authorization-webhook-version'],
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
];

/**
 * In Kubernetes: BuiltInAuthorizationOptions.Validate, pkg/kubeapiserver/options.
 *
 * @param isGiven whether a flag was said, and is not its default.
 * @throws StartupError when a flag would be passed over in silence: an operator that gives a webhook or a
 * policy believes that it is asked.
 */
export function checkAuthorizationOptions(
  options: AuthorizationSettings,
  isGiven: (flag: string) => boolean,
): void {
  if (options.authorizationConfig !== undefined) {
    if (!LEGACY_FLAGS.some(isGiven)) return;
    throw new StartupError(
      '--authorization-config can not be specified when --authorization-mode or ' +
        '--authorization-webhook-* flags are defined',
    );
  }
  const modes = options.authorizationMode;
  if (options.authorizationPolicyFile !== undefined && !modes.includes('ABAC')) {
    throw new StartupError('cannot specify --authorization-policy-file without mode ABAC');
  }
  if (options.authorizationWebhookConfigFile !== undefined && !modes.includes('Webhook')) {
    throw new StartupError(
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    );
  }
}

function parseAuthorizationModes(texts: readonly string[]): AuthorizationMode[] {
  if (texts.length === 0) throw new StartupError('must name at least one mode');
  if (new Set(texts).size < texts.length) throw new StartupError('must name each mode once');
  return texts.map((text) => {
    if (isAuthorizationMode(text)) return text;
    const others = AUTHORIZATION_MODES.slice(0, -1).join(', ');
    throw new StartupError(
      `must be ${others} or ${AUTHORIZATION_MODES.at(-1) ?? ''}, not ${quoted(text)}`,
    );
  });
}

export function parseReviewVersion(text: string): ReviewVersion {
  if (text === 'v1' || text === 'v1beta1') return text;
  throw new StartupError(`must be v1 or v1beta1, not ${quoted(text)}`);
}
