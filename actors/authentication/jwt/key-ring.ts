/**
 * The keys of the server's own tokens: one signs, and several may have signed earlier. They are put
 * in before the port is open: with other servers on the log, only the log says which they are. Where
 * an external signer signs, the keys are its own, and they are put in again and again.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { SigningKey, VerificationKey } from './signature-key.ts';

/** What signs instead of us. */
export interface TokenSigner {
  /** For how long others may remember the keys. */
  readonly cacheSeconds: number;
  /** Puts in the keys that count now. */
  refresh(): Promise<void>;
  /** @throws Error with a message that may be shown. */
  sign(claims: JsonObject): Promise<string>;
}

/** For how long others may remember keys that change with a restart only. */
const CACHE_SECONDS = 3_600;
const NONE: readonly VerificationKey[] = [];

export class KeyRing {
  /** undefined: no external signer. */
  signer: TokenSigner | undefined;
  #version = 0;
  #signing: SigningKey | undefined;
  #all: readonly VerificationKey[] = [];
  #byId: ReadonlyMap<string, VerificationKey> = new Map();

  /** @param signing undefined: tokens are checked here and made elsewhere. */
  fill(signing: SigningKey | undefined, verification: readonly VerificationKey[]): void {
    this.#version += 1;
    this.#signing = signing;
    this.#byId = new Map(verification.map((key) => [key.id, key]));
    this.#all = [...this.#byId.values()];
  }

  /** Rises when keys are put in: what was found out with earlier ones does not count any more. */
  get version(): number {
    return this.#version;
  }

  get cacheSeconds(): number {
    return this.signer?.cacheSeconds ?? CACHE_SECONDS;
  }

  get signing(): SigningKey | undefined {
    return this.#signing;
  }

  /** @param id '': the token does not say, so it may be any. */
  keysFor(id: string): readonly VerificationKey[] {
    if (id === '') return this.#all;
    const key = this.#byId.get(id);
    return key === undefined ? [] : [key];
  }

  /** As {@link keysFor}; an external signer is asked for a key that is not known. */
  find(id: string): MaybePromise<readonly VerificationKey[]> {
    const known = this.keysFor(id);
    if (known.length > 0 || this.signer === undefined) return known;
    // Without its answer there are none.
    return this.signer.refresh().then(
      () => this.keysFor(id),
      () => NONE,
    );
  }

  get keySet(): JsonObject {
    return { keys: this.#shown.map(({ publicJwk }) => publicJwk) };
  }

  get #shown(): readonly VerificationKey[] {
    return this.#all.filter(({ isExcluded }) => !isExcluded);
  }

  /** Of all keys that are shown, in order. */
  get algorithms(): readonly string[] {
    return [...new Set(this.#shown.map(({ algorithm }) => algorithm))].sort();
  }
}
