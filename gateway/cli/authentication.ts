/** Puts together who says who is asking. */
import { BootstrapTokens } from '../../actors/authentication/bootstrap-tokens.ts';
import { KeyRing } from '../../actors/authentication/jwt/key-ring.ts';
import { ConfiguredIssuers } from '../../actors/authentication/oidc/configured-issuers.ts';
import { SIGNING_ALGORITHMS } from '../../actors/authentication/oidc/id-token.ts';
import { requestHeaderAuthenticator } from '../../actors/authentication/request-header.ts';
import { serverAuthenticator } from '../../actors/authentication/server-authenticator.ts';
import { BoundObjects } from '../../actors/authentication/service-accounts/bound-objects.ts';
import { ServiceAccountTokens } from '../../actors/authentication/service-accounts/service-account-tokens.ts';
import { TokenIssuer } from '../../actors/authentication/service-accounts/token-issuer.ts';
import { TokenCache } from '../../actors/authentication/token-cache.ts';
import { tokenFileAuthenticator } from '../../actors/authentication/token-file.ts';
import type { Authenticator } from '../../actors/authentication/authenticator.ts';
import type { ClusterAuthentication } from '../../actors/controllers/cluster-authentication.ts';
import type { Logger } from '../../actors/logger.ts';
import type { UserInfo } from '../../actors/request.ts';
import { httpsDocuments } from '../outbound/https-documents.ts';
import { openIdRoute } from '../routes/openid.ts';
import type { Route } from '../routes/route.ts';
import {
  authenticationConfigurationOf,
  followConfiguration,
  readText,
} from './authentication-config.ts';
import type { OpenGallery } from './open-gallery.ts';
import type { ServeOptions } from './serve-settings.ts';
import { StartupError } from './startup-error.ts';
import { systemClock, systemRandom } from './system-clock.ts';

export interface Authentication {
  readonly authenticator: Authenticator;
  /** Signs the tokens of service accounts. */
  readonly tokens: TokenIssuer;
  /** Empty until {@link fillKeyRing} has filled it. */
  readonly keys: KeyRing;
}

export interface AuthenticationParts {
  readonly opened: Pick<OpenGallery, 'objects'>;
  /** Of the token file. */
  readonly users: ReadonlyMap<string, UserInfo>;
  readonly logger: Logger;
}

/** How long is believed what had to be asked or worked out: as in Kubernetes. */
const TOKEN_TTL_MS = 10_000;

/** @throws StartupError when a file that was named is no good. */
export function authenticationOf(
  options: ServeOptions,
  { opened, users, logger }: AuthenticationParts,
): Authentication {
  const { serviceAccountIssuer: issuers, apiAudiences } = options;
  const audiences = apiAudiences.length === 0 ? issuers : apiAudiences;
  const keys = new KeyRing();
  const bound = new BoundObjects(opened.objects);
  const serviceAccounts = { keys, issuers, audiences, bound, clock: systemClock };
  const believed = issuersOf(options, logger);
  const authenticator = serverAuthenticator({
    audiences,
    requestHeader: requestHeaderOf(options),
    tokenFile: tokenFileAuthenticator(users),
    serviceAccounts: new ServiceAccountTokens(serviceAccounts),
    bootstrap: options.enableBootstrapTokenAuth
      ? new BootstrapTokens({ objects: opened.objects, clock: systemClock })
      : undefined,
    issuers: believed.issuers,
    allowsAnonymous: believed.anonymous?.enabled ?? options.anonymousAuth,
    anonymousPaths: believed.anonymous?.paths ?? [],
  });
  const issuer = {
    issuer: issuers[0] ?? '',
    audiences,
    lifetimeSecondsMax: options.serviceAccountMaxTokenExpirationMs / 1_000,
    extendsLifetime: options.serviceAccountExtendTokenExpiration,
  };
  return { authenticator, tokens: new TokenIssuer(issuer, keys, systemRandom), keys };
}

function issuersOf(options: ServeOptions, logger: Logger) {
  const { authenticationConfig: path, oidcIssuerUrl, serviceAccountIssuer } = options;
  if (path === undefined && oidcIssuerUrl === undefined) {
    return { issuers: undefined, anonymous: undefined };
  }
  const configuration = authenticationConfigurationOf(options);
  const believed = new ConfiguredIssuers(
    {
      clock: systemClock,
      fetch: httpsDocuments(systemClock),
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
  followConfiguration(path, { issuers: believed, clock: systemClock, logger });
  const cache = { clock: systemClock, successTtlMs: TOKEN_TTL_MS, failureTtlMs: 0 };
  return { issuers: new TokenCache(believed, cache), anonymous: configuration.anonymous };
}

function requestHeaderOf(options: ServeOptions) {
  const { requestheaderClientCaFile: path } = options;
  if (path === undefined) return undefined;
  const authorities = readText('--requestheader-client-ca-file', path);
  return requestHeaderAuthenticator(
    { authorities: () => authorities, ...proxyHeadersOf(options) },
    systemClock,
  );
}

/** @param address known when the port is open. */
export function openIdOf(
  { serviceAccountJwksUri: keySetUrl }: ServeOptions,
  { keys, tokens }: Pick<Authentication, 'keys' | 'tokens'>,
  address: () => string,
): Route {
  return openIdRoute({ issuer: tokens.options.issuer, keys, keySetUrl, address });
}

/** What servers beside this one are told. @param authority our own, PEM. */
export function trustOf(options: ServeOptions, authority: string): ClusterAuthentication {
  const { clientCaFile, requestheaderClientCaFile: proxyFile } = options;
  const more = clientCaFile === undefined ? '' : readText('--client-ca-file', clientCaFile);
  const clientAuthorities = `${authority}${more}`;
  if (proxyFile === undefined) return { clientAuthorities, proxies: undefined };
  const authorities = readText('--requestheader-client-ca-file', proxyFile);
  return { clientAuthorities, proxies: { authorities, ...proxyHeadersOf(options) } };
}

function proxyHeadersOf(options: ServeOptions) {
  return {
    allowedNames: options.requestheaderAllowedNames,
    usernameHeaders: options.requestheaderUsernameHeaders,
    uidHeaders: options.requestheaderUidHeaders,
    groupHeaders: options.requestheaderGroupHeaders,
    extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
  };
}
