/**
 * The log of another process of this machine, as its workers have it: they append through the owner, which
 * tells them what has become durable, and read the file of the log themselves.
 *
 * Where the log ends at this moment lies in memory that all processes share: a worker knows what "now" is without a
 * word to the owner.
 */
import type { Duplex } from 'node:stream';
import { checkAppendSize } from '../append-limits.ts';
import { cutsText } from '../embedded/cut-records.ts';
import { RecentEvents } from '../embedded/recent-events.ts';
import {
  DamagedRecordError,
  decodeRecord,
  encodeRecords,
  loggedAt,
  valueOfRecord,
} from '../event-codec.ts';
import {
  AppendOutcomeUnknownError,
  type EventLog,
  LogTrimmedError,
  LogUnavailableError,
} from '../event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import type { DiskUsage } from '../lmdb-usage.ts';
import type { LogCuts } from '../log-cuts.ts';
import { closedError, LogReaders } from '../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { TrimmableLog, TrimStep } from '../trimmable-log.ts';
import { type Message, MESSAGE, MessageReader, MessageWriter, PART } from './messages.ts';
import type { SharedEnd } from './shared-end.ts';
import { SharedRecords } from './shared-records.ts';
import type { TrimText } from './trim-text.ts';

/** While one is written, the next lies with the owner, where it meets those of other workers. */
const APPENDS_UNDER_WAY = 2;
const SLICE_EVENTS_MAX = 256;
const SLICE_BYTES_MAX = 1024 * 1024;
/** Behind it numbers begin anew; 0 is none. */
const LAST_NUMBER = 0xffff_ffff;

interface Asked {
  /** What is to be appended; none for a cut. */
  readonly events: readonly ProposedEvent[];
  resolve(first: ResourceVersion): void;
  reject(error: Error): void;
}

/** What a worker has of the owner. */
interface OwnerLink {
  readonly pipe: Duplex;
  readonly end: Pick<SharedEnd, 'read'>;
}

interface Refusal {
  readonly why: string;
  readonly isUnknown: boolean;
  readonly isPassing: boolean;
  readonly needsRestart: boolean;
}

export class WorkerEventLog implements EventLog, TrimmableLog {
  readonly appendsUnderWay = APPENDS_UNDER_WAY;
  readonly #pipe: Duplex;
  readonly #end: Pick<SharedEnd, 'read'>;
  readonly #records: SharedRecords;
  readonly #readers: LogReaders;
  readonly #recent = new RecentEvents();
  readonly #asked = new Map<number, Asked>();
  #lastNumber = 0;
  #lastAppend = 0;
  /** The last version that the owner has told; it tells all in order. */
  #told: ResourceVersion;
  #failure: LogUnavailableError | undefined;
  #closing: Promise<void> | undefined;
  #whenAnswered: (() => void) | undefined;
  #whenCut: () => void = () => undefined;

  /**
   * Settles when the owner has greeted.
   *
   * @param path the log's own directory, which the owner has open.
   * @param owner the pipe to it: when that breaks, the log fails for good. And the end of the log that it shares.
   * @throws {LogUnavailableError} the owner is gone, or the file of the log cannot be read.
   */
  static open(path: string, owner: OwnerLink): Promise<WorkerEventLog> {
    const { pipe } = owner;
    return new Promise((resolve, reject) => {
      let log: WorkerEventLog | undefined;
      const gone = (): void => {
        const failure = ownerGone();
        if (log !== undefined) log.#fail(failure);
        reject(failure);
      };
      const reader = new MessageReader((message) => {
        if (log === undefined) resolve((log = new WorkerEventLog(path, owner, message.version())));
        else log.#take(message);
      });
      pipe.on('data', (piece: Buffer) => {
        try {
          reader.read(piece);
        } catch (error) {
          const message =
            log === undefined
              ? `the log in ${path} cannot be read`
              : 'the owner of the log is not understood';
          const failure = new LogUnavailableError(message, { cause: error });
          if (log !== undefined) log.#fail(failure);
          reject(failure);
          pipe.destroy();
        }
      });
      pipe.on('error', gone).once('end', gone).once('close', gone);
    });
  }

