/**
 * Puts authentication together: certificates, tokens of this server and of issuers, and webhooks that
 * are asked which user a token is.
 */
import { hostname } from 'node:os';

import { BootstrapTokens } from '../../../actors/authentication/bootstrap-tokens.ts';
import { KeyRing } from '../../../actors/authentication/jwt/key-ring.ts';
import { serverAuthenticator } from '../../../actors/authentication/server-authenticator.ts';
import { BoundObjects } from '../../../actors/authentication/service-accounts/bound-objects.ts';
import {
  LegacyTokens,
  LegacyTokenUses,
} from '../../../actors/authentication/service-accounts/legacy-tokens.ts';
import { ServiceAccountTokens } from '../../../actors/authentication/service-accounts/service-account-tokens.ts';
import { TokenCounts } from '../../../actors/authentication/service-accounts/token-counts.ts';
import { TokenIssuer } from '../../../actors/authentication/service-accounts/token-issuer.ts';
import { tokenFileAuthenticator } from '../../../actors/authentication/token-file.ts';
import type { Authenticator } from '../../../actors/authentication/authenticator.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { UserInfo } from '../../../actors/request/request.ts';
import { ServerAuthenticationMeters } from '../../metrics/authentication-meters.ts';
import { openIdRoute } from '../../routes/openid.ts';
import type { Route } from '../../routes/route.ts';
import { ClientTrust } from './client-trust.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { AuthenticationSettings } from '../../flags/sections/authentication-settings.ts';
import type { CredentialSettings } from '../../flags/sections/credential-settings.ts';
import type { AuthorizationSettings } from '../../flags/sections/authorization-settings.ts';
import type { RequestSettings } from '../../flags/sections/request-settings.ts';
import type { UserSettings } from '../../flags/serve-settings.ts';
import { serverIdentity } from '../../process/server-identity.ts';
import { signedElsewhere } from '../../signer/external-signer.ts';
import type { SignerFigures } from '../../signer/signer-figures.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import type {
  AuthenticationMeters,
  TokenCacheMeters,
} from '../../../actors/authentication/authentication-meters.ts';
import { ConfiguredIssuers } from '../../../actors/authentication/oidc/configured-issuers.ts';
import { SIGNING_ALGORITHMS } from '../../../actors/authentication/oidc/id-token.ts';
import { TokenCache } from '../../../actors/authentication/token-cache.ts';
import { webhookTokens } from '../../../actors/authentication/webhook-tokens.ts';
import { reviewClient } from '../../authorization/review-post.ts';
import { httpsDocuments } from '../../outbound/https-documents.ts';
import { authenticationConfigurationOf, followConfiguration } from './authentication-config.ts';
import type { EgressSettings } from '../../flags/sections/kubelet-settings.ts';
import type { TokenWebhookSettings } from '../../flags/sections/token-webhook-settings.ts';
import { StartupError } from '../../process/startup-error.ts';
import { webhookAccess } from '../../configuration/kubeconfig-access.ts';

export interface Authentication {
  readonly authenticator: Authenticator;
  /** Signs the tokens of service accounts. */
  readonly tokens: TokenIssuer;
  /** Empty until {@link fillKeyRing} has filled it. */
  readonly keys: KeyRing;
  /** undefined: this server signs itself. */
  readonly signerFigures: SignerFigures | undefined;
  readonly counts: TokenCounts;
  /** Writes nothing until it is begun. */
  readonly uses: LegacyTokenUses;
  readonly trust: ClientTrust;
  readonly authenticationMeters: ServerAuthenticationMeters;
  /** What the operator is told once the server has started; undefined: nothing. */
  readonly warning: string | undefined;
}

interface AuthenticationParts {
  readonly opened: Pick<OpenViews, 'objects'>;
  /** Of the token file. */
  readonly users: ReadonlyMap<string, UserInfo>;
  readonly logger: Logger;
  /** Ends the looks at files. */
  readonly until: AbortSignal;
}

/** What the flags say of users. */
export interface AuthenticationSections {
  readonly authentication: UserSettings;
  readonly authorization: AuthorizationSettings;
  readonly egress: EgressSettings;
  readonly requests: Pick<RequestSettings, 'corsAllowedOrigins'>;
}

