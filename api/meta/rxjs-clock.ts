/**
 * Time for streams: rxjs counts it on schedulers, which a Clock can drive as it drives statecharts
 * (xstate-clock.ts). Operators of rxjs that know time are always given this scheduler: without one they
 * would set timers of the system, which a test cannot move and a stopped server would wait for.
 */
import {
  Observable,
  Subscription,
  firstValueFrom,
  takeUntil,
  timer,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import type { Clock } from './clock.ts';

/** One scheduler per clock is enough; it keeps nothing but its clock. */
export function rxjsScheduler(clock: Clock): SchedulerLike {
  return {
    now: () => clock.now(),
    // The overloads of rxjs differ in whether there is a state at all; the work knows.
    schedule<T>(work: (this: SchedulerAction<T>, state: T) => void, delayMs = 0, state?: T) {
      return new ClockAction(clock, work).schedule(state, delayMs);
    },
  };
}

/** Work that may ask for its own repetition. It ends, and its timer with it, when it does not. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #clock: Clock;
  readonly #work: (this: SchedulerAction<T>, state: T) => void;
  #timer: Subscription | undefined;

  constructor(clock: Clock, work: (this: SchedulerAction<T>, state: T) => void) {
    super();
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delayMs = 0): this {
    if (this.closed) return this;
    this.#forget();
    this.#timer = new Subscription(this.#clock.after(delayMs, () => this.#run(state as T)));
    this.add(this.#timer);
    return this;
  }

  #run(state: T): void {
    this.#forget();
    try {
      this.#work.call(this, state);
    } catch (error) {
      this.unsubscribe();
      throw error;
    }
    if (this.#timer === undefined) this.unsubscribe();
  }

  #forget(): void {
    this.#timer?.unsubscribe();
    this.#timer = undefined;
  }
}

/** Emits once when the signal is aborted, at once where it was before; does not complete without. */
export function whenAborted(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => {
    const ended = (): void => {
      subscriber.next();
      subscriber.complete();
    };
    if (signal.aborted) {
      ended();
      return undefined;
    }
    signal.addEventListener('abort', ended);
    return () => {
      signal.removeEventListener('abort', ended);
    };
  });
}

/** Resolves after `delayMs`, or when the signal is aborted, without an error. */
export async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const waited = timer(delayMs, rxjsScheduler(clock)).pipe(takeUntil(whenAborted(signal)));
  await firstValueFrom(waited, { defaultValue: 0 });
}
