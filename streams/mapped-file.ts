/**
 * A file of LMDB that lets go of the pages it has read. LMDB maps its file, and what was looked at stays
 * mapped, as do the maps from before the file grew: without this, a process looks as large as its history.
 * A file that is opened anew has nothing mapped.
 *
 * The surprise: that happens in a turn of the event loop of its own, between two writes. `close` waits for promises
 * that are settled by then, so nothing else runs between it and `open`, and no reader meets a closed file.
 * Readers must hold nothing open from one turn to the next.
 */

/** How a file is opened, the same each time. */
export interface FileOpening<Opened> {
  open(): Opened;
  close(opened: Opened): Promise<void>;
  /** How large the file is. */
  sizeBytes(opened: Opened): number;
  /** How many bytes of it may be mapped, more or less, before it is opened anew. */
  readonly mappedBytesMax: number;
  /** For a while more may be read, as to open it anew costs what many looks do; undefined: it may not. */
  readonly burst?: Burst;
}

/** How much more of a file may be mapped, and for how long. */
export interface Burst {
  /** Beyond this it is opened anew at once. */
  readonly mappedBytesMax: number;
  /** Calls back when the while is over. @returns ends that. */
  readonly after: (letGo: () => void) => () => void;
}

/** A page that is looked at is mapped with those around it. */
export const AROUND_BYTES = 64 * 1024;

/** How much more may be written than read before a file is opened anew at once: its pages are counted generously. */
const WRITTEN_TIMES = 4;

export class MappedFile<Opened> {
  readonly #opening: FileOpening<Opened>;
  #opened: Opened;
  #touchedBytes = 0;
  /** Of what was touched. Writes go on and on, so no while is given for them. */
  #writtenBytes = 0;
  #uses = 0;
  #isClosed = false;
  #mustReopen = false;
  #reopening: Promise<void> | undefined;
  /** The write that is under way. */
  #writing: Promise<void> | undefined;
  #cancelBurst: (() => void) | undefined;

  constructor(opening: FileOpening<Opened>) {
    this.#opening = opening;
    this.#opened = opening.open();
  }

  /** Valid in this turn of the event loop. */
  get opened(): Opened {
    return this.#opened;
  }

  /** Something was read. @param bytes how much of it. @param isNear whether it lies near what was read last. */
  touched(bytes: number, isNear: boolean): void {
    this.#touchedBytes += isNear ? bytes : Math.max(bytes, AROUND_BYTES);
    this.#reopenLater();
  }

  /**
   * Writes, and the file stays open until that is done. One write behind the other: LMDB tells JavaScript that a write is durable
   * before its thread has let go of the file, where another one is begun in that moment, and a file that is closed then takes the process along.
   *
   * @param bytes about how many bytes of the file it touches.
   */
  async write<Result>(bytes: number, work: (opened: Opened) => Promise<Result>): Promise<Result> {
    while ((this.#writing ?? this.#reopening) !== undefined) {
      await (this.#writing ?? this.#reopening);
    }
    if (this.#mustReopen) throw new Error('the file takes no write while it is walked through');
    let written: () => void = () => undefined;
    this.#writing = new Promise((resolve) => (written = resolve));
    this.#uses += 1;
    try {
      return await work(this.#opened);
    } finally {
      this.#uses -= 1;
      this.#writing = undefined;
      written();
      this.#touchedBytes += bytes;
      this.#writtenBytes += bytes;
      this.#reopenLater();
    }
  }

  /** While `walk` goes on, which other turns of the event loop may interrupt, the file stays open. */
  *walked<Item>(walk: (opened: Opened) => Iterable<Item>): Generator<Item> {
    this.#uses += 1;
    try {
      yield* walk(this.#opened);
    } finally {
      this.#uses -= 1;
      // It may have come by everything.
      this.#touchedBytes = Number.POSITIVE_INFINITY;
      this.#reopenLater();
    }
  }

  /** Before the next write, which fails while a walk goes on: it takes none as it is. */
  openAnew(): void {
    this.#mustReopen = true;
    this.#reopenLater();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelBurst?.();
    await this.#reopening;
    await this.#opening.close(this.#opened);
  }

  #reopenLater(): void {
    const { mappedBytesMax, burst } = this.#opening;
    if (!this.#mustReopen && this.#touchedBytes < mappedBytesMax) return;
    if (this.#uses > 0 || this.#isClosed || this.#reopening !== undefined) return;
    if (this.#mustReopen) {
      this.#letGo();
      return;
    }
    const whileRead = this.#writtenBytes < WRITTEN_TIMES * mappedBytesMax ? burst : undefined;
    if (whileRead !== undefined && this.#touchedBytes < whileRead.mappedBytesMax) {
      this.#burst(whileRead);
      return;
    }
    const sizeBytes = this.#opening.sizeBytes(this.#opened);
    if (sizeBytes <= mappedBytesMax) this.#forget();
    else if (whileRead !== undefined && sizeBytes <= whileRead.mappedBytesMax) {
      // However much was looked at.
      this.#touchedBytes = mappedBytesMax;
      this.#burst(whileRead);
    } else this.#letGo();
  }

  #forget(): void {
    this.#touchedBytes = 0;
    this.#writtenBytes = 0;
  }

  #burst({ after }: Burst): void {
    this.#cancelBurst ??= after(() => {
      this.#cancelBurst = undefined;
      if (this.#isClosed || this.#reopening !== undefined) return;
      const sizeBytes = this.#opening.sizeBytes(this.#opened);
      if (sizeBytes > this.#opening.mappedBytesMax) this.#letGo();
    });
  }

  /** Writes that come from now on wait for it; those under way are waited for, as they call this when they end. */
  #letGo(): void {
    this.#cancelBurst?.();
    this.#cancelBurst = undefined;
    this.#reopening = new Promise<void>((resolve) => {
      setImmediate(() => {
        // A walk may have begun meanwhile.
        resolve(this.#uses > 0 ? undefined : this.#reopen());
      });
    }).finally(() => {
      this.#reopening = undefined;
    });
  }

  /** Where it cannot be opened it stays closed, and the next write fails and says so. */
  async #reopen(): Promise<void> {
    this.#forget();
    try {
      await this.#opening.close(this.#opened);
      this.#opened = this.#opening.open();
      this.#mustReopen = false;
    } catch {
      this.#isClosed = true;
    }
  }
}
