/**
 * The readers of a log of this process: each reads what lies behind it as fast as it asks,
 * and at the end waits. What is published reaches the waiting at once, as the very objects
 * that the log was given, with nothing decoded.
 */
import { LogTrimmedError, LogUnavailableError } from './event-log.ts';
import type { LoggedEvent } from './event.ts';
import { resourceVersion, type ResourceVersion } from './resource-version.ts';

type Batch = readonly LoggedEvent[];

/** The readers' view of a log. */
export interface ReadableLog {
  /** A reader that begins here reads what is left of a log that was cut; 1 where nothing else is said. */
  readonly beginning?: ResourceVersion;
  readonly oldest: ResourceVersion;
  /** Some of the events from `from` on, in order; none when the log ends before it. */
  slice(from: ResourceVersion): Batch;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class LogReaders {
  readonly #log: ReadableLog;
  readonly #waiting = new Set<LogReader>();
  #failure: Error | undefined;

  constructor(log: ReadableLog) {
    this.#log = log;
  }

  /** See `EventReader.read`. A reader that is open when the log closes gets LogUnavailableError. */
  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<Batch> {
    return { [Symbol.asyncIterator]: () => new LogReader(this, from, signal) };
  }

  /** Whether any has read all that there is, and wants more. */
  get areWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Hands the newest events, which follow the last published without a gap, to all that wait. */
  publish(batch: Batch): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    for (const reader of waiting) reader.offer(batch);
  }

  close(): void {
    this.fail(closedError());
  }

  /** Ends all readings, and those to come: nothing that would follow can be trusted. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const reader of [...this.#waiting]) reader.fail(this.#failure);
  }

  /** Of a reading from the beginning: which cut it is in front of. */
  startOf(from: ResourceVersion): ResourceVersion | undefined {
    return from === (this.#log.beginning ?? 1) ? this.#log.oldest : undefined;
  }

  /** @param start see {@link startOf}. @throws what `read` throws. */
  slice(from: ResourceVersion, start: ResourceVersion | undefined): Batch {
    if (this.#failure !== undefined) throw this.#failure;
    if (from < this.#log.oldest && start !== this.#log.oldest) {
      throw new LogTrimmedError(
        `version ${String(from)} is gone, the oldest is ${String(this.#log.oldest)}`,
      );
    }
    return this.#log.slice(from);
  }

  wait(reader: LogReader): void {
    this.#waiting.add(reader);
  }

  leave(reader: LogReader): void {
    this.#waiting.delete(reader);
  }
}

interface Waiter {
  resolve(result: IteratorResult<Batch, undefined>): void;
  reject(error: Error): void;
}

/** One reading of the log. Written by hand: a generator would cost each batch two more turns. */
class LogReader implements AsyncIterator<Batch, undefined> {
  readonly #readers: LogReaders;
  readonly #signal: AbortSignal;
  readonly #start: ResourceVersion | undefined;
  #next: ResourceVersion;
  #waiter: Waiter | undefined;
  #isDone = false;

  constructor(readers: LogReaders, from: ResourceVersion, signal: AbortSignal) {
    this.#readers = readers;
    this.#next = from;
    this.#start = readers.startOf(from);
    this.#signal = signal;
    signal.addEventListener('abort', this.#finish, { once: true });
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#isDone || this.#signal.aborted) return this.return();
    if (this.#waiter !== undefined) {
      return Promise.reject(new Error('a reader is asked for one batch at a time'));
    }
    return new Promise((resolve, reject) => {
      const batch = this.#sliceOrFinish();
      if (batch.length > 0) {
        resolve(this.#advance(batch));
        return;
      }
      this.#waiter = { resolve, reject };
      this.#readers.wait(this);
    });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.#finish();
    return Promise.resolve(DONE);
  }

  offer(batch: Batch): void {
    const wanted = this.#wantedOf(batch);
    if (wanted.length === 0) return;
    const result = this.#advance(wanted);
    this.#takeWaiter()?.resolve(result);
  }

  fail(error: Error): void {
    const waiter = this.#takeWaiter();
    this.#finish();
    waiter?.reject(error);
  }

  #sliceOrFinish(): Batch {
    try {
      return this.#readers.slice(this.#next, this.#start);
    } catch (error) {
      this.#finish();
      throw error;
    }
  }

  /** A reader that begins in the future gets nothing of what comes before. */
  #wantedOf(batch: Batch): Batch {
    const first = batch[0];
    if (first === undefined || first.resourceVersion >= this.#next) return batch;
    return batch.slice(this.#next - first.resourceVersion);
  }

  #advance(batch: Batch): IteratorYieldResult<Batch> {
    const last = batch[batch.length - 1];
    if (last !== undefined) this.#next = resourceVersion(last.resourceVersion + 1);
    return { done: false, value: batch };
  }

  #takeWaiter(): Waiter | undefined {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    this.#readers.leave(this);
    return waiter;
  }

  readonly #finish = (): void => {
    this.#isDone = true;
    this.#signal.removeEventListener('abort', this.#finish);
    this.#takeWaiter()?.resolve(DONE);
  };
}

/** What readers and writers of a closed log get. */
export function closedError(): LogUnavailableError {
  return new LogUnavailableError('the log is closed');
}
