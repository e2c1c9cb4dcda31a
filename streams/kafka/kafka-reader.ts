/**
 * The one reader of the topic: takes what is new into the local copy, for ever. It belongs to no
 * consumer group, so nothing has to be agreed with other readers before it can begin.
 *
 * Each time that it begins anew it reads the last record again, and compares its writer: a topic
 * that was deleted and made again looks the same from outside, and would be read on in silence.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import { DamagedRecordError, eventOf } from '../event-codec.ts';
import type { LoggedEvent } from '../event.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { KafkaConnection } from './kafka-connection.ts';
import {
  BrokerError,
  ForeignRecordError,
  LogGapError,
  OFFSET_OUT_OF_RANGE,
  TopicReplacedError,
} from './kafka-errors.ts';
import type { KafkaLogEvents, KafkaTimeouts } from './kafka-options.ts';
import { EARLIEST, LATEST, type FetchAnswer } from './kafka-requests.ts';
import type { KafkaSession } from './kafka-session.ts';
import type { RecordIdentity } from './local-copy/local-copy-meta.ts';
import { identityOf, type LocalRecords } from './local-copy/local-records.ts';
import { decodeBatches, endOfBatches, type TopicRecord } from './record-batch.ts';
import { framesOfBatches } from './record-frames.ts';

export interface ReaderParts {
  readonly topic: string;
  readonly base: ResourceVersion;
  readonly connection: KafkaConnection;
  readonly local: LocalRecords;
  readonly timeouts: KafkaTimeouts;
  readonly clock: Clock;
  readonly events: KafkaLogEvents;
  /** Told of each batch, which is in the local copy already, by the version of its first record. */
  readonly onRead: (first: ResourceVersion) => void;
  /** Resolves when a reader has use for more. */
  readonly mayRead: () => Promise<void>;
  /** Is told once when it cannot go on, whatever it tried. */
  readonly onFailure: (error: Error) => void;
}

/** Measured: larger fetches are slower, since a large answer is put together from many pieces. */
const FETCH_BYTES = 1024 * 1024;
/** An answer of so much is followed by more. */
const FAR_BYTES = FETCH_BYTES / 2;
const AGAIN_MS = 200;
/** What may wait for the disk before reading pauses. */
const UNWRITTEN_BYTES_MAX = 32 * 1024 * 1024;

