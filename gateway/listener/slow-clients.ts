/**
 * Lets go of clients that send or take too slowly: one byte of a body now and then, a large list
 * that is never read. Each would hold a stream, a seat and its bytes for ever.
 *
 * An answer has to be taken by the end of its request's time; one that is only sent late, as long
 * after it was handed over. Long-running requests have no end and are left alone: a watch that is
 * not read holds one chunk.
 *
 * In Kubernetes: the timeout filter breaks off what is still being written at the deadline.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { UnderWay } from '../../actors/request/under-way.ts';

/** What is watched of an exchange. */
export interface WatchedExchange {
  /** Everything was handed over; it may not be sent yet. */
  readonly isEnded: boolean;
  /** It comes after others on its connection, which are not sent yet. */
  readonly isBehindOthers: boolean;
  abort(): void;
}

export interface SlowClientsParts {
  readonly clock: Clock;
  /** How long a client may need to take an answer that is made. */
  readonly takeMs: number;
  /** Told of those that were let go of. */
  readonly aborted: (request: ReceivedRequest) => void;
}

interface Open {
  readonly exchange: WatchedExchange;
  readonly request: ReceivedRequest;
  /** When it was first seen to have ended, in milliseconds since 1970; 0: it has not. */
  endedAt: number;
  place: number;
}

const LOOK_MS = 1_000;
/** A client that is answered 504 has to be able to read that. */
const GRACE_MS = 2_000;

export class SlowClients {
  readonly #clock: Clock;
  readonly #takeMs: number;
  readonly #aborted: (request: ReceivedRequest) => void;
  readonly #open = new UnderWay<Open>();
  #isLookDue = false;

  constructor({ clock, takeMs, aborted }: SlowClientsParts) {
    this.#clock = clock;
    this.#takeMs = takeMs;
    this.#aborted = aborted;
  }

  /** @returns to be called when the exchange is closed. */
  watch(exchange: WatchedExchange, request: ReceivedRequest): () => void {
    const open: Open = { exchange, request, endedAt: 0, place: 0 };
    open.place = this.#open.add(open);
    this.#lookLater();
    return () => {
      this.#open.remove(open.place, open);
    };
  }

  /** One timer for all, and none when nothing is open. */
  #lookLater(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    this.#clock.after(LOOK_MS, () => {
      this.#isLookDue = false;
      const now = this.#clock.now();
      for (const open of this.#open) this.#look(open, now);
      if (this.#open.size > 0) this.#lookLater();
    });
  }

  #look(open: Open, now: number): void {
    const { exchange, request } = open;
    if (exchange.isBehindOthers) return;
    if (exchange.isEnded && open.endedAt === 0) open.endedAt = now;
    const isTaken = open.endedAt === 0 || now - open.endedAt <= this.#takeMs;
    if (isTaken && now <= request.deadline + GRACE_MS) return;
    this.#open.remove(open.place, open);
    exchange.abort();
    this.#aborted(request);
  }
}
