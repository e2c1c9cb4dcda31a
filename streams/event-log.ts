/**
 * The log: the one ordered record of every change, and the only thing the
 * server has to keep. All else can be replayed from it.
 *
 * `event-log.contract.ts` turns each sentence below into a test, and runs it
 * against every engine: memory, embedded and Kafka.
 */
import type { EventHead, LoggedEvent, ProposedEvent } from './event.ts';
import type { PathGuess } from './record-heads.ts';
import type { LogCuts } from './log-cuts.ts';
import type { ResourceVersion } from './resource-version.ts';

/** The most events of one append. */
export const APPEND_EVENTS_MAX = 4_096;
/** The most bytes of one append, encoded: 8 MiB. */
export const APPEND_BYTES_MAX = 8 * 1024 * 1024;

/** Heads of events in their order. */
export interface EventHeads {
  /** Valid until the next one is asked for. @returns undefined: {@link EventReader.read} tells what is behind. */
  next(): EventHead | undefined;
}

/** Reading a log, by one reader or many. */
export interface EventReader {
  /**
   * Gives the events from `from` on, in order, in batches of at least one, each
   * event once. At the end of the log it waits for more, and an event that is
   * appended reaches a waiting reader as soon as it is durable. It returns only
   * when `signal` aborts. Versions rise; between batches they may leave gaps.
   *
   * A reader that begins at the very beginning of a log that was cut gets what is left: first the state
   * at the cuts, see `log-cuts.ts`, and then every event.
   *
   * @throws {LogTrimmedError} `from` is older than {@link oldest} and not the beginning; or the
   *   log was cut while the reader was in front of the cut.
   */
  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]>;

  /**
   * The event at this version, from what lies on this machine; undefined when the
   * log has none there (yet), or it was cut. Synchronous, for it is a memory-mapped read.
   */
  at(version: ResourceVersion): LoggedEvent | undefined;

  /**
   * The `json` of the event at this version, of which no more is decoded: for reads of many objects. The bytes are valid
   * until the log is asked for another one. Left out, or undefined: {@link at} has to be asked.
   */
  jsonAt?(version: ResourceVersion): Uint8Array | undefined;

  /**
   * The heads of the events from `from` on, one behind the other as far as they are durable and lie on this machine without
   * a gap, of which no more is decoded: for the fold of a long log. Left out: {@link read} has to be asked.
   */
  heads?(from: ResourceVersion, guess: PathGuess): EventHeads;

  /**
   * Resolves when the event at this version lies on this machine, none will come any more, or `signal` aborts: for a fold by
   * {@link heads} that has come to the end of what is here. Left out: more is told by {@link read} only.
   */
  whenHere?(version: ResourceVersion, signal: AbortSignal): Promise<void>;

  /** From here on every event can be read; 1 in a log that is empty or was never cut. */
  oldest(): Promise<ResourceVersion>;

  /** Where the log was cut. @returns NO_CUTS when it never was. */
  cuts(): LogCuts;

  /**
   * The newest version at some moment after the call, asked of the log itself and
   * never of a cache: a reader that waits until it is applied reads all that was written before.
   * 0 when the log is empty.
   *
   * @throws {LogUnavailableError} no answer within `timeoutMs` milliseconds.
   */
  newest(timeoutMs: number): Promise<ResourceVersion>;
}

export interface EventLog extends EventReader {
  /**
   * How many appends of one caller may be under way. Where it is more than one, an append that is begun behind another is
   * in the log only if that one is, in front of it; whatever becomes of that, nothing of an append behind one that failed is
   * written. Left out: one, and appends that are under way together fail each by itself.
   */
  readonly appendsUnderWay?: number;

  /**
   * Adds events to the end, in the order given, all or none. Resolves when they
   * would outlive a power cut: fsync in the embedded log, acknowledged by every
   * in-sync replica in Kafka.
   *
   * Being in the log is not yet winning. An event whose `previousResourceVersion`
   * was overtaken stays in the log and changes nothing; the projections tell.
   *
   * @param events 1 to {@link APPEND_EVENTS_MAX} of them, at most
   *   {@link APPEND_BYTES_MAX} bytes when encoded.
   * @returns the version of the first; the rest follow it without a gap.
   * @throws {LogUnavailableError} nothing was written, so trying again is safe.
   * @throws {AppendOutcomeUnknownError} they may be there or not: append the
   *   same events again, the fold counts only the first copy of each.
   */
  append(events: readonly ProposedEvent[]): Promise<ResourceVersion>;

  /**
   * Why such an event cannot be appended at the moment though the log can be written, as where the
   * keys of its resource cannot be used. Asked of each event, before it is appended together with
   * others. Left out where that never happens.
   */
  refusal?(event: Pick<ProposedEvent, 'type' | 'resource' | 'uid'>): string | undefined;

  /** Finishes the appends under way, then lets go. Safe to call twice. */
  close(): Promise<void>;
}

type UnavailableFor = Pick<LogUnavailableError, 'isPassing' | 'needsRestart'>;

/** Nothing was appended and nothing can be read just now; trying again is safe. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
  /** Whether it is likely to be over in some seconds: a leader is being elected, a connection made anew. */
  readonly isPassing: boolean;
  /** Whether this log never takes another event, and one that is opened anew may. */
  readonly needsRestart: boolean;

  constructor(message: string, options: ErrorOptions & Partial<UnavailableFor> = {}) {
    super(message, options);
    this.isPassing = options.isPassing ?? false;
    this.needsRestart = options.needsRestart ?? false;
  }
}

/**
 * The events may or may not be in the log. The same append, with the same identities, may be sent
 * again.
 */
export class AppendOutcomeUnknownError extends Error {
  override readonly name = 'AppendOutcomeUnknownError';
}

/** The events that were asked for were cut off. */
export class LogTrimmedError extends Error {
  override readonly name = 'LogTrimmedError';
}