/** @throws StartupError when a file that was named is no good. */
export async function authenticationOf(
  sections: AuthenticationSections,
  { opened, users, logger, until }: AuthenticationParts,
): Promise<Authentication> {
  const options = sections.authentication;
  const { serviceAccountIssuer: issuers, apiAudiences } = options;
  const audiences = apiAudiences.length === 0 ? issuers : apiAudiences;
  const keys = new KeyRing();
  const { objects } = opened;
  const trust = new ClientTrust(options);
  trust.followProxies(logger, until);
  const bound = new BoundObjects(objects);
  const counts = new TokenCounts();
  const uses = new LegacyTokenUses(systemClock);
  const looksUp = options.serviceAccountLookup;
  const meters = new ServerAuthenticationMeters(systemClock, serverIdentity(hostname()));
  const serviceAccounts = { keys, issuers, audiences, bound, counts, meters, clock: systemClock };
  const anonymous = anonymousOf({ ...options, ...sections.authorization });
  const usersFrom = { ...options, ...sections.egress };
  const believed = issuersOf(usersFrom, { logger, meters, until });
  const authenticator = serverAuthenticator({
    audiences,
    requestHeader: trust.requestHeader(),
    clientAuthorities: trust.clients,
    certificateMeters: meters,
    allowedOrigins: sections.requests.corsAllowedOrigins,
    tokenFile: tokenFileAuthenticator(users),
    serviceAccounts: new ServiceAccountTokens(serviceAccounts),
    legacyServiceAccounts: new LegacyTokens({ keys, audiences, objects, uses, counts, looksUp }),
    bootstrap: options.enableBootstrapTokenAuth
      ? new BootstrapTokens({ objects, clock: systemClock })
      : undefined,
    issuers: believed.issuers,
    webhook: await tokenWebhookOf(usersFrom, audiences, meters),
    allowsAnonymous: believed.anonymous?.enabled ?? anonymous.isAllowed,
    anonymousPaths: believed.anonymous?.paths ?? [],
  });
  const asked = {
    issuer: issuers[0] ?? '',
    audiences,
    lifetimeSecondsMax: options.serviceAccountMaxTokenExpirationMs / 1_000,
    extendsLifetime: options.serviceAccountExtendTokenExpiration,
  };
  const { serviceAccountSigningEndpoint: signer } = options;
  const { issuing, figures } = await signedElsewhere(signer, asked, { keys, logger, until });
  const tokens = new TokenIssuer(issuing, keys, systemRandom);
  const signing = { tokens, keys, signerFigures: figures };
  const warning = believed.anonymous === undefined ? anonymous.warning : undefined;
  return { ...signing, authenticator, counts, uses, trust, authenticationMeters: meters, warning };
}

const NO_ANONYMOUS =
  'AnonymousAuth is not allowed with the AlwaysAllow authorizer. ' +
  'Resetting AnonymousAuth to false. You should use a different authorizer';

/**
 * What --anonymous-auth comes to: with AlwaysAllow among the modes a request needs credentials
 * whatever the flag says. A configuration file that names anonymous users is not asked about.
 *
 * In Kubernetes: ApplyAuthorization, pkg/kubeapiserver/options.
 */
export function anonymousOf(
  options: Pick<CredentialSettings, 'anonymousAuth'> &
    Pick<AuthorizationSettings, 'authorizationConfig' | 'authorizationMode'>,
): AnonymousUsers {
  const { anonymousAuth, authorizationConfig, authorizationMode } = options;
  const letsAll = authorizationConfig === undefined && authorizationMode.includes('AlwaysAllow');
  const warning = anonymousAuth && letsAll ? NO_ANONYMOUS : undefined;
  return { isAllowed: anonymousAuth && !letsAll, warning };
}

interface AnonymousUsers {
  readonly isAllowed: boolean;
  /** Why the flag does not count; undefined: it does. */
  readonly warning: string | undefined;
}

/** @param address known when the port is open. */
export function openIdOf(
  { serviceAccountJwksUri: keySetUrl }: Pick<AuthenticationSettings, 'serviceAccountJwksUri'>,
  { keys, tokens }: Pick<Authentication, 'keys' | 'tokens'>,
  address: () => string,
): Route {
  return openIdRoute({ issuer: tokens.options.issuer, keys, keySetUrl, address });
}

/** How long is believed what had to be asked or worked out: as in Kubernetes. */
const TOKEN_TTL_MS = 10_000;
const WEBHOOK_TIMEOUT_MS = 30_000;

interface IssuersParts {
  readonly logger: Logger;
  readonly meters: AuthenticationMeters;
  /** Ends the looks at the configuration file. */
  readonly until: AbortSignal;
}

/** @throws StartupError when the configuration is no good. */
function issuersOf(
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
async function tokenWebhookOf(
  options: TokenWebhookSettings & EgressSettings,
  audiences: readonly string[],
  meters: TokenCacheMeters,
) {
  const { authenticationTokenWebhookConfigFile: file } = options;
  if (file === undefined) return undefined;
  const to = await webhookAccess(file);
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
