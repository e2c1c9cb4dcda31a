/**
 * What lets a browser in at the local proxy: a code that stands in the address and works once, and the key
 * that it is exchanged for. The key is the bearer token of the page; it is no credential of the server,
 * and ends with the proxy.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BYTES = 32;
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

export class PageKeys {
  readonly #key = randomBytes(BYTES).toString('base64url');
  #code = '';

  /** A new code; the one before does not work any more. */
  renew(): string {
    return (this.#code = randomBytes(BYTES).toString('base64url'));
  }

  /** The key, for the code that was printed last, once. */
  exchange(code: string): string | undefined {
    const isRight = this.#code !== '' && isSame(code, this.#code);
    if (!isRight) return undefined;
    this.#code = '';
    return this.#key;
  }

  /** Whether it is the value of an Authorization header with the key. */
  opens(authorization: string): boolean {
    return isSame(authorization, `Bearer ${this.#key}`);
  }

  /** The subprotocols without the one that has the key; undefined where none has it. */
  protocolsBehind(offered: string): readonly string[] | undefined {
    const key = TOKEN_PROTOCOL + Buffer.from(this.#key).toString('base64url');
    const all = offered.split(',').map((one) => one.trim());
    return all.some((one) => isSame(one, key)) ? all.filter((one) => !isSame(one, key)) : undefined;
  }
}

/** In a time that says nothing of where they differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
