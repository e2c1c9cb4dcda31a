/**
 * Remembers for a while what was decided about a token, so that a webhook that has to be asked, or has to
 * check a signature, is not asked for each request. A token is known by a hash with a key of this
 * process: what lies in memory is of no use to a thief, and no client can make two that look alike.
 *
 * A request that asks while an answer is under way waits for the same one. A failure to decide is not remembered.
 *
 * In Kubernetes: cachedTokenAuthenticator, apiserver/pkg/authentication/token/cache.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../api/meta/clock.ts';
import { ExpiringMap } from '../../api/meta/bounded-map.ts';
import {
  refused,
  type Audiences,
  type Authentication,
  type TokenAuthenticator,
} from './authenticator.ts';
import type { TokenCacheMeters } from './authentication-meters.ts';

export interface TokenCacheOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly successTtlMs: number;
  /** Of tokens that are not known. 0: they are not remembered; nor is ever why one was refused. */
  readonly failureTtlMs: number;
  readonly entriesMax?: number;
  readonly meters?: TokenCacheMeters | undefined;
}

const ENTRIES_MAX = 10_000;

export class TokenCache implements TokenAuthenticator {
  readonly #behind: TokenAuthenticator;
  readonly #options: TokenCacheOptions;
  readonly #secret = randomBytes(32);
  readonly #answers: ExpiringMap<string, Authentication>;
  readonly #underWay = new Map<string, Promise<Authentication>>();

  constructor(behind: TokenAuthenticator, options: TokenCacheOptions) {
    this.#behind = behind;
    this.#options = options;
    this.#answers = new ExpiringMap(options.entriesMax ?? ENTRIES_MAX, options.clock);
  }

  authenticateToken(
    token: string,
    audiences?: Audiences,
  ): Authentication | Promise<Authentication> {
    const key = this.#keyOf(token, audiences);
    const known = this.#answers.get(key);
    const { clock, meters } = this.#options;
    if (known !== undefined) {
      meters?.hit();
      return known;
    }
    const answer = this.#underWay.get(key) ?? this.#ask(key, token, audiences);
    if (meters === undefined) return answer;
    if (!(answer instanceof Promise)) {
      meters.missed(0);
      return answer;
    }
    const startedAt = clock.now();
    const answered = meters.waiting();
    return answer.finally(() => {
      answered();
      meters.missed(clock.now() - startedAt);
    });
  }

  #ask(key: string, token: string, audiences: Audiences): Authentication | Promise<Authentication> {
    const fetched = this.#options.meters?.fetching();
    const answer = this.#behind.authenticateToken(token, audiences);
    const settle = (decided: Authentication): Authentication => {
      fetched?.(decided.verdict !== 'refused');
      return this.#remember(key, decided);
    };
    if (!(answer instanceof Promise)) return settle(answer);
    const settled = answer
      .catch(refused)
      .then(settle)
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, settled);
    return settled;
  }

  #remember(key: string, answer: Authentication): Authentication {
    const { successTtlMs, failureTtlMs } = this.#options;
    const ttlMs = { identified: successTtlMs, unknown: failureTtlMs, refused: 0 };
    this.#answers.set(key, answer, ttlMs[answer.verdict]);
    return answer;
  }

  #keyOf(token: string, audiences: Audiences): string {
    const hash = createHmac('sha256', this.#secret);
    // With lengths before them, so that a token cannot look like one with other audiences.
    for (const text of [token, ...(audiences ?? [])]) hash.update(`${String(text.length)}:${text}`);
    return hash.digest('base64');
  }
}
