/**
 * The authenticators of the server, in upstream's order. Users that were identified are in the group
 * `system:authenticated`; a request without any credential is that of `system:anonymous`, and one
 * with a wrong credential is refused before. Credentials that say nothing of their audience are for
 * this server alone.
 *
 * In Kubernetes: Config.New, kubernetes/pkg/kubeapiserver/authenticator; AuthenticatedGroupAdder and
 * WrapAudienceAgnosticToken, apiserver/pkg/authentication.
 */
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import { isPageRead } from '../request/page-paths.ts';
import type { RoutedRequest, UserInfo } from '../request/request.ts';
import {
  type Audiences,
  type Authentication,
  type Authenticator,
  identified,
  type Identified,
  type TokenAuthenticator,
  UNKNOWN,
} from './authenticator.ts';
import type { CertificateMeters } from './authentication-meters.ts';
import type { AuthorityPool } from './authority-pool.ts';
import { bearerTokenAuthenticator, websocketProtocolAuthenticator } from './bearer-token.ts';
import { unionAuthenticator, unionTokenAuthenticator } from './union-authenticator.ts';
import { x509Authenticator } from './x509.ts';

/** The user of requests without a credential, where these are let in. */
export const ANONYMOUS_USER = 'system:anonymous';

/** The group of all users but the anonymous one. */
export const AUTHENTICATED_GROUP = 'system:authenticated';

/** The group of the anonymous user. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators give the same user object for the same credential, so this is made once each.
  const known = new WeakMap<UserInfo, Identified>();

  function add(answer: Authentication): Authentication {
    if (answer.verdict !== 'identified') return answer;
    let added = known.get(answer.user);
    if (added === undefined) {
      added = { verdict: 'identified', user: memberOf(answer.user) };
      known.set(answer.user, added);
    }
    return isPlain(answer) ? added : { ...answer, user: added.user };
  }

  return {
    authenticate(request: RoutedRequest, audiences?: Audiences) {
      const answer = authenticator.authenticate(request, audiences);
      return answer instanceof Promise ? answer.then(add) : add(answer);
    },
  };
}

function isPlain({ audiences, annotations, warning }: Identified): boolean {
  return audiences === undefined && annotations === undefined && warning === undefined;
}

function memberOf(user: UserInfo): UserInfo {
  const { name, groups } = user;
  if (name === ANONYMOUS_USER) return user;
  if (groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}

interface ServerAuthenticatorOptions {
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
  /** Asks a webhook about tokens. */
  readonly webhook?: TokenAuthenticator | undefined;
  /** Hears of the certificates that are shown. */
  readonly certificateMeters?: CertificateMeters | undefined;
  /** Of pages of other sites that may use client certificates on a WebSocket. */
  readonly allowedOrigins?: readonly RegularExpression[] | undefined;
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
  const unproven = allowsAnonymous ? [pageReaders, anonymous(anonymousPaths)] : [pageReaders];
  return unionAuthenticator([proven, ...unproven], { stopsAtRefusal: true });
}

/** Those that only look first, those that have to ask a webhook last. */
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
  const { clientAuthorities: authorities, certificateMeters: meters, allowedOrigins } = options;
  return authorities && x509Authenticator(authorities, { meters, allowedOrigins });
}

const ANONYMOUS = identified({
  name: ANONYMOUS_USER,
  uid: '',
  groups: [UNAUTHENTICATED_GROUP],
  extra: {},
});

/** @param paths for which alone, as they are sent; none: for all. */
export function anonymous(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return { authenticate: () => ANONYMOUS };
  const open: ReadonlySet<string> = new Set(paths);
  return { authenticate: ({ path }) => (open.has(path) ? ANONYMOUS : UNKNOWN) };
}

/** The files of the page are for every user: a browser shows no token before it has loaded them. */
const pageReaders: Authenticator = {
  authenticate: ({ info }) => (isPageRead(info) ? ANONYMOUS : UNKNOWN),
};

export function audienceAgnostic(
  tokens: TokenAuthenticator,
  own: readonly string[],
): TokenAuthenticator {
  return {
    authenticateToken(token: string, asked?: Audiences) {
      // On the way of every request: nothing else is asked for.
      if (asked === undefined) return tokens.authenticateToken(token);
      const audiences = own.filter((one) => asked.includes(one));
      if (audiences.length === 0) return UNKNOWN;
      const forThose = (answer: Authentication): Authentication =>
        answer.verdict === 'identified' ? { ...answer, audiences } : answer;
      const answer = tokens.authenticateToken(token);
      return answer instanceof Promise ? answer.then(forThose) : forThose(answer);
    },
  };
}
