/**
 * When handshakes begin. A client of HTTP/2 that asks much at once opens a connection for each request until the first of
 * them is there, and after a restart all clients come together. libuv accepts one connection in a turn of the event loop,
 * so those behind wait for each handshake in front of them, and where the system's queue is full their clients try again
 * a second later. Therefore connections are accepted first: while more come, handshakes wait for some turns, and then a few begin.
 *
 * A turn is short where the machine has time for this process, and may last a second where it has not. A connection comes
 * in each turn then, and handshakes wait no longer: two of them in sixteen turns would never keep up.
 *
 * The surprise: of those that wait, the first and the last begin alternately. In order alone, a client that comes behind a
 * crowd would wait for all of it; so it waits for a few turns, and the first of the crowd goes on in each round.
 */
type Begin = () => void;

/** So many connections more are accepted before handshakes begin. */
export const TURNS_FOR_COMING = 16;
/** And for so long. */
export const COMING_MS = 10;
/** Places in front that are empty are given back when there are so many. */
const EMPTY_MAX = 1_024;

export class HandshakeTurns {
  readonly #now: () => number;
  /** From the one at `#first` on, in order of their coming. */
  #waiting: (Begin | undefined)[] = [];
  #first = 0;
  /** One came since the last turn. */
  #isComing = false;
  #turnsPassed = 0;
  /** When handshakes began last. */
  #begunAt = 0;
  #isTurnDue = false;
  readonly #turn = (): void => {
    this.#isTurnDue = false;
    const isSoon = this.#turnsPassed < TURNS_FOR_COMING && this.#now() - this.#begunAt < COMING_MS;
    if (this.#isComing && isSoon) {
      this.#turnsPassed += 1;
      this.#isComing = false;
      this.#turnLater();
      return;
    }
    this.#turnsPassed = 0;
    this.#isComing = false;
    const oldest = this.#oldest();
    if (oldest === undefined) return;
    this.#turnLater();
    oldest();
    this.#newest()?.();
    this.#begunAt = this.#now();
  };

  /** @param now in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.length - this.#first;
  }

  /** @param begin is called once: now, where no other came in this turn or the one before. Must not throw. */
  add(begin: Begin): void {
    this.#isComing = true;
    if (this.#isTurnDue) {
      this.#waiting.push(begin);
      return;
    }
    this.#turnLater();
    begin();
    this.#begunAt = this.#now();
  }

  #turnLater(): void {
    this.#isTurnDue = true;
    setImmediate(this.#turn);
  }

  #oldest(): Begin | undefined {
    if (this.size === 0) return undefined;
    const begin = this.#waiting[this.#first];
    this.#waiting[this.#first] = undefined;
    this.#first += 1;
    if (this.size === 0 || this.#first === EMPTY_MAX) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return begin;
  }

  #newest(): Begin | undefined {
    return this.size === 0 ? undefined : this.#waiting.pop();
  }
}
