/**
 * Keeps a session with the leader: opens one, waits until it is lost, opens the next. A caller that
 * needs one waits for it here, unless Kafka has been out of reach for so long that it is told at once.
 */
import { LogUnavailableError } from '../event-log.ts';
import { closedError } from '../log-readers.ts';
import type { Random } from '../../api/meta/clock.ts';
import { connectionMachine, type ConnectionStatus } from './kafka-connection.machine.ts';
import { kindOf, RequestTimeoutError } from './kafka-errors.ts';
import { KafkaSession, type SessionParts } from './kafka-session.ts';

export interface ConnectionParts extends SessionParts {
  readonly brokers: readonly string[];
  readonly random: Random;
}

const RETRY_FIRST_MS = 50;
const LASTING_MS = 1_000;
/** As long as a new leader may be there any moment. */
const RETRY_SOON_MS = 100;
const RETRY_MAX_MS = 1_000;

interface Waiter {
  resolve(session: KafkaSession): void;
  reject(error: Error): void;
}

export class KafkaConnection {
  readonly #parts: ConnectionParts;
  readonly #machine;
  readonly #waiting = new Set<Waiter>();
  readonly #patient = new Set<Waiter>();
  /** Which brokers to try, the most hopeful first. */
  #brokers: string[];
  /** The broker that hung last, until there is a session again. */
  #suspect: string | undefined;
  #session: KafkaSession | undefined;
  #sessionCount = 0;
  #running: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    // Not every server should ask the same broker first.
    const first = parts.random.integer(parts.brokers.length);
    this.#brokers = [...parts.brokers.slice(first), ...parts.brokers.slice(0, first)];
    this.#machine = connectionMachine({
      clock: parts.clock,
      unreachableAfterMs: parts.timeouts.unreachableAfterMs,
      onState: (status) => {
        this.#hasNewState(status);
      },
    });
  }

  get status(): ConnectionStatus {
    return this.#machine.status;
  }

  /** How often a connection had to be made anew. */
  get reconnects(): number {
    return Math.max(0, this.#sessionCount - 1);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * @param timeoutMs how long to wait at most; by default until Kafka counts as unreachable.
   * @throws {LogUnavailableError} there is none, or not in time.
   */
  session(timeoutMs?: number): Promise<KafkaSession> {
    if (this.#session?.isOpen === true) return Promise.resolve(this.#session);
    const { state } = this.status;
    if (state === 'stopped') return Promise.reject(closedError());
    if (state === 'unreachable') return Promise.reject(this.#unreachable());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      this.#waiting.add(waiter);
      if (timeoutMs === undefined) return;
      this.#parts.clock.after(timeoutMs, () => {
        if (this.#waiting.delete(waiter)) reject(this.#notYet());
      });
    });
  }

  /** Like {@link session}, but waits as long as it takes, for callers that can do nothing else. */
  sessionAtLast(): Promise<KafkaSession> {
    if (this.#session?.isOpen === true) return Promise.resolve(this.#session);
    if (this.status.state === 'stopped') return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#patient.add({ resolve, reject });
    });
  }

  /** The leader took records. */
  written(): void {
    if (this.status.state === 'degraded') this.#machine.send({ type: 'written' });
  }

  /** The leader lacks replicas. */
  refused(error: Error): void {
    this.#machine.send({ type: 'refused', reason: error.message });
  }

  async stop(): Promise<void> {
    this.#machine.send({ type: 'stop' });
    this.#session?.fail(closedError());
    this.#wake();
    await this.#running;
  }

  #hasStopped(): boolean {
    return this.status.state === 'stopped';
  }

  async #run(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    while (!this.#hasStopped()) {
      try {
        const session = await KafkaSession.open(this.#parts, this.#brokers, this.#suspect);
        const openedAt = this.#parts.clock.now();
        await this.#use(session);
        // One that is lost at once, again and again, is as good as none.
        const hasLasted = this.#parts.clock.now() - openedAt > LASTING_MS;
        retryMs = hasLasted ? RETRY_FIRST_MS : Math.min(retryMs * 2, RETRY_MAX_MS);
        if (!hasLasted) await this.#pause(retryMs);
      } catch (error) {
        this.#hasFailed(error);
        await this.#pause(retryMs / 2 + this.#parts.random.integer(retryMs));
        const isGone = this.status.state === 'unreachable';
        retryMs = Math.min(retryMs * 2, isGone ? RETRY_MAX_MS : RETRY_SOON_MS);
      }
    }
  }

  async #use(session: KafkaSession): Promise<void> {
    if (this.#hasStopped()) {
      session.fail(closedError());
      return;
    }
    this.#session = session;
    this.#suspect = undefined;
    this.#sessionCount += 1;
    // If it is lost, the others are more likely than the leader to know better.
    this.#brokers = session.knownBrokers;
    this.#machine.send({ type: 'opened' });
    for (const waiter of [...take(this.#waiting), ...take(this.#patient)]) waiter.resolve(session);
    const error = await session.lost;
    this.#session = undefined;
    if (error instanceof RequestTimeoutError) this.#suspect = session.leaderName;
    if (this.#hasStopped()) return;
    this.#parts.events.problem(kindOf(error), error);
    this.#machine.send({ type: 'lost', reason: `the connection was lost: ${error.message}` });
  }

  #hasFailed(error: unknown): void {
    const tried = this.#brokers.shift();
    if (tried !== undefined) this.#brokers.push(tried);
    // Brokers may have moved while none of those we know was there.
    for (const broker of this.#parts.brokers) {
      if (!this.#brokers.includes(broker)) this.#brokers.push(broker);
    }
    const why = error instanceof Error ? error.message : String(error);
    this.#parts.events.problem(kindOf(error), error);
    this.#machine.send({
      type: 'failed',
      reason: `no connection by way of ${tried ?? ''}: ${why}`,
    });
  }

  #hasNewState(status: ConnectionStatus): void {
    this.#parts.events.connection(status.state, status.reason);
    if (status.state === 'unreachable') {
      for (const waiter of take(this.#waiting)) waiter.reject(this.#unreachable());
    } else if (status.state === 'stopped') {
      const all = [...take(this.#waiting), ...take(this.#patient)];
      for (const waiter of all) waiter.reject(closedError());
    }
  }

  #unreachable(): LogUnavailableError {
    return new LogUnavailableError(`Kafka cannot be reached: ${this.status.reason}`);
  }

  #notYet(): LogUnavailableError {
    return new LogUnavailableError(`no answer from Kafka in time: ${this.status.reason}`, {
      isPassing: true,
    });
  }

  #pause(delayMs: number): Promise<void> {
    if (this.#hasStopped()) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(delayMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

function take(waiting: Set<Waiter>): Waiter[] {
  const all = [...waiting];
  waiting.clear();
  return all;
}
