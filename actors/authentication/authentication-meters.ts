/** Counts how users are told apart, and how long that takes. All times are in milliseconds. */

/** `failure`: no authenticator knows the user; `error`: a credential was no good, or could not be looked at. */
export type AuthenticationResult = 'success' | 'failure' | 'error';

/** Figures of the authentication filter, once for each request. */
export interface RequestAuthenticationMeters {
  /** @param username '' where no user was let in. */
  authenticated(result: AuthenticationResult, username: string, durationMs: number): void;
}

/** Figures of the cache in front of token authenticators: `authentication_token_cache_*`. */
export interface TokenCacheMeters {
  /** What was remembered was enough. */
  hit(): void;
  /** A webhook had to be asked, or a signature to be checked. */
  missed(durationMs: number): void;
  /** A question begins. @returns called when it was answered, or could not be. */
  fetching(): (isDecided: boolean) => void;
  /** A request waits for an answer. @returns called when it does not any more. */
  waiting(): () => void;
}

/** Figures of the issuers of tokens, by the URL of the issuer. */
export interface IssuerMeters {
  /** A token of this issuer was checked. */
  judged(issuer: string, isGood: boolean, durationMs: number): void;
  /** @param keySet as it came; undefined: it did not. */
  keysFetched(issuer: string, keySet: string | undefined): void;
  /** The issuer is not believed any more. */
  forgotten(issuer: string): void;
}

/** Figures of the file of --authentication-config, which is read again when it changes. */
export interface ConfigurationMeters {
  /** @param text of the configuration that is in force from now on. */
  inForce(text: string): void;
  /** The file has changed, and was read again. */
  reloaded(isGood: boolean): void;
}

/** Figures of requests that ask to be taken for another user's. */
export interface ImpersonationMeters {
  /** @param mode in which a user may be taken for another; '': in none. */
  attempted(mode: string, isAllowed: boolean, durationMs: number): void;
  /** One question to the authorizers. */
  asked(mode: string, isAllowed: boolean, durationMs: number): void;
}

export interface CertificateMeters {
  /** A request came with a certificate, good or not. @param remainingMs below 0 where it has run out. */
  certificateShown(remainingMs: number): void;
}

export interface AuthenticationMeters
  extends
    RequestAuthenticationMeters,
    TokenCacheMeters,
    IssuerMeters,
    ConfigurationMeters,
    ImpersonationMeters,
    CertificateMeters {}
