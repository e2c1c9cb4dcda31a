/**
 * Subscriptions that the server has refused for now, with 429 or 503, as when it has too much to do: each is
 * asked for again when the time is over that the server named, and longer where it named none.
 */
import type { SchedulerLike, Subscription } from 'rxjs';
import { backOffMs, chance } from './back-off.ts';
import type { LiveStatus } from './live-error.ts';

/** As often in a row as client-go does. */
const ATTEMPTS_MAX = 10;
const MS = 1_000;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

export class RefusedSubscriptions {
  readonly #scheduler: SchedulerLike;
  readonly #refusals = new Map<string, { count: number; timer: Subscription }>();

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
  }

  /** @returns false where it is no use to ask again; else `again` is called once, or forgotten. */
  refused(id: string, { code, details }: LiveStatus, again: () => void): boolean {
    const count = (this.#refusals.get(id)?.count ?? 0) + 1;
    if (code !== TOO_MANY_REQUESTS && code !== UNAVAILABLE) return false;
    if (count > ATTEMPTS_MAX) return false;
    const waitsMs = Math.max(backOffMs(count, chance()), (details?.retryAfterSeconds ?? 0) * MS);
    this.#refusals.set(id, { count, timer: this.#scheduler.schedule(again, waitsMs) });
    return true;
  }

  /** It was heard, or has ended. */
  forget(id: string): void {
    this.#refusals.get(id)?.timer.unsubscribe();
    this.#refusals.delete(id);
  }

  /** A new connection asks for all. */
  forgetAll(): void {
    for (const id of [...this.#refusals.keys()]) this.forget(id);
  }
}
