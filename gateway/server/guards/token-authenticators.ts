/** Puts together those who know users by tokens that others made, or that have to be asked about. */
import type {
  AuthenticationMeters,
  TokenCacheMeters,
} from '../../../actors/authentication/authentication-meters.ts';
import { ConfiguredIssuers } from '../../../actors/authentication/oidc/configured-issuers.ts';
import { SIGNING_ALGORITHMS } from '../../../actors/authentication/oidc/id-token.ts';
import { TokenCache } from '../../../actors/authentication/token-cache.ts';
import { webhookTokens } from '../../../actors/authentication/webhook-tokens.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { reviewClient } from '../../authorization/review-post.ts';
import { httpsDocuments } from '../../outbound/https-documents.ts';
import { authenticationConfigurationOf, followConfiguration } from './authentication-config.ts';
import type { EgressSettings } from '../../flags/sections/egress-settings.ts';
import type { UserSettings } from '../../flags/serve-settings.ts';
import type { TokenWebhookSettings } from '../../flags/sections/token-webhook-settings.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { clusterAccess } from '../../configuration/kubeconfig-access.ts';

/** How long is believed what had to be asked or worked out: as in Kubernetes. */
const TOKEN_TTL_MS = 10_000;
const WEBHOOK_TIMEOUT_MS = 30_000;

export interface IssuersParts {
  readonly logger: Logger;
  readonly meters: AuthenticationMeters;
  /** Ends the looks at the configuration file. */
  readonly until: AbortSignal;
}

/** @throws StartupError when the configuration is no good. */
export function issuersOf(
  options: UserSettings & EgressSettings,
  { logger, meters, until }: IssuersParts,
) {
  const { authenticationConfig: path, oidcIssuerUrl, serviceAccountIssuer } = options;
  if (path === undefined && oidcIssuerUrl === undefined) {
    return { issuers: undefined, anonymous: undefined };
  }
  const configuration = authenticationConfigurationOf(options);
  const { egressSelectorConfigFile: egress } = options;
  const believed = new ConfiguredIssuers(
    {
      clock: systemClock,
      fetch: httpsDocuments(systemClock, egress),
      hasEgress: egress !== undefined,
      meters,
      algorithms: path === undefined ? options.oidcSigningAlgs : SIGNING_ALGORITHMS,
      failed: (problem) => {
        logger.error({ problem }, 'an issuer of tokens cannot be asked');
      },
    },
    serviceAccountIssuer,
  );
  const problem = believed.begin(configuration);
  if (problem !== undefined) {
    const flag = path === undefined ? '--oidc-issuer-url' : `--authentication-config ${path}`;
    throw new StartupError(`${flag}: ${problem}`);
  }
  followConfiguration(path, { issuers: believed, clock: systemClock, logger, meters, until });
  const cache = { clock: systemClock, successTtlMs: TOKEN_TTL_MS, failureTtlMs: 0, meters };
  return { issuers: new TokenCache(believed, cache), anonymous: configuration.anonymous };
}

/** undefined: there is none. @throws StartupError when its kubeconfig is no good. */
export async function tokenWebhookOf(
  options: TokenWebhookSettings & EgressSettings,
  audiences: readonly string[],
  meters: TokenCacheMeters,
) {
  const { authenticationTokenWebhookConfigFile: file } = options;
  if (file === undefined) return undefined;
  const to = await clusterAccess({ file, context: undefined }, {});
  const proxy = options.egressSelectorConfigFile?.controlPlane;
  const client = reviewClient({ ...to, proxy }, systemClock);
  const version = options.authenticationTokenWebhookVersion;
  const ttlMs = options.authenticationTokenWebhookCacheTtlMs;
  return new TokenCache(
    webhookTokens(
      { client, clock: systemClock, random: systemRandom },
      { version, audiences, timeoutMs: WEBHOOK_TIMEOUT_MS },
    ),
    { clock: systemClock, successTtlMs: ttlMs, failureTtlMs: ttlMs, meters },
  );
}
