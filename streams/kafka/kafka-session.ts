/**
 * One connection to the broker that leads the topic's only partition. It is made anew whenever
 * anything is wrong with it, whatever that is: what kafkajs knows of a cluster in trouble is older
 * than what a new connection learns in some milliseconds, and of a broker that hangs it never lets
 * go (requests that time out do not make it look for another leader).
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../api/meta/clock.ts';
import { isNewLeader, leavesLeader, RequestTimeoutError } from './kafka-errors.ts';
import type { KafkaLogEvents, KafkaSasl, KafkaTimeouts, KafkaTls } from './kafka-options.ts';
import {
  fetchExchange,
  LATEST,
  listOffsetsExchange,
  produceExchange,
  type FetchAnswer,
} from './kafka-requests.ts';
import {
  KafkajsCluster,
  kafkajsLogger,
  kafkajsSocketFactory,
  type RawBroker,
  type RawCluster,
  type RawExchange,
  type RawLogCreator,
  type SocketFactory,
} from './kafkajs-internals.ts';

/** What a connection is made of. */
export interface SessionParts {
  readonly topic: string;
  readonly clientId: string;
  readonly tls: KafkaTls | undefined;
  readonly sasl: KafkaSasl | undefined;
  readonly timeouts: KafkaTimeouts;
  readonly clock: Clock;
  readonly events: KafkaLogEvents;
}

const PARTITION = 0;
const NO_NODE = '-1';
const SUSPECT_MS = 300;
const REAUTHENTICATE_BEFORE_MS = 10_000;
/** The levels of kafkajs's logger. */
const LEVEL_NAMES: ReadonlyMap<number, 'error' | 'warn' | 'info'> = new Map([
  [1, 'error'],
  [2, 'warn'],
  [4, 'info'],
]);
const LEVEL_INFO = 4;

export class KafkaSession {
  /** Resolves, with the reason, when it can be used no longer. */
  readonly lost: Promise<Error>;
  readonly #parts: SessionParts;
  readonly #sockets = new Set<Socket>();
  readonly #cluster: RawCluster;
  readonly #seed: string | undefined;
  readonly #suspect: string | undefined;
  #leader: RawBroker | undefined;
  #failure: Error | undefined;
  #checking: Promise<void> | undefined;
  #tellLost: (error: Error) => void = () => undefined;

  /**
   * @param brokers of which the first is asked for the leader.
   * @param suspect the broker that hung just now: it is still believed to lead for some seconds,
   *   and is not waited for.
   * @throws when the leader cannot be found or reached.
   */
  static async open(
    parts: SessionParts,
    brokers: readonly string[],
    suspect?: string,
  ): Promise<KafkaSession> {
    const session = new KafkaSession(parts, brokers, suspect);
    try {
      await session.#connect();
      return session;
    } catch (error) {
      session.fail(asError(error));
      throw error;
    }
  }

  private constructor(
    parts: SessionParts,
    brokers: readonly string[],
    suspect: string | undefined,
  ) {
    this.#parts = parts;
    this.#seed = brokers[0];
    this.#suspect = suspect;
    this.lost = new Promise((resolve) => {
      this.#tellLost = resolve;
    });
    this.#cluster = this.#makeCluster(brokers);
  }

  /** All brokers that are known by now, as `host:port`, the leader last. */
  get knownBrokers(): string[] {
    const brokers = this.#cluster.brokerPool.metadata?.brokers ?? [];
    const names = brokers.map(({ host, port }) => `${host}:${String(port)}`);
    const leader = this.leaderName;
    return [...names.filter((name) => name !== leader), leader];
  }

