/**
 * Appends to the topic: one produce request at a time, one record batch each; what is handed in
 * meanwhile goes together in the next. A batch is written whole or not at all, and in one piece.
 *
 * The producer has no identity of its own, so nothing is sent twice here: kafkajs's idempotent one
 * acknowledges records that are not in the log when an answer was lost. A caller of an append
 * whose outcome is not known sends it again, and the fold counts the first copy.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { checkAppendSize } from '../append-limits.ts';
import { encodeRecords, recordOf, type EventRecord } from '../event-codec.ts';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX, LogUnavailableError } from '../event-log.ts';
import type { ProposedEvent } from '../event.ts';
import { closedError } from '../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { appendErrorOf, kindOf, lacksReplicas } from './kafka-errors.ts';
import type { KafkaLogEvents } from './kafka-options.ts';
import type { KafkaSession } from './kafka-session.ts';
import { batchSizeMax, encodeBatch } from './record-batch.ts';

/** The part of the connection that is written through. */
export interface WriterConnection {
  session(): Promise<Pick<KafkaSession, 'produce'>>;
  /** Records were acknowledged. */
  written(): void;
  /** Too few replicas take records. */
  refused(error: Error): void;
}

export interface WriterParts {
  readonly base: ResourceVersion;
  readonly connection: WriterConnection;
  readonly clock: Clock;
  readonly events: Pick<KafkaLogEvents, 'appended' | 'problem'>;
  /** The largest batch that the topic takes, in bytes. */
  readonly batchBytesMax: number;
  /** Resolves when this version was read back, or soon. */
  readonly readBack: (version: ResourceVersion) => Promise<void>;
}

interface Append {
  readonly records: readonly EventRecord[];
  readonly bytes: number;
  resolve(first: ResourceVersion): void;
  reject(error: unknown): void;
}

/** Appends that wait beyond this are refused. */
const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
/** The header of a frame is shorter than this, except where names are very long. */
const HEADER_BYTES = 1_024;

export class KafkaWriter {
  readonly #parts: WriterParts;
  readonly #queue: Append[] = [];
  #queueBytes = 0;
  #running: Promise<void> | undefined;
  /** Why no append is taken any more. */
  #refusal: Error | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** See `EventLog.append`. */
  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return new Promise((resolve, reject) => {
      if (this.#refusal !== undefined) throw this.#refusal;
      checkAppendSize({ events: events.length, bytes: frameBytes(events) });
      const records = events.map(recordOf);
      const bytes = batchSizeMax(records);
      this.#checkBatch(bytes);
      this.#queue.push({ records, bytes, resolve, reject });
      this.#queueBytes += bytes;
      this.#running ??= this.#run();
    });
  }

  /** Takes no more appends; resolves when those under way are answered. */
  async close(): Promise<void> {
    this.refuse(closedError());
    await this.#running;
  }

  /** From now on every append is answered with this. */
  refuse(error: Error): void {
    this.#refusal ??= error;
  }

  #checkBatch(bytes: number): void {
    const { batchBytesMax } = this.#parts;
    if (bytes > batchBytesMax) {
      throw new RangeError(
        `the topic takes at most ${String(batchBytesMax)} bytes at once, not ${String(bytes)}`,
      );
    }
    if (this.#queueBytes + bytes > Math.max(QUEUE_BYTES_MAX, batchBytesMax)) {
      throw new LogUnavailableError('too much waits to be written', { isPassing: true });
    }
  }

  async #run(): Promise<void> {
    // The appends of this turn make the first batch together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const group = this.#takeGroup();
      try {
        this.#answer(group, await this.#produce(group));
      } catch (error) {
        for (const append of group) append.reject(error);
      }
    }
    this.#running = undefined;
  }

  #takeGroup(): Append[] {
    let [events, bytes] = [0, 0];
    const bytesMax = Math.min(APPEND_BYTES_MAX, this.#parts.batchBytesMax);
    const end = this.#queue.findIndex((append, index) => {
      events += append.records.length;
      bytes += append.bytes;
      return index > 0 && (events > APPEND_EVENTS_MAX || bytes > bytesMax);
    });
    const group = this.#queue.splice(0, end < 0 ? this.#queue.length : end);
    for (const append of group) this.#queueBytes -= append.bytes;
    return group;
  }

  /** The offset of the first record. */
  async #produce(group: readonly Append[]): Promise<number> {
    const { connection, clock, events: tell } = this.#parts;
    const session = await connection.session();
    const startMs = clock.now();
    const records = group.flatMap((append) => append.records);
    const batch = encodeBatch(records, startMs);
    let isSent = false;
    try {
      const offset = await session.produce(batch, () => {
        isSent = true;
      });
      connection.written();
      const durationMs = clock.now() - startMs;
      tell.appended({ events: records.length, bytes: batch.length, durationMs });
      return offset;
    } catch (error) {
      tell.problem(`append_${kindOf(error)}`, error);
      const meaning = appendErrorOf(error, isSent);
      if (lacksReplicas(error)) connection.refused(meaning);
      throw meaning;
    }
  }

  #answer(group: readonly Append[], offset: number): void {
    let first = this.#parts.base + offset + 1;
    for (const append of group) {
      const version = resourceVersion(first);
      first += append.records.length;
      void this.#parts.readBack(resourceVersion(first - 1)).then(() => {
        append.resolve(version);
      });
    }
  }
}

/** How large the events are when encoded, or a larger number that is no less acceptable. */
function frameBytes(events: readonly ProposedEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += event.json.length + HEADER_BYTES;
  if (bytes <= APPEND_BYTES_MAX || events.length > APPEND_EVENTS_MAX) return bytes;
  return encodeRecords(events).reduce((sum, frame) => sum + frame.length, 0);
}
