/**
 * Remembers for a while what was decided about a token, so that who has to be asked, or has to
 * check a signature, is not asked for each request. A token is known by a hash with a key of this
 * process: what lies in memory is of no use to anybody, and nobody can make two that look alike.
 *
 * Who asks while an answer is under way waits for the same one. A failure to decide is not remembered.
 *
 * In Kubernetes: cachedTokenAuthenticator, apiserver/pkg/authentication/token/cache.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import {
  refused,
  type Audiences,
  type Authentication,
  type TokenAuthenticator,
} from './authenticator.ts';
import { BoundedMap } from './bounded-map.ts';

export interface TokenCacheOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly successTtlMs: number;
  /** Also of tokens that nobody knows. 0: they are not remembered. */
  readonly failureTtlMs: number;
  readonly entriesMax?: number;
}

interface Entry {
  readonly answer: Authentication;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const ENTRIES_MAX = 10_000;

export class TokenCache implements TokenAuthenticator {
  readonly #behind: TokenAuthenticator;
  readonly #options: TokenCacheOptions;
  readonly #secret = randomBytes(32);
  readonly #entries: BoundedMap<string, Entry>;
  readonly #underWay = new Map<string, Promise<Authentication>>();

  constructor(behind: TokenAuthenticator, options: TokenCacheOptions) {
    this.#behind = behind;
    this.#options = options;
    this.#entries = new BoundedMap(options.entriesMax ?? ENTRIES_MAX);
  }

  authenticateToken(
    token: string,
    audiences?: Audiences,
  ): Authentication | Promise<Authentication> {
    const key = this.#keyOf(token, audiences);
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.until > this.#options.clock.now()) return entry.answer;
    const coming = this.#underWay.get(key);
    if (coming !== undefined) return coming;
    const answer = this.#behind.authenticateToken(token, audiences);
    if (!(answer instanceof Promise)) return this.#remember(key, answer);
    const settled = answer
      .then((decided) => this.#remember(key, decided), refused)
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, settled);
    return settled;
  }

  #remember(key: string, answer: Authentication): Authentication {
    const { clock, successTtlMs, failureTtlMs } = this.#options;
    const ttlMs = answer.verdict === 'identified' ? successTtlMs : failureTtlMs;
    if (ttlMs > 0) this.#entries.set(key, { answer, until: clock.now() + ttlMs });
    return answer;
  }

  #keyOf(token: string, audiences: Audiences): string {
    const hash = createHmac('sha256', this.#secret);
    // With lengths before them, so that a token cannot look like one with other audiences.
    for (const text of [token, ...(audiences ?? [])]) hash.update(`${String(text.length)}:${text}`);
    return hash.digest('base64');
  }
}
