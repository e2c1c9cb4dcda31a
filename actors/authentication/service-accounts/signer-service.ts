/**
 * Who signs the tokens of service accounts in a process of its own, and knows which keys are good.
 *
 * In Kubernetes: ExternalJWTSigner, externaljwt/apis/v1.
 */

/** Both parts as they stand in the token, in base64url. */
export interface SignedHeader {
  readonly header: string;
  readonly signature: string;
}

export interface FetchedKey {
  readonly id: string;
  /** PKIX, DER. */
  readonly key: Buffer;
  /** Signs nothing new, and is not shown to others. */
  readonly isExcluded: boolean;
}

export interface FetchedKeys {
  readonly keys: readonly FetchedKey[];
  /** When the signer learnt of them, in seconds since 1970; undefined: it does not say. */
  readonly timestampSeconds: number | undefined;
  /** After so long they are asked for again. */
  readonly refreshSeconds: number;
}

/** All reject where the signer cannot be asked, or refuses: with a message that may be shown. */
export interface SignerService {
  /** @param claims as they stand in the token, in base64url. */
  sign(claims: string): Promise<SignedHeader>;
  fetchKeys(): Promise<FetchedKeys>;
  /** The longest that its tokens live. */
  maxTokenSeconds(): Promise<number>;
  close(): void;
}

/** Must not throw. */
export interface SignerMeters {
  /** @param error undefined: it went well. */
  fetched(error: unknown): void;
  /** @param seconds since 1970. */
  keysAreOf(seconds: number): void;
  signed(error: unknown): void;
}
