/** A log that is held to its contract, and a reader of it. */
import type { EventLog } from './event-log.ts';
import type { LoggedEvent, ProposedEvent } from './event.ts';
import type { ResourceVersion } from './resource-version.ts';
import { proposedEvent } from './proposed-event.fixture.ts';

export interface LogUnderTest {
  readonly log: EventLog;
  /** What it adds to a record that is encoded. */
  readonly addedBytes?: number;
}

/** A log that outlives its process. */
export interface DurableLogUnderTest extends LogUnderTest {
  /** Closes the log and opens it again. */
  readonly reopen: () => Promise<EventLog>;
}

export const TIMEOUT_MS = 5_000;

export type Open = () => Promise<LogUnderTest>;
export type StartReading = (log: EventLog, from: number) => Reading;

/** A reader, batch by batch, as much as the test asks for. */
export class Reading {
  readonly batchSizes: number[] = [];
  hasReturned = false;
  readonly #iterator: AsyncIterator<readonly LoggedEvent[]>;
  readonly #controller: AbortController;
  #left: readonly LoggedEvent[] = [];

  constructor(log: EventLog, from: ResourceVersion, controller: AbortController) {
    this.#iterator = log.read(from, controller.signal)[Symbol.asyncIterator]();
    this.#controller = controller;
  }

  /** The next `count` events; fewer when the reading ends before. */
  async take(count: number): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    while (events.length < count && !this.#controller.signal.aborted) {
      if (this.#left.length === 0) {
        const result = await this.#iterator.next();
        if (result.done === true) break;
        this.batchSizes.push(result.value.length);
        this.#left = result.value;
      }
      const wanted = count - events.length;
      events.push(...this.#left.slice(0, wanted));
      this.#left = this.#left.slice(wanted);
    }
    if (this.#controller.signal.aborted) {
      this.hasReturned = (await this.#iterator.next()).done === true;
    }
    return events;
  }

  /** Resolves when the engine has had its chance to find out that there is nothing yet. */
  async isWaiting(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  abort(): void {
    this.#controller.abort();
  }
}

export function run(firstSequence: number, count: number): ProposedEvent[] {
  return numbers(firstSequence, firstSequence + count - 1).map((n) => proposedEvent(n));
}

export function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
