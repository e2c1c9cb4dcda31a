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
