/** The records of an archive, one after the other, into a log; each gets the version that it had. */
import { openArchive } from '../../../streams/archive/archive-reader.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../../../streams/event.ts';
import { nothingAt } from '../../../streams/replay/empty-record.ts';
import { systemRandom } from '../../process/system-clock.ts';
import { InterruptedError } from '../tool/interruption.ts';

/** What an import heeds and tells; `done` and `all` count records. */
export interface ImportProgress {
  /** Ends the import between two batches. */
  readonly signal: AbortSignal;
  /** Told behind each batch. @param what names the part that is imported. */
  readonly show: (what: string, done: number, all: number) => void;
}

/** A gap in the versions is filled by records that change nothing, this many at once. */
const GAP_STEP = 1_000;

/**
 * The log must end just before the range begins.
 *
 * @throws InterruptedError @throws DamagedArchiveError @throws what the log throws.
 */
export async function fillLog(
  path: string,
  log: Pick<EventLog, 'append'>,
  { signal, show }: ImportProgress,
): Promise<void> {
  const archive = await openArchive(path);
  try {
    const filler = new Filler(log, archive.header.from);
    for await (const { part, events, readBytes } of archive.batches()) {
      if (signal.aborted) throw new InterruptedError();
      if (part === 'state') continue;
      await filler.add(events);
      show('importing', readBytes, archive.sizeBytes);
    }
    await filler.fillTo(archive.header.to + 1);
  } finally {
    await archive.close();
  }
}

class Filler {
  readonly #log: Pick<EventLog, 'append'>;
  readonly #writer = `import-${systemRandom.uuid()}`;
  #next: number;
  #time = 0;

  constructor(log: Pick<EventLog, 'append'>, next: number) {
    this.#log = log;
    this.#next = next;
  }

  async add(events: readonly LoggedEvent[]): Promise<void> {
    let run: LoggedEvent[] = [];
    for (const event of events) {
      if (event.resourceVersion !== this.#next + run.length) {
        await this.#append(run);
        run = [];
        await this.fillTo(event.resourceVersion);
      }
      run.push(event);
      this.#time = event.time;
    }
    await this.#append(run);
  }

  /** @param end the version that is to be the next. */
  async fillTo(end: number): Promise<void> {
    while (this.#next < end) {
      const count = Math.min(end - this.#next, GAP_STEP);
      const markers = Array.from({ length: count }, (_, index) =>
        nothingAt(this.#writer, this.#next + index, this.#time),
      );
      await this.#append(markers);
    }
  }

  async #append(events: readonly ProposedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const first = await this.#log.append(events);
    if (first !== this.#next) {
      throw new Error(
        `version ${String(this.#next)} was to be written, and came to be ${String(first)}: ` +
          'another writer appends to this log',
      );
    }
    this.#next += events.length;
  }
}
