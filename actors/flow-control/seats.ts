/**
 * How much of the server a request takes: the seats that it sits on while it is served, those that
 * it leaves occupied for a moment behind it, and the work that this comes to.
 *
 * Work is counted in whole hundred-millionths of a seat-second, as upstream counts it; so sums are
 * exact, and both put requests into the same order.
 *
 * In Kubernetes: WorkEstimate and SeatSeconds, apiserver/pkg/util/flowcontrol/request.
 */
export interface WorkEstimate {
  /** At least 1. */
  readonly initialSeats: number;
  /** For the time behind the answer: of what its watchers are told. */
  readonly finalSeats: number;
  /** How long the final seats are kept, in milliseconds. */
  readonly lingerMs: number;
}

const UNITS_PER_SECOND = 1e8;
const NANOSECONDS_PER_MS = 1e6;
const NANOSECONDS_PER_UNIT = 1e9 / UNITS_PER_SECOND;

export function seatsOnly(initialSeats: number): WorkEstimate {
  return { initialSeats, finalSeats: 0, lingerMs: 0 };
}

/** Both phases are sat on by the wider one's seats. */
export function maxSeatsOf({ initialSeats, finalSeats }: WorkEstimate): number {
  return Math.max(initialSeats, finalSeats);
}

/** The work of so many seats over so many milliseconds. */
export function seatWork(seats: number, ms: number): number {
  const nanoseconds = Math.round(ms * NANOSECONDS_PER_MS);
  return Math.round((seats * nanoseconds) / NANOSECONDS_PER_UNIT);
}

/** How long so many seats take for this work, in milliseconds. */
export function msPerSeat(work: number, seats: number): number {
  return Math.trunc((work / seats) * NANOSECONDS_PER_UNIT) / NANOSECONDS_PER_MS;
}

/** `3.00300000ss`, in seat-seconds. */
export function formatWork(work: number): string {
  const whole = Math.floor(work / UNITS_PER_SECOND);
  const rest = String(work - whole * UNITS_PER_SECOND).padStart(8, '0');
  return `${String(whole)}.${rest}ss`;
}

/** In seat-seconds. */
export function workInSeconds(work: number): number {
  return work / UNITS_PER_SECOND;
}

/**
 * How many seats a priority level could use, over time: what the seats are shared out by.
 *
 * In Kubernetes: Integrator, apiserver/pkg/util/flowcontrol/fairqueuing, and seatDemandStats.
 */
const MS_PER_SECOND = 1_000;
/** Of what is remembered after an adjustment: half of it is gone after five minutes. */
const SMOOTHING = 0.977;

export class SeatDemand {
  highWatermark = 0;
  average = 0;
  deviation = 0;
  /** Rises at once, and falls slowly. */
  smoothed = 0;
  #value = 0;
  #since: number;
  #seconds = 0;
  #sum = 0;
  #squares = 0;
  #max = 0;

  /** @param now milliseconds since 1970, here and below. */
  constructor(now: number) {
    this.#since = now;
  }

  set(value: number, now: number): void {
    this.#integrate(now);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** Takes stock of the time since the last stock-taking, and begins anew. */
  takeStock(now: number): void {
    this.#integrate(now);
    this.highWatermark = Math.round(this.#max);
    if (this.#seconds > 0) {
      this.average = this.#sum / this.#seconds;
      const variance = this.#squares / this.#seconds - this.average * this.average;
      this.deviation = variance >= 0 ? Math.sqrt(variance) : 0;
      const envelope = this.average + this.deviation;
      const faded = SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope;
      this.smoothed = Math.max(envelope, faded);
    }
    this.#seconds = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#max = this.#value;
  }

  #integrate(now: number): void {
    // A clock that was put back counts as one that stood still.
    const seconds = Math.max(0, now - this.#since) / MS_PER_SECOND;
    this.#since = now;
    this.#seconds += seconds;
    this.#sum += this.#value * seconds;
    this.#squares += this.#value * this.#value * seconds;
  }
}
