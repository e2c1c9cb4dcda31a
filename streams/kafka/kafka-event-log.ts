/**
 * The log as a topic of one partition in Kafka, for any number of servers. A version is the place
 * in the topic, counted from 1 (from `base` + 1 in a fork).
 *
 * Whatever is read comes from the copy on this machine, which one reader keeps up with the topic; so
 * only writes wait for Kafka, and questions where its end is. An append is
 * answered when it is acknowledged by all in-sync replicas and, as long as reading keeps up, has
 * been read back as well.
 *
 * In Kubernetes: etcd, with its Raft log inside.
 */
import type { DiskUsage } from '../lmdb-usage.ts';
import { LogUnavailableError, type EventHeads, type EventLog } from '../event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import type { LogCuts } from '../log-cuts.ts';
import { closedError, LogReaders } from '../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { TrimmableLog, TrimStep } from '../trimmable-log.ts';
import type { PathGuess } from '../record-heads.ts';
import { AwaitedVersions } from './awaited-versions.ts';
import { KafkaConnection } from './kafka-connection.ts';
import type { ConnectionStatus } from './kafka-connection.machine.ts';
import { isNewLeader, kindOf } from './kafka-errors.ts';
import type { KafkaSession } from './kafka-session.ts';
import { KAFKA_TIMEOUTS, silentEvents, type KafkaLogOptions } from './kafka-options.ts';
import { KafkaReader } from './kafka-reader.ts';
import { EARLIEST, LATEST } from './kafka-requests.ts';
import {
  deleteRecordsBefore,
  deleteTopic,
  prepareTopic,
  TOPIC_SETTINGS,
  type TopicParts,
} from './kafka-topic.ts';
import { KafkaWriter } from './kafka-writer.ts';
import { LocalRecords } from './local-copy/local-records.ts';
import { KEPT_EVENTS } from './local-copy/records-in-memory.ts';
import { ReaderPositions } from './reader-positions.ts';

export interface KafkaLogStatistics {
  /** The last version that was read from the topic. */
  readonly read: ResourceVersion;
  /** The last version that the leader is known to have. */
  readonly end: ResourceVersion;
  /** How often the connection had to be made anew. */
  readonly reconnects: number;
  /** What waits for the local disk. */
  readonly unwrittenBytes: number;
}

/** An acknowledged append is answered after so long even if it was not read back yet. */
const READ_BACK_MS = 1_000;
/** How often a new leader is asked for its end. */
const NEW_LEADER_MS = 50;

const NOWHERE = resourceVersion(Number.MAX_SAFE_INTEGER);