  private constructor(path: string, { pipe, end }: OwnerLink, newest: ResourceVersion) {
    this.#pipe = pipe;
    this.#end = end;
    this.#records = new SharedRecords(path);
    this.#told = newest;
    const oldest = (): ResourceVersion => this.#oldest;
    this.#readers = new LogReaders({
      get oldest() {
        return oldest();
      },
      slice: (from) => this.#slice(from),
    });
  }

  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    const frames = encodeRecords(events);
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    return this.#ask(events, (number) => {
      checkAppendSize({ events: events.length, bytes });
      const behind = this.#asked.has(this.#lastAppend) ? this.#lastAppend : 0;
      this.#lastAppend = number;
      return new MessageWriter(MESSAGE.append).number(number).number(behind).frames(frames);
    });
  }

  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]> {
    return this.#readers.read(from, signal);
  }

  /**
   * @throws {LogUnavailableError} the log is closed.
   * @throws {DamagedRecordError} the disk gave back other bytes than were written.
   */
  at(version: ResourceVersion): LoggedEvent | undefined {
    if (this.#closing !== undefined) throw closedError();
    if (version > this.#told) return undefined;
    return this.#recordAt(version);
  }

  jsonAt(version: ResourceVersion): Uint8Array | undefined {
    if (this.#closing !== undefined || version > this.#told) return undefined;
    const frame = this.#records.sharedFrame(version);
    return frame && valueOfRecord(frame, version);
  }

  oldest(): Promise<ResourceVersion> {
    return this.#closing === undefined
      ? Promise.resolve(this.#oldest)
      : Promise.reject(closedError());
  }

  cuts(): LogCuts {
    return this.#records.cuts;
  }

  /** @throws {RangeError} the newest record would go, and its version be given again. */
  async trim(step: TrimStep): Promise<void> {
    if (step.cuts.settled >= this.#told) {
      throw new RangeError(`a cut at ${String(step.cuts.settled)} would leave no record`);
    }
    const { cuts, gone } = step;
    const isAsBefore = cuts.writers === this.#records.cuts.writers;
    const writers = isAsBefore ? null : [...cuts.writers];
    const text: TrimText = { cuts: cutsText(cuts), writers, gone };
    await this.#ask([], (number) => new MessageWriter(MESSAGE.trim).number(number).json(text));
  }

  /** Calls it from now on when the log was cut, for whichever worker; there is one listener. */
  whenCut(listener: () => void): void {
    this.#whenCut = listener;
  }

  diskUsage(): DiskUsage {
    return this.#records.diskUsage();
  }

  /**
   * The last durable version at this moment, of which other workers may have been told already.
   *
   * @throws {LogUnavailableError} the log is closed, or its owner gone.
   */
  end(): ResourceVersion {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#end.read() ?? this.#lastInFile();
  }

  #lastInFile(): ResourceVersion {
    this.#records.renew();
    return this.#records.last() ?? resourceVersion(0);
  }

  newest(): Promise<ResourceVersion> {
    return new Promise((resolve) => {
      resolve(this.end());
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Nothing is appended nor read any more. */
  #fail(error: LogUnavailableError): void {
    this.#failure ??= error;
    const unknown = new AppendOutcomeUnknownError(error.message, { cause: error });
    for (const asked of this.#asked.values()) asked.reject(unknown);
    this.#asked.clear();
    this.#whenAnswered?.();
    this.#readers.fail(error);
  }

  async #close(): Promise<void> {
    if (this.#asked.size > 0) {
      await new Promise<void>((resolve) => {
        this.#whenAnswered = resolve;
      });
    }
    this.#failure ??= closedError();
    this.#readers.close();
    this.#pipe.end();
    this.#records.close();
  }

  #ask(
    events: readonly ProposedEvent[],
    messageOf: (number: number) => MessageWriter,
  ): Promise<ResourceVersion> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw closedError();
      if (this.#failure !== undefined) throw this.#failure;
      this.#lastNumber = (this.#lastNumber % LAST_NUMBER) + 1;
      const message = messageOf(this.#lastNumber).finish();
      this.#asked.set(this.#lastNumber, { events, resolve, reject });
      this.#pipe.write(message);
    });
  }

  #take(message: Message): void {
    // What the owner says while this end is being closed is nothing to it.
    if (this.#failure !== undefined) return;
    const number = message.number();
    switch (message.kind) {
      case MESSAGE.group:
        this.#group(message.version(), message);
        return;
      case MESSAGE.refused:
        this.#answer(number)?.reject(errorOf(message.json() as Refusal));
        return;
      case MESSAGE.trimmed:
        this.#answer(number)?.resolve(this.#told);
        return;
      case MESSAGE.cut:
        this.#records.renewCuts();
        this.#whenCut();
        return;
      default:
        throw new RangeError(`the owner does not say ${String(message.kind)}`);
    }
  }

  #group(first: ResourceVersion, message: Message): void {
    if (first !== this.#told + 1) {
      throw new RangeError(`a group at ${String(first)} behind ${String(this.#told)}`);
    }
    this.#records.renew();
    const events: LoggedEvent[] = [];
    const answers: (() => void)[] = [];
    while (!message.isOver) this.#part(message, { first, events, answers });
    this.#told = resourceVersion(first + events.length - 1);
    this.#recent.push(events);
    this.#readers.publish(events);
    for (const answer of answers) answer();
    this.#tellIfAnswered();
  }

  #part(message: Message, { first, events, answers }: Group): void {
    const next = (): ResourceVersion => resourceVersion(first + events.length);
    const kind = message.number();
    if (kind === PART.own) {
      const number = message.number();
      const own = this.#asked.get(number);
      if (own === undefined) throw new RangeError(`no append has the number ${String(number)}`);
      this.#asked.delete(number);
      const at = next();
      answers.push(() => {
        own.resolve(at);
      });
      for (const event of own.events) events.push(loggedAt(event, next()));
    } else if (kind === PART.block) {
      for (const frame of message.frames()) events.push(decodeRecord(frame, next()));
    } else {
      for (let left = message.number(); left > 0; left -= 1) {
        const version = next();
        const event = this.#recordAt(version);
        if (event === undefined) throw missing(version);
        events.push(event);
      }
    }
  }

  #answer(number: number): Asked | undefined {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    this.#tellIfAnswered();
    return asked;
  }

  #tellIfAnswered(): void {
    if (this.#asked.size === 0) this.#whenAnswered?.();
  }

  /** The oldest version behind which nothing is missing. */
  get #oldest(): ResourceVersion {
    return resourceVersion(this.#records.cuts.settled + 1);
  }

  /** @returns undefined where it was cut. */
  #recordAt(version: ResourceVersion): LoggedEvent | undefined {
    const frame = this.#records.frame(version);
    if (frame !== undefined) return decodeRecord(frame, version);
    if (version < this.#oldest) return undefined;
    // The owner may have cut the log a moment ago, and is about to say so.
    this.#records.renewCuts();
    if (version < this.#oldest) return undefined;
    throw missing(version);
  }

  #slice(from: ResourceVersion): readonly LoggedEvent[] {
    if (from > this.#told) return [];
    // What was appended lately may have been cut since.
    const recent = from < this.#oldest ? undefined : this.#recent.slice(from);
    return recent ?? this.#sliceFromDisk(from);
  }

  #sliceFromDisk(from: ResourceVersion): readonly LoggedEvent[] {
    const oldest = this.#oldest;
    const events: LoggedEvent[] = [];
    let bytes = 0;
    let expected: number = from;
    for (const { version, frame } of this.#records.framesFrom(from)) {
      if (version > expected && version > oldest) {
        // The owner may have cut the log a moment ago.
        this.#records.renewCuts();
        if (expected >= this.#oldest) throw missing(resourceVersion(expected));
        if (events.length > 0) break;
        throw new LogTrimmedError(`version ${String(from)} is gone`);
      }
      // The owner is about to tell of it.
      if (version > this.#told) break;
      events.push(decodeRecord(frame, version));
      bytes += frame.length;
      expected = version + 1;
      if (events.length === SLICE_EVENTS_MAX || bytes >= SLICE_BYTES_MAX) break;
    }
    return events;
  }
}

/** A group that is being put together. */
interface Group {
  readonly first: ResourceVersion;
  readonly events: LoggedEvent[];
  readonly answers: (() => void)[];
}

function errorOf({ why, isUnknown, isPassing, needsRestart }: Refusal): Error {
  return isUnknown
    ? new AppendOutcomeUnknownError(why)
    : new LogUnavailableError(why, { isPassing, needsRestart });
}

function ownerGone(): LogUnavailableError {
  return new LogUnavailableError('the process that owns the log is gone', { needsRestart: true });
}

function missing(version: ResourceVersion): DamagedRecordError {
  return new DamagedRecordError(`the record at ${String(version)} is missing from the log`);
}