  get leaderName(): string {
    const { host, port } = this.#leaderBroker().connectionPool;
    return `${host}:${String(port)}`;
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /**
   * Appends a batch.
   *
   * @param isSent is called when the bytes may be on their way.
   * @returns the offset of the first record.
   */
  async produce(batch: Buffer, isSent: () => void): Promise<number> {
    const { topic, timeouts } = this.#parts;
    const timeoutMs = timeouts.produceMs;
    const { baseOffset } = await this.#send(produceExchange(topic, batch, { timeoutMs, isSent }));
    return baseOffset;
  }

  /** Waits for a while when there is nothing at `offset` yet. */
  fetch(offset: number, maxBytes: number): Promise<FetchAnswer> {
    const { topic, timeouts } = this.#parts;
    return this.#send(fetchExchange(topic, offset, { maxWaitMs: timeouts.fetchWaitMs, maxBytes }));
  }

  /** @param time `EARLIEST` or `LATEST`. */
  async offsetAt(time: number): Promise<number> {
    return (await this.#send(listOffsetsExchange(this.#parts.topic, time))).offset;
  }

  /** Asks some broker for the leader, and fails when that is another one by now. */
  checkLeader(): void {
    // One that never answers is no reason to leave a leader that does.
    this.#checking ??= this.#cluster
      .refreshMetadata()
      .then(() => {
        const leader = this.#leaderId();
        if (leader === String(this.#leaderBroker().nodeId)) return;
        this.fail(new Error(`the leader is another broker now (${leader})`));
      })
      .catch((error: unknown) => {
        this.#parts.events.problem('leader_check', error);
      })
      .finally(() => {
        this.#checking = undefined;
      });
  }

  /** Lets go of it: whatever waits for an answer gets the error. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    // kafkajs gives up its requests when a socket errs, and only then.
    for (const socket of this.#sockets) socket.destroy(error);
    this.#tellLost(error);
  }

  async #connect(): Promise<void> {
    const { topic } = this.#parts;
    const seedMs = this.#patienceWith(this.#seed);
    await this.#within(this.#cluster.connect(), 'a connection', seedMs);
    await this.#within(this.#cluster.addTargetTopic(topic), 'Metadata', seedMs);
    const leader = this.#cluster.findBroker({ nodeId: this.#leaderId() });
    const { connectMs } = this.#parts.timeouts;
    this.#leader = await this.#within(leader, 'a connection to the leader', connectMs);
    // A broker that hangs still accepts connections, and one that was deposed may not know.
    await this.#within(this.#proof(), 'ListOffsets', this.#patienceWith(this.leaderName));
  }

  /** Resolves when the leader answers as one that leads. */
  async #proof(): Promise<void> {
    try {
      await this.offsetAt(LATEST);
    } catch (error) {
      if (!isNewLeader(error)) throw error;
    }
  }

  #patienceWith(broker: string | undefined): number {
    const { connectMs } = this.#parts.timeouts;
    return broker !== undefined && broker === this.#suspect
      ? Math.min(SUSPECT_MS, connectMs)
      : connectMs;
  }

  #leaderId(): string {
    const leaders = this.#cluster.findLeaderForPartitions(this.#parts.topic, [PARTITION]);
    const leader = Object.keys(leaders)[0];
    if (leader === undefined || leader === NO_NODE) {
      throw new Error(`the topic ${this.#parts.topic} has no leader now`);
    }
    return leader;
  }

  #leaderBroker(): RawBroker {
    if (this.#leader === undefined) throw new Error('the leader is not known yet');
    return this.#leader;
  }

  async #send<T>(exchange: RawExchange<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    const { connectionPool } = this.#leaderBroker();
    try {
      return await this.#within(connectionPool.send(exchange), exchange.request.apiName);
    } catch (error) {
      if (!leavesLeader(error)) this.fail(asError(error));
      throw error;
    }
  }

  #within<T>(
    answer: Promise<T>,
    what: string,
    timeoutMs = this.#parts.timeouts.requestMs,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#parts.clock.after(timeoutMs, () => {
        reject(new RequestTimeoutError(`${what} took longer than ${String(timeoutMs)} ms`));
      });
      answer.then(resolve, reject).finally(cancel);
    });
  }

  #makeCluster(brokers: readonly string[]): RawCluster {
    const { clientId, tls, sasl, timeouts } = this.#parts;
    return new KafkajsCluster({
      logger: kafkajsLogger.createLogger({ level: LEVEL_INFO, logCreator: this.#logCreator }),
      socketFactory: this.#socketFactory(),
      brokers,
      ssl: sslOf(tls),
      sasl: saslOf(sasl),
      clientId,
      connectionTimeout: timeouts.connectMs,
      authenticationTimeout: timeouts.connectMs,
      reauthenticationThreshold: REAUTHENTICATE_BEFORE_MS,
      requestTimeout: timeouts.requestMs,
      // Time is counted here: kafkajs stops counting as soon as it begins to disconnect.
      enforceRequestTimeout: false,
      metadataMaxAge: timeouts.leaderCheckMs,
      retry: { retries: 0 },
      allowAutoTopicCreation: false,
      maxInFlightRequests: null,
      isolationLevel: 0,
    });
  }

  #socketFactory(): SocketFactory {
    const make = kafkajsSocketFactory();
    return (options) => {
      const socket = make(options);
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      // It may have been let go of while the name was looked up.
      if (this.#failure !== undefined) socket.destroy(this.#failure);
      return socket;
    };
  }

  readonly #logCreator: RawLogCreator = () => (entry) => {
    // What happens to a connection that was let go of is no news.
    if (!this.isOpen) return;
    const level = LEVEL_NAMES.get(entry.level) ?? 'debug';
    this.#parts.events.clientLog(level, entry.log.message, entry.log);
  };
}

/** As node:tls and kafkajs take it. */
export function sslOf(tls: KafkaTls | undefined): object | undefined {
  if (tls === undefined) return undefined;
  // Undefined would mean something else to node:tls than a missing option.
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}

/** As kafkajs takes it. */
export function saslOf(sasl: KafkaSasl | undefined): object | undefined {
  if (sasl?.mechanism !== 'oauthbearer') return sasl;
  return {
    mechanism: 'oauthbearer',
    oauthBearerProvider: async () => ({ value: await sasl.token() }),
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
