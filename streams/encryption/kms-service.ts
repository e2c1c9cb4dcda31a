/**
 * A key management service as a provider asks it: what it says of itself, and what it encrypts and
 * decrypts with a key that never leaves it.
 *
 * In Kubernetes: Service, kms/pkg/service.
 */

export interface KmsStatus {
  /** Of its API: `v2`. */
  readonly version: string;
  /** Anything but `ok` is a problem. */
  readonly healthz: string;
  /** Of the key that it encrypts with just now. */
  readonly keyId: string;
}

/** What it has encrypted, with all that it wants to see again for decrypting it. */
export interface KmsSealed {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: ReadonlyMap<string, Uint8Array>;
}

/** Each call ends, with an error if need be, when the service has not answered in its time. */
export interface KmsService {
  /** @throws {KmsCallError} so do all. */
  status(): Promise<KmsStatus>;
  /** @param uid names the call in the logs of both sides. */
  encrypt(uid: string, plain: Uint8Array): Promise<KmsSealed>;
  /** Opens what `encrypt` made. @param uid names the call in the logs of both sides. */
  decrypt(uid: string, sealed: KmsSealed): Promise<Buffer>;
  /** Ends the connection. Safe to call twice. */
  close(): void;
}

/** The service could not be asked, or refused. */
export class KmsCallError extends Error {
  override readonly name = 'KmsCallError';
  /** As Go calls the status codes of gRPC: `DeadlineExceeded`. */
  readonly code: string;

  constructor(code: string, details: string, options: ErrorOptions = {}) {
    super(`rpc error: code = ${code} desc = ${details}`, options);
    this.code = code;
  }
}

/** Told of what providers do with services and keys. Must not throw. */
export interface KmsMeters {
  /** @param method as `/v2.KeyManagementService/Status`; @param code as in {@link KmsCallError}, or `OK`. */
  called(provider: string, method: string, code: string, durationMs: number): void;
  /** A key of the service sealed or opened the key of an object. */
  keyUsed(provider: string, keyId: string, direction: 'from_storage' | 'to_storage'): void;
  /** The status of the service named this key. */
  keyReported(provider: string, keyId: string): void;
  /** The status of the service named a key that cannot be used. */
  invalidKeyReported(provider: string, problem: 'empty' | 'too_long'): void;
  /** How many opened seeds a provider holds now. */
  seedsCached(provider: string, count: number): void;
  /** A seed was not held, so the service was asked to open it. */
  seedMissed(): void;
}
