/**
 * All that the server knows to tell users by, in upstream's order.
 *
 * In Kubernetes: Config.New, kubernetes/pkg/kubeapiserver/authenticator.
 */
import { anonymous } from './anonymous.ts';
import { audienceAgnostic } from './audience-agnostic.ts';
import { withAuthenticatedGroup } from './authenticated-group.ts';
import type { Authenticator, TokenAuthenticator } from './authenticator.ts';
import type { CertificateMeters } from './authentication-meters.ts';
import type { AuthorityPool } from './authority-pool.ts';
import { bearerTokenAuthenticator } from './bearer-token.ts';
import { unionAuthenticator, unionTokenAuthenticator } from './union-authenticator.ts';
import { websocketProtocolAuthenticator } from './websocket-protocol-token.ts';
import { x509Authenticator } from './x509.ts';

export interface ServerAuthenticatorOptions {
  /** What tokens call this server. */
  readonly audiences?: readonly string[];
  /** Believes a proxy; undefined: there is none. */
  readonly requestHeader?: Authenticator | undefined;
  /** Those of client certificates, as they are just now; undefined: certificates do not count. */
  readonly clientAuthorities?: Pick<AuthorityPool, 'problemOf'> | undefined;
  /** Knows no token where no file was named: then every bearer token is a wrong one. */
  readonly tokenFile: TokenAuthenticator;
  readonly serviceAccounts?: TokenAuthenticator | undefined;
  /** Of tokens that lie in secrets. */
  readonly legacyServiceAccounts?: TokenAuthenticator | undefined;
  readonly bootstrap?: TokenAuthenticator | undefined;
  /** Tokens of issuers that the operator believes. */
  readonly issuers?: TokenAuthenticator | undefined;
  /** Asks somebody else about tokens. */
  readonly webhook?: TokenAuthenticator | undefined;
  /** Hears of the certificates that are shown. */
  readonly certificateMeters?: CertificateMeters | undefined;
  readonly allowsAnonymous: boolean;
  /** Paths for which alone anonymous users are let in; none: all. */
  readonly anonymousPaths?: readonly string[];
}

export function serverAuthenticator(options: ServerAuthenticatorOptions): Authenticator {
  const tokens = tokenAuthenticator(options);
  const { requestHeader, allowsAnonymous, anonymousPaths } = options;
  // A bad certificate beside a good token is forgiven: the next one may still know the user.
  const proven = withAuthenticatedGroup(
    unionAuthenticator(
      [
        ...present([requestHeader, clientCertificates(options)]),
        bearerTokenAuthenticator(tokens),
        websocketProtocolAuthenticator(tokens),
      ],
      { stopsAtRefusal: false },
    ),
  );
  if (!allowsAnonymous) return proven;
  return unionAuthenticator([proven, anonymous(anonymousPaths)], { stopsAtRefusal: true });
}

/** Those who only look first, those who have to ask somebody last. */
function tokenAuthenticator(options: ServerAuthenticatorOptions): TokenAuthenticator {
  const { audiences = [], tokenFile, serviceAccounts, bootstrap, issuers, webhook } = options;
  const { legacyServiceAccounts: legacy } = options;
  const forUs = (one: TokenAuthenticator | undefined): TokenAuthenticator | undefined =>
    one === undefined ? undefined : audienceAgnostic(one, audiences);
  const accounts = [serviceAccounts, legacy];
  const members = [forUs(tokenFile), ...accounts, forUs(bootstrap), forUs(issuers), webhook];
  return unionTokenAuthenticator(present(members), { stopsAtRefusal: false });
}

function present<Member>(members: readonly (Member | undefined)[]): readonly Member[] {
  return members.filter((one) => one !== undefined);
}

function clientCertificates(options: ServerAuthenticatorOptions): Authenticator | undefined {
  const { clientAuthorities: authorities, certificateMeters } = options;
  return authorities && x509Authenticator(authorities, certificateMeters);
}
