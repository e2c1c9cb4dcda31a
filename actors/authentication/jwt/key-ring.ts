/**
 * The keys of the server's own tokens: one signs, and several may have signed earlier. They are put
 * in once, before the port is open: with other servers on the log, only the log says which they are.
 */
import type { JsonObject } from '../../../api/meta/json.ts';
import type { SigningKey, VerificationKey } from './signature-key.ts';

export class KeyRing {
  #signing: SigningKey | undefined;
  #all: readonly VerificationKey[] = [];
  #byId: ReadonlyMap<string, VerificationKey> = new Map();

  /** @param signing undefined: tokens are checked here and made elsewhere. */
  fill(signing: SigningKey | undefined, verification: readonly VerificationKey[]): void {
    this.#signing = signing;
    this.#byId = new Map(verification.map((key) => [key.id, key]));
    this.#all = [...this.#byId.values()];
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

  get keySet(): JsonObject {
    return { keys: this.#all.map(({ publicJwk }) => publicJwk) };
  }

  /** Of all keys, in order. */
  get algorithms(): readonly string[] {
    return [...new Set(this.#all.map(({ algorithm }) => algorithm))].sort();
  }
}
