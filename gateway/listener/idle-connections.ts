/**
 * Closes connections of HTTP/2 on which nothing has been asked for a while, also those whose client has
 * never said a word; and those on which a head has begun and does not get whole.
 *
 * In Kubernetes: IdleTimeout of http2.Server, apiserver/pkg/server/secure_serving.go.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { CODE, type ErrorCode } from '../http2/frames.ts';

/** What is looked at of a connection. Times are milliseconds since 1970. */
export interface IdleConnection {
  readonly openStreams: number;
  /** When a request ended last. */
  readonly usedAt: number;
  /** When a head began that is not whole; undefined: there is none. */
  readonly headSince: number | undefined;
  close(): void;
  fail(code: ErrorCode, reason: string): void;
}

const LOOKS_PER_IDLE_TIME = 3;

export class IdleConnections {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #connections: ReadonlySet<IdleConnection>;
  #cancel: (() => void) | undefined;

  /** @param connections those that are open; tell {@link look} when there are more or fewer. */
  constructor(clock: Clock, idleMs: number, connections: ReadonlySet<IdleConnection>) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#connections = connections;
  }

  /** Looks at them now and then, as long as there are any. */
  look(): void {
    if (this.#connections.size === 0) {
      this.#cancel?.();
      this.#cancel = undefined;
    } else this.#cancel ??= this.#lookLater();
  }

  #lookLater(): () => void {
    return this.#clock.after(this.#idleMs / LOOKS_PER_IDLE_TIME, () => {
      const since = this.#clock.now() - this.#idleMs;
      for (const connection of this.#connections) {
        const { openStreams, usedAt, headSince } = connection;
        if (headSince !== undefined && headSince <= since) {
          connection.fail(CODE.enhanceYourCalm, 'the head of a request takes too long');
        } else if (openStreams === 0 && usedAt <= since) connection.close();
      }
      this.#cancel = this.#lookLater();
    });
  }
}
