/**
 * What is counted of the requests of one flow schema at one priority level. Plain numbers that cost
 * an addition; gateway/metrics gives them their names when they are asked for.
 */

/** Why a request was not let in, in upstream's words. */
export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** Observations by size: how many were at most as large as each bound. */
export class Tally {
  readonly bounds: readonly number[];
  /** One more than bounds: the last one for all that is larger. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds, 0].map(() => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const QUEUE_LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];
const SEATS = [1, 2, 4, 8, 16, 32, 64, 100];
const WATCHES = [0, 1, 10, 100, 1000, 10000];

export class FlowFigures {
  readonly level: string;
  readonly schema: string;
  readonly rejected: Record<RejectReason, number> = {
    'queue-full': 0,
    'concurrency-limit': 0,
    'time-out': 0,
    cancelled: 0,
  };
  readonly waitSeconds = new Tally(SECONDS);
  /** Of those that were rejected in the end. */
  readonly vainWaitSeconds = new Tally(SECONDS);
  readonly regularSeconds = new Tally(SECONDS);
  /** Of watches, until they are initialised. */
  readonly watchSeconds = new Tally(SECONDS);
  readonly queueLengths = new Tally(QUEUE_LENGTHS);
  readonly estimatedSeats = new Tally(SEATS);
  readonly watchCounts = new Tally(WATCHES);
  dispatched = 0;
  waiting = 0;
  waitingSeats = 0;
  executing = 0;
  executingSeats = 0;
  /** How often the next request was too wide for the seats that were free. */
  tooWide = 0;

  constructor(level: string, schema: string) {
    this.level = level;
    this.schema = schema;
  }
}
