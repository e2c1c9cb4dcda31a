/**
 * Control planes that wait for a suite. A suite that leaves port, directory and certificates to the process is given one that has
 * started already, and another one is started in its place: by the flags of the last that was taken, since
 * the next is of the same kind, as a rule.
 */
import type { Clock } from '../../../../api/meta/clock.ts';

/** A control plane that has started, or is about to. */
export interface SparePlane {
  /** It has ended by itself, and is of no use. */
  readonly isEnded: boolean;
  /** Whether it answers, once that is decided. */
  readonly started: Promise<boolean>;
  /** Ends it, and what it has written. */
  stop(): void;
}

interface SparesParts<Plane> {
  readonly clock: Pick<Clock, 'after'>;
  /** Starts one with these flags. */
  readonly start: (flags: readonly string[]) => Plane;
}

/** As many as a suite may want before another one can have started. */
const SPARES = 2;
/** A suite that was given one asks it first. */
const REST_MS = 100;

export class SparePlanes<Plane extends SparePlane> {
  readonly #parts: SparesParts<Plane>;
  #flags: readonly string[] = [];
  #spares: Plane[] = [];
  #cancel: (() => void) | undefined;

  constructor(parts: SparesParts<Plane>) {
    this.#parts = parts;
  }

  /** One with just these flags, which waited or is made for it. It belongs to the caller. */
  take(flags: readonly string[]): Plane {
    if (!isSame(flags, this.#flags)) {
      this.stop();
      this.#flags = flags;
    }
    this.#spares = this.#spares.filter(({ isEnded }) => !isEnded);
    return this.#spares.shift() ?? this.#parts.start(flags);
  }

  /** A suite has what it has taken: the next ones can be started, one after the other. */
  refill(): void {
    this.#cancel ??= this.#parts.clock.after(REST_MS, () => {
      this.#cancel = undefined;
      if (this.#spares.length >= SPARES) return;
      const spare = this.#parts.start(this.#flags);
      this.#spares.push(spare);
      void spare.started.then((isStarted) => {
        if (isStarted && this.#spares.includes(spare)) this.refill();
      });
    });
  }

  /** Ends those that wait. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const spare of this.#spares.splice(0)) spare.stop();
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