export class KafkaEventLog implements EventLog, TrimmableLog {
  readonly #parts: TopicParts;
  readonly #options: KafkaLogOptions;
  readonly #base: ResourceVersion;
  readonly #local: LocalRecords;
  readonly #connection: KafkaConnection;
  readonly #readers: LogReaders;
  readonly #positions: ReaderPositions;
  readonly #reader: KafkaReader;
  readonly #writer: KafkaWriter;
  readonly #awaited = new AwaitedVersions(() => this.#local.newest);
  #failure: LogUnavailableError | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Makes the topic if it is not there, and reads it from then on; does not wait until it was read.
   *
   * @throws {TopicSettingsError} the topic is not fit to be a log.
   * @throws {LocalCopyError} the local copy is of another topic.
   * @throws {LogUnavailableError} Kafka cannot be reached.
   */
  static async open(options: KafkaLogOptions): Promise<KafkaEventLog> {
    const parts = topicParts(options);
    await prepareTopic(parts);
    const log = new KafkaEventLog(options, parts);
    try {
      await log.#start();
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Removes the topic of a log that no process has open. */
  static async delete(options: KafkaLogOptions): Promise<void> {
    await deleteTopic(topicParts(options));
  }

  private constructor(options: KafkaLogOptions, parts: TopicParts) {
    const { clock, random } = options;
    const { topic, events, timeouts, brokers } = parts;
    this.#options = options;
    this.#parts = parts;
    this.#base = options.base ?? resourceVersion(0);
    this.#local = this.#openLocal();
    this.#connection = new KafkaConnection({ ...parts, brokers, random });
    this.#readers = new LogReaders(this.#readable());
    this.#positions = new ReaderPositions((fastest) => this.#isTooFarAhead(fastest));
    this.#reader = new KafkaReader({
      topic,
      base: this.#base,
      connection: this.#connection,
      local: this.#local,
      timeouts,
      clock,
      events,
      onRead: (first) => {
        if (this.#readers.areWaiting) this.#readers.publish(this.#local.slice(first));
        this.#awaited.tell();
      },
      mayRead: () => this.#positions.mayRead(),
      onFailure: (error) => {
        this.#fail(error);
      },
    });
    this.#writer = new KafkaWriter({
      base: this.#base,
      connection: this.#connection,
      clock,
      events,
      batchBytesMax: parts.settings.maxMessageBytes,
      readBack: (version) => this.#readBack(version),
    });
  }

  /** For readyz: why the log cannot be written or read now, if so. */
  get connection(): ConnectionStatus {
    return this.#connection.status;
  }

  /** Why reading has ended for good; undefined as long as all is well. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get statistics(): KafkaLogStatistics {
    return {
      read: this.#local.newest,
      end: this.#reader.end,
      reconnects: this.#connection.reconnects,
      unwrittenBytes: this.#local.unwrittenBytes,
    };
  }

  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return this.#writer.append(events);
  }

  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]> {
    this.#positions.foldEnds();
    return this.#positions.follow(from, signal, this.#readers.read(from, signal));
  }

  heads(from: ResourceVersion, guess: PathGuess): EventHeads {
    this.#positions.folds(from, false);
    return this.#local.heads(from, guess);
  }

  async whenHere(version: ResourceVersion, signal: AbortSignal): Promise<void> {
    this.#positions.folds(version, true);
    await this.#awaited.until(version, (giveUp) => {
      signal.addEventListener('abort', giveUp, { once: true });
      return () => {
        signal.removeEventListener('abort', giveUp);
      };
    });
  }

  /**
   * Finds single records before {@link oldest} too, where a snapshot left them.
   *
   * @throws {LogUnavailableError} the log is closed.
   * @throws {DamagedRecordError} the disk gave back other bytes than were written.
   */
  at(version: ResourceVersion): LoggedEvent | undefined {
    if (this.#closing !== undefined) throw closedError();
    return version <= this.#base ? undefined : this.#local.at(version);
  }

  /** Where the local copy begins to be complete. */
  oldest(): Promise<ResourceVersion> {
    return this.#closing === undefined
      ? Promise.resolve(this.#local.completeFrom)
      : Promise.reject(closedError());
  }

  /** @throws {LogUnavailableError} */
  async newest(timeoutMs: number): Promise<ResourceVersion> {
    if (this.#closing !== undefined) throw closedError();
    if (this.#failure !== undefined) throw this.#failure;
    const asked = this.#ask(timeoutMs, (session) => session.offsetAt(LATEST));
    return resourceVersion(this.#base + (await this.#within(asked, timeoutMs)));
  }

  /** Removes what lies before `version` from the topic, for all servers. */
  async deleteBefore(version: ResourceVersion): Promise<void> {
    await deleteRecordsBefore(this.#parts, Math.max(0, version - this.#base - 1));
  }

  /** What was cut from the copy on this machine; other servers may have cut more or less. */
  cuts(): LogCuts {
    return this.#local.cuts;
  }

  /** See `TrimmableLog.trim`: removes records from this machine only. */
  async trim(step: TrimStep): Promise<void> {
    if (this.#closing !== undefined) throw closedError();
    if (step.cuts.settled >= this.#local.newest) {
      throw new RangeError(`a cut at ${String(step.cuts.settled)} would leave no record`);
    }
    try {
      await this.#local.trim(step);
    } catch (error) {
      throw new LogUnavailableError('the local copy could not be cut', { cause: error });
    }
  }

  /** Of the copy on this machine. */
  diskUsage(): DiskUsage {
    return this.#local.diskUsage();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #start(): Promise<void> {
    this.#connection.start();
    await this.#connection.session();
    if (this.#options.restore !== undefined) {
      const { unreachableAfterMs } = this.#parts.timeouts;
      const oldest = await this.#ask(unreachableAfterMs, (session) => session.offsetAt(EARLIEST));
      const end = await this.#ask(unreachableAfterMs, (session) => session.offsetAt(LATEST));
      await this.#options.restore({
        local: this.#local.last,
        oldest: resourceVersion(this.#base + oldest + 1),
        newest: resourceVersion(this.#base + end),
        adopt: (records, upTo, cuts) => this.#local.adopt(records, upTo, cuts),
      });
    }
    this.#reader.start();
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    // It must know before its sessions are taken away, else it would ask for the next.
    const stopped = this.#reader.stop();
    this.#positions.release();
    this.#readers.close();
    await this.#connection.stop();
    await stopped;
    this.#awaited.end();
    await this.#local.close();
  }

  /** The topic can be followed no further: nothing may build on what would come. */
  #fail(error: Error): void {
    this.#parts.events.problem(kindOf(error), error);
    this.#failure = new LogUnavailableError(error.message, { cause: error });
    this.#writer.refuse(this.#failure);
    this.#readers.fail(error);
    this.#awaited.end();
  }

  /**
   * What the leader says. A connection that is lost meanwhile is no answer, nor is that a leader is
   * too new to tell: it is asked again.
   *
   * @throws {LogUnavailableError} there was no answer in time.
   */
  async #ask<T>(timeoutMs: number, ask: (session: KafkaSession) => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const giveUpAt = clock.now() + timeoutMs;
    for (;;) {
      const session = await this.#connection.session(Math.max(0, giveUpAt - clock.now()));
      try {
        return await ask(session);
      } catch (error) {
        const isPassing = isNewLeader(error) || !session.isOpen;
        if (!isPassing || clock.now() >= giveUpAt) throw untold(error);
        if (session.isOpen) await this.#pause(NEW_LEADER_MS);
      }
    }
  }

  #within<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(timeoutMs, () => {
        reject(new LogUnavailableError('no answer from Kafka in time', { isPassing: true }));
      });
      answer.then(resolve, reject).finally(cancel);
    });
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(delayMs, resolve);
    });
  }

  #isTooFarAhead(fastest: ResourceVersion): boolean {
    const { newest, oldestInMemory } = this.#local;
    return newest - fastest > KEPT_EVENTS / 2 || (fastest <= newest && fastest < oldestInMemory);
  }

  #readBack(version: ResourceVersion): Promise<void> {
    return this.#awaited.until(version, (giveUp) =>
      this.#options.clock.after(READ_BACK_MS, giveUp),
    );
  }

  #readable() {
    const local = this.#local;
    const beginning = resourceVersion(this.#base + 1);
    return {
      /** Where the topic's beginning is gone and no snapshot stands for it, no reader can begin. */
      get beginning() {
        return local.isStateWhole ? beginning : NOWHERE;
      },
      get oldest() {
        return local.completeFrom;
      },
      slice: (from: ResourceVersion) => local.slice(from),
    };
  }

  #openLocal(): LocalRecords {
    const { events, topic } = this.#parts;
    return new LocalRecords({
      path: this.#options.localPath,
      topic,
      base: this.#base,
      onProblem: (error) => {
        events.problem('local_copy', error);
      },
      pause: (delayMs) =>
        new Promise((resolve) => {
          this.#options.clock.after(delayMs, resolve);
        }),
    });
  }
}

/** What is needed to work on a topic, with the defaults filled in. */
export function topicParts(options: KafkaLogOptions): TopicParts {
  return {
    brokers: options.brokers,
    topic: options.topic,
    clientId: options.clientId,
    tls: options.tls,
    sasl: options.sasl,
    timeouts: { ...KAFKA_TIMEOUTS, ...options.timeouts },
    clock: options.clock,
    events: silentEvents(options.events),
    settings: { ...TOPIC_SETTINGS, ...options.topicSettings },
    mustExist: options.mustExist,
  };
}

function untold(error: unknown): LogUnavailableError {
  const why = error instanceof Error ? error.message : String(error);
  return new LogUnavailableError(`Kafka did not tell its end: ${why}`, {
    cause: error,
    isPassing: true,
  });
}
