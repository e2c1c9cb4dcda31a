/** Pauses between attempts: twice as long after each failure, and of random length, so that clients spread. */
import { firstValueFrom, merge, NEVER, tap, timer, type Observable } from 'rxjs';
import type { Clock, Random } from '../../api/meta/clock.ts';
import { rxjsScheduler, whenAborted } from '../../api/meta/rxjs-clock.ts';

const FIRST_MS = 500;
const LAST_MS = 30_000;
/** Out of a thousand: the share of a pause that is random. */
const CHANCE = 500;

export interface BackOffParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Emits when the server is known to be back: ends a pause, and the next failure counts as the first. */
  readonly returned?: Observable<unknown>;
}

/** The pauses of one client. Each wait doubles the next, up to half a minute. */
export class BackOff {
  readonly #parts: BackOffParts;
  #nextMs = FIRST_MS;

  constructor(parts: BackOffParts) {
    this.#parts = parts;
  }

  /** The attempt succeeded: the next failure counts as the first. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  /** Resolves after the pause; earlier, and without an error, when the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    const { clock, random, returned = NEVER } = this.#parts;
    const delayMs = (this.#nextMs * (1_000 - random.integer(CHANCE))) / 1_000;
    this.#nextMs = Math.min(this.#nextMs * 2, LAST_MS);
    const early = returned.pipe(
      tap(() => {
        this.reset();
      }),
    );
    await firstValueFrom(merge(timer(delayMs, rxjsScheduler(clock)), early, whenAborted(signal)));
  }
}
