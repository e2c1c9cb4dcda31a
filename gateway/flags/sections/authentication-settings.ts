/** Flags of authentication, as kube-apiserver spells them. */
import { SIGNING_ALGORITHMS } from '../../../actors/authentication/oidc/id-token.ts';
import { parseBoolean, parseDelay, parseText, quoted } from '../flag-values.ts';
import type { Setting, SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface AuthenticationSettings {
  /** The first one signs; tokens of the others are believed too. */
  readonly serviceAccountIssuer: readonly string[];
  readonly serviceAccountSigningKeyFile: string | undefined;
  readonly serviceAccountKeyFile: readonly string[];
  /** The socket of an external signer. */
  readonly serviceAccountSigningEndpoint: string | undefined;
  readonly serviceAccountJwksUri: string | undefined;
  /** None: the issuers. */
  readonly apiAudiences: readonly string[];
  /** 0: as long as is asked for. */
  readonly serviceAccountMaxTokenExpirationMs: number;
  readonly serviceAccountExtendTokenExpiration: boolean;
  /** Whether tokens of secrets end with their secrets. */
  readonly serviceAccountLookup: boolean;
  readonly enableBootstrapTokenAuth: boolean;
  readonly authenticationConfig: string | undefined;
  readonly requestheaderClientCaFile: string | undefined;
  readonly requestheaderAllowedNames: readonly string[];
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
  readonly oidcIssuerUrl: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcCaFile: string | undefined;
  readonly oidcUsernameClaim: string;
  /** undefined: the issuer, unless the claim is an email; `-`: none. */
  readonly oidcUsernamePrefix: string | undefined;
  readonly oidcGroupsClaim: string | undefined;
  readonly oidcGroupsPrefix: string | undefined;
  readonly oidcSigningAlgs: readonly string[];
  readonly oidcRequiredClaim: ReadonlyMap<string, string>;
}

/** As kubeadm calls it. */
const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';
const HOUR_MS = 3_600_000;
const EXPIRATION_MS_MAX = 2 ** 32 * 1_000;

export const AUTHENTICATION_SETTINGS: SettingsOf<AuthenticationSettings> = {
  serviceAccountIssuer: {
    flag: 'service-account-issuer',
    placeholder: 'URL',
    help: 'issuers of the tokens of service accounts; the first one signs, tokens of the others are accepted too',
    takes: 'list',
    form: 'whole',
    default: [DEFAULT_ISSUER],
    parse: parseIssuers,
  },
  serviceAccountSigningKeyFile: {
    flag: 'service-account-signing-key-file',
    placeholder: 'FILE',
    help: 'PEM private key, RSA or ECDSA, that signs the tokens of service accounts; made by ourselves when it is not given',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  serviceAccountKeyFile: {
    flag: 'service-account-key-file',
    placeholder: 'FILE',
    help: 'PEM keys that tokens of service accounts may be signed with, beside the signing key; several for a change of keys',
    takes: 'list',
    form: 'whole',
    default: [],
    parse: (texts) => texts.map((text) => parseText(text)),
  },
  serviceAccountSigningEndpoint: optional(
    'service-account-signing-endpoint',
    'SOCKET',
    'the unix socket of an external signer of the tokens of service accounts (k8s.io/externaljwt v1); no key files then',
    parseSocket,
  ),
  serviceAccountJwksUri: {
    flag: 'service-account-jwks-uri',
    placeholder: 'URL',
    help: 'where others find the keys, if not here: overrides jwks_uri in /.well-known/openid-configuration',
    takes: 'text',
    default: undefined,
    parse: parseHttps,
  },
  apiAudiences: {
    flag: 'api-audiences',
    placeholder: 'NAME,...',
    help: 'what tokens call this server; the issuers when it is not given',
    takes: 'list',
    default: [],
    parse: (texts) => texts.map((text) => parseText(text)),
  },
  serviceAccountMaxTokenExpirationMs: {
    flag: 'service-account-max-token-expiration',
    placeholder: 'DURATION',
    help: 'the longest that a token of a service account lives; 0 for as long as is asked for',
    takes: 'text',
    default: '0s',
    parse: parseTokenExpiration,
  },
  serviceAccountExtendTokenExpiration: {
    flag: 'service-account-extend-token-expiration',
    placeholder: 'BOOLEAN',
    help: 'whether tokens that kubelets ask for live on for a year, for clients that never read them again',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  serviceAccountLookup: {
    flag: 'service-account-lookup',
    placeholder: 'BOOLEAN',
    help: 'whether tokens that lie in secrets are good only as long as the secret and the account are there',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  enableBootstrapTokenAuth: {
    flag: 'enable-bootstrap-token-auth',
    placeholder: 'BOOLEAN',
    help: 'whether secrets of kube-system of type bootstrap.kubernetes.io/token authenticate nodes that join',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  authenticationConfig: {
    flag: 'authentication-config',
    placeholder: 'FILE',
    help: 'an AuthenticationConfiguration: issuers of tokens, and paths for anonymous users; read again when it changes',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    placeholder: 'FILE',
    help: 'PEM authorities of the proxies whose headers name users',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  requestheaderAllowedNames: names(
    'requestheader-allowed-names',
    'common names of these proxies; all that have a certificate, unless given',
  ),
  requestheaderUsernameHeaders: headers(
    'requestheader-username-headers',
    'headers that name the user, as X-Remote-User',
  ),
  requestheaderUidHeaders: headers(
    'requestheader-uid-headers',
    'headers with the uid of the user, as X-Remote-Uid',
  ),
  requestheaderGroupHeaders: headers(
    'requestheader-group-headers',
    'headers that name groups, as X-Remote-Group',
  ),
  requestheaderExtraHeadersPrefix: headers(
    'requestheader-extra-headers-prefix',
    'how headers with more about the user begin, as X-Remote-Extra-',
  ),
  oidcIssuerUrl: optional(
    'oidc-issuer-url',
    'URL',
    'the issuer of OpenID Connect tokens that are believed',
    parseHttps,
  ),
  oidcClientId: optional(
    'oidc-client-id',
    'NAME',
    'what tokens of --oidc-issuer-url call this server',
  ),
  oidcCaFile: optional(
    'oidc-ca-file',
    'FILE',
    'PEM authorities of --oidc-issuer-url; those of the system, unless given',
  ),
  oidcUsernameClaim: {
    flag: 'oidc-username-claim',
    placeholder: 'CLAIM',
    help: 'the claim that names the user',
    takes: 'text',
    default: 'sub',
    parse: parseText,
  },
  oidcUsernamePrefix: optional(
    'oidc-username-prefix',
    'TEXT',
    'put before names of users; - for nothing; the issuer, unless given',
  ),
  oidcGroupsClaim: optional('oidc-groups-claim', 'CLAIM', 'the claim that names groups'),
  oidcGroupsPrefix: optional('oidc-groups-prefix', 'TEXT', 'put before names of groups'),
  oidcSigningAlgs: {
    flag: 'oidc-signing-algs',
    placeholder: 'NAME,...',
    help: 'with which algorithms tokens of --oidc-issuer-url may be signed',
    takes: 'list',
    default: ['RS256'],
    parse: parseAlgorithms,
  },
  oidcRequiredClaim: {
    flag: 'oidc-required-claim',
    placeholder: 'CLAIM=VALUE',
    help: 'claims that a token of --oidc-issuer-url must have',
    takes: 'list',
    form: 'whole',
    default: [],
    parse: parseRequiredClaims,
  },
};

/** @throws StartupError when flags do not go together. */
export function checkAuthenticationOptions(options: AuthenticationSettings): void {
  const { oidcIssuerUrl, oidcClientId, authenticationConfig } = options;
  if ((oidcIssuerUrl === undefined) !== (oidcClientId === undefined)) {
    throw new StartupError(
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    );
  }
  if (authenticationConfig !== undefined && oidcIssuerUrl !== undefined) {
    throw new StartupError('authentication-config file and oidc-* flags are mutually exclusive');
  }
  const { serviceAccountSigningEndpoint: signer, serviceAccountKeyFile: keys } = options;
  if (signer !== undefined && (options.serviceAccountSigningKeyFile ?? keys[0]) !== undefined) {
    throw new StartupError(
      "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with " +
        '`--service-account-signing-endpoint` (They are mutually exclusive)',
    );
  }
  const { requestheaderClientCaFile: file, requestheaderUsernameHeaders: users } = options;
  if (file !== undefined && users.length === 0) {
    throw new StartupError('--requestheader-client-ca-file needs --requestheader-username-headers');
  }
}

function optional(
  flag: string,
  placeholder: string,
  help: string,
  parse: (text: string) => string = parseText,
): Setting<string> {
  return { flag, placeholder, help, takes: 'text', default: undefined, parse };
}

function names(flag: string, help: string): Setting<readonly string[]> {
  const parse = (texts: readonly string[]) => texts.map((text) => parseText(text));
  return { flag, placeholder: 'NAME,...', help, takes: 'list', default: [], parse };
}

/** In lower case, as node has them. */
function headers(flag: string, help: string): Setting<readonly string[]> {
  const parse = (texts: readonly string[]) => texts.map((text) => parseHeader(text));
  return { flag, placeholder: 'HEADER,...', help, takes: 'list', default: [], parse };
}

function parseHeader(text: string): string {
  if (text.trim() === '') throw new StartupError('must not be empty');
  return text.trim().toLowerCase();
}

function parseAlgorithms(texts: readonly string[]): readonly string[] {
  for (const text of texts) {
    if (SIGNING_ALGORITHMS.includes(text)) continue;
    throw new StartupError(`must be of ${SIGNING_ALGORITHMS.join(', ')}, not ${quoted(text)}`);
  }
  return texts;
}

function parseRequiredClaims(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new StartupError(`must be CLAIM=VALUE, not ${quoted(text)}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function parseIssuers(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) throw new StartupError('must name at least one issuer');
  const seen = new Set<string>();
  for (const text of texts) {
    if (text === '') throw new StartupError('must not be empty');
    if (text.includes(':') && !URL.canParse(text)) {
      throw new StartupError(`contained a ':' but was not a valid URL: ${quoted(text)}`);
    }
    if (seen.has(text)) throw new StartupError(`names ${quoted(text)} twice`);
    seen.add(text);
  }
  return texts;
}

/** In Kubernetes: abstractSocketRegex, pkg/controlplane/apiserver/options. */
const ABSTRACT_SOCKET = /^@(?:[a-zA-Z0-9_-]+\.)*[a-zA-Z0-9_-]+$/;

function parseSocket(text: string): string {
  if (!text.startsWith('@') || ABSTRACT_SOCKET.test(text)) return parseText(text);
  throw new StartupError(
    `invalid value ${quoted(text)} passed for \`--service-account-signing-endpoint\`, when ` +
      'prefixed with @ must be a valid abstract socket name',
  );
}

function parseHttps(text: string): string {
  if (URL.parse(text)?.protocol === 'https:') return text;
  throw new StartupError(`must be an https URL, not ${quoted(text)}`);
}

function parseTokenExpiration(text: string): number {
  const ms = parseDelay(text);
  if (ms === 0 || (ms >= HOUR_MS && ms <= EXPIRATION_MS_MAX)) return ms;
  throw new StartupError('must be between 1 hour and 2^32 seconds, or 0');
}