export class KafkaReader {
  readonly #parts: ReaderParts;
  #end: ResourceVersion;
  #running: Promise<void> | undefined;
  #isStopped = false;
  /** Since when brokers have said that the topic ends before what was read; undefined: the last one did not. */
  #shorterSince: number | undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#end = parts.local.newest;
  }

  /** The last version that the leader is known to have. */
  get end(): ResourceVersion {
    return this.#end;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing more will be read. The connection must be stopped as well. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      let session: KafkaSession | undefined;
      try {
        session = await this.#parts.connection.sessionAtLast();
        await this.#follow(session);
      } catch (error) {
        if (isFinal(error) && !this.#mayBeMistaken(error)) {
          this.#parts.onFailure(error);
          return;
        }
        // There will be none any more: the connection was stopped.
        if (session === undefined) return;
        // A session that is still good would do the same again at once.
        if (session.isOpen) await this.#giveUp(session, error);
      }
    }
  }

  /**
   * A broker that was away, and does not know yet that another one leads, has a shorter log. So that is believed when
   * brokers have said it for as long as they may be unreachable.
   */
  #mayBeMistaken(error: Error): boolean {
    if (!(error instanceof ShorterTopicError)) return false;
    const now = this.#parts.clock.now();
    this.#shorterSince ??= now;
    return now - this.#shorterSince < this.#parts.timeouts.unreachableAfterMs;
  }

  async #giveUp(session: KafkaSession, error: unknown): Promise<void> {
    session.fail(error instanceof Error ? error : new Error(String(error)));
    await new Promise<void>((resolve) => {
      this.#parts.clock.after(AGAIN_MS, resolve);
    });
  }

  async #follow(session: KafkaSession): Promise<void> {
    const { local, clock, timeouts } = this.#parts;
    let offset = await this.#beginning(session);
    this.#shorterSince = undefined;
    let checkAt = clock.now() + timeouts.leaderCheckMs;
    let ahead: FetchUnderWay | undefined;
    while (!this.#isStopped) {
      await this.#parts.mayRead();
      await local.writtenTo(UNWRITTEN_BYTES_MAX);
      // Where not all of an answer was taken, the one that was fetched ahead begins too late.
      const fetching = ahead?.from === offset ? ahead.fetching : this.#fetch(session, offset);
      const answer = await fetching;
      ahead = await this.#fetchAhead(session, answer);
      offset = this.#take(answer, offset);
      if (answer.records.length === 0 && clock.now() >= checkAt) {
        session.checkLeader();
        checkAt = clock.now() + timeouts.leaderCheckMs;
      }
    }
  }

  /** Far from the end, the broker prepares the next records while these are taken. */
  async #fetchAhead(
    session: KafkaSession,
    { records }: FetchAnswer,
  ): Promise<FetchUnderWay | undefined> {
    if (records.length < FAR_BYTES) return undefined;
    const from = endOfBatches(records);
    if (from === undefined) return undefined;
    const fetching = this.#fetch(session, from);
    // A caller that awaits it later is told.
    fetching.catch(ignore);
    await othersTurn();
    return { from, fetching };
  }

  /** The offset to go on from, after making sure that it is still the same log. */
  async #beginning(session: KafkaSession): Promise<number> {
    const { local, base } = this.#parts;
    const { last } = local;
    if (last === undefined) {
      const start = await session.offsetAt(EARLIEST);
      local.beginAt(this.#versionAt(start));
      return start;
    }
    // Nothing was read from the topic yet: a fork begins where its parent ends.
    if (last.version <= base) return 0;
    const offset = this.#offsetOf(last.version);
    for (;;) {
      const answer = await this.#fetch(session, offset);
      const [first] = this.#decode(answer.records, offset);
      if (first !== undefined) {
        this.#checkIdentity(first, last);
        return offset + 1;
      }
      if (answer.start > offset) return this.#beginBehindCut(answer.start, offset);
      if (this.#isStopped) return offset + 1;
    }
  }

  #checkIdentity(record: TopicRecord, last: RecordIdentity): void {
    const found = this.#identityOf(record, last.version);
    if (found === last.identity) return;
    throw this.#replaced(
      `the record at version ${String(last.version)} is ${found}, and was ${last.identity}`,
    );
  }

  #identityOf(record: TopicRecord, version: ResourceVersion): string {
    const isOurs =
      record.offset === this.#offsetOf(version) && record.isForeignBecause === undefined;
    if (!isOurs) return 'another';
    try {
      return identityOf(eventOf(record, version));
    } catch (error) {
      // A record of another program, which would be read again for ever.
      if (error instanceof DamagedRecordError) return 'another';
      throw error;
    }
  }

  async #fetch(session: KafkaSession, offset: number): Promise<FetchAnswer> {
    try {
      return await session.fetch(offset, FETCH_BYTES);
    } catch (error) {
      if (!(error instanceof BrokerError && error.code === OFFSET_OUT_OF_RANGE)) throw error;
      const [start, end] = [await session.offsetAt(EARLIEST), await session.offsetAt(LATEST)];
      if (end < offset) {
        const why = `it ends at version ${String(this.#versionAt(end) - 1)} already`;
        throw new ShorterTopicError(this.#replaced(why).message);
      }
      this.#beginBehindCut(start, offset);
      return { start, end, records: NO_BYTES };
    }
  }

  /** The records up to `start` were removed: no harm when the next one is still there. */
  #beginBehindCut(start: number, offset: number): number {
    const next = this.#offsetOf(resourceVersion(this.#parts.local.newest + 1));
    if (start <= next) return Math.max(start, offset);
    throw new LogGapError(
      `the topic ${this.#parts.topic} begins at version ${String(this.#versionAt(start))}, and ` +
        `this server has read up to ${String(this.#parts.local.newest)} only: remove its local ` +
        `copy and store, and it begins anew from a snapshot`,
    );
  }

  /** The offset behind what was taken. */
  #take(answer: FetchAnswer, from: number): number {
    const { local, events: tell } = this.#parts;
    const count = this.#takeFrames(answer, from) || this.#takeEvents(answer, from);
    this.#end = resourceVersion(Math.max(this.#versionAt(answer.end) - 1, local.newest));
    if (count === 0) return from;
    tell.fetched({ events: count, bytes: answer.records.length, end: this.#end });
    this.#parts.onRead(this.#versionAt(from));
    return from + count;
  }

  /** Far from the end, where a fold asks for no more. @returns how many; 0: not in this way. */
  #takeFrames({ records }: FetchAnswer, from: number): number {
    if (records.length < FAR_BYTES) return 0;
    const frames = framesOfBatches(records, from) ?? [];
    this.#parts.local.addFrames(this.#versionAt(from), frames);
    return frames.length;
  }

  #takeEvents(answer: FetchAnswer, from: number): number {
    const records = this.#decode(answer.records, from);
    const events = records.map((record, index) => this.#eventOf(record, from + index));
    this.#parts.local.add(events);
    return events.length;
  }

  #eventOf(record: TopicRecord, expected: number): LoggedEvent {
    const version = this.#versionAt(record.offset);
    if (record.offset !== expected) {
      throw new LogGapError(
        `the topic ${this.#parts.topic} has no record at version ` +
          `${String(this.#versionAt(expected))}: the next one is at ${String(version)}. ` +
          `Transactions and compaction make such gaps, and neither may be used on this topic`,
      );
    }
    if (record.isForeignBecause !== undefined) throw this.#foreign(record, record.isForeignBecause);
    try {
      return eventOf(record, version);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      throw this.#foreign(record, error.message, error);
    }
  }

  #decode(bytes: Buffer, from: number): readonly TopicRecord[] {
    try {
      return decodeBatches(bytes, from).records;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw this.#foreign({ offset: from }, `it, or one behind it, cannot be decoded: ${why}`);
    }
  }

  #foreign(record: Pick<TopicRecord, 'offset'>, why: string, cause?: Error): ForeignRecordError {
    const version = this.#versionAt(record.offset);
    return new ForeignRecordError(
      `the record at offset ${String(record.offset)} of the topic ${this.#parts.topic} ` +
        `(version ${String(version)}) was not written by this program: ${why}. Only servers of ` +
        `this control plane may write to the topic`,
      version,
      { cause },
    );
  }

  #replaced(why: string): TopicReplacedError {
    return new TopicReplacedError(
      `the topic ${this.#parts.topic} is not the one that was read before: ${why}. If it was ` +
        `deleted or restored on purpose, remove the local copy and store of every server`,
    );
  }

  #versionAt(offset: number): ResourceVersion {
    return resourceVersion(this.#parts.base + offset + 1);
  }

  #offsetOf(version: ResourceVersion): number {
    return version - this.#parts.base - 1;
  }
}

/** What one broker says of the topic. */
class ShorterTopicError extends TopicReplacedError {}

const NO_BYTES = Buffer.alloc(0);

interface FetchUnderWay {
  readonly from: number;
  readonly fetching: Promise<FetchAnswer>;
}

function ignore(): void {
  // Told by another promise.
}

function isFinal(error: unknown): error is Error {
  return (
    error instanceof TopicReplacedError ||
    error instanceof LogGapError ||
    error instanceof ForeignRecordError
  );
}
