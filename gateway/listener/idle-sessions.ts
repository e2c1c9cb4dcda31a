/**
 * Closes connections of HTTP/2 on which nothing has been asked for a while: node would keep them
 * for ever, also those whose client has never said a word.
 *
 * In Kubernetes: IdleTimeout of http2.Server, apiserver/pkg/server/secure_serving.go.
 */
import type { Http2Session } from 'node:http2';
import type { Clock } from '../../api/meta/clock.ts';

interface Usage {
  openStreams: number;
  /** Milliseconds since 1970. */
  usedAt: number;
}

const LOOKS_PER_IDLE_TIME = 3;

export class IdleSessions {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #sessions = new Map<Http2Session, Usage>();
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  add(session: Http2Session): void {
    if (this.#sessions.size === 0) this.#lookLater();
    this.#sessions.set(session, { openStreams: 0, usedAt: this.#clock.now() });
    session.on('close', () => {
      this.#sessions.delete(session);
      if (this.#sessions.size === 0) this.#cancel();
    });
  }

  /** Call it for every stream that is opened on the session, and what it gives when it closes. */
  used(session: Http2Session): () => void {
    const usage = this.#sessions.get(session);
    if (usage === undefined) return () => undefined;
    usage.openStreams += 1;
    return () => {
      usage.openStreams -= 1;
      usage.usedAt = this.#clock.now();
    };
  }

  #lookLater(): void {
    this.#cancel = this.#clock.after(this.#idleMs / LOOKS_PER_IDLE_TIME, () => {
      const since = this.#clock.now() - this.#idleMs;
      for (const [session, { openStreams, usedAt }] of this.#sessions) {
        if (openStreams === 0 && usedAt <= since) session.close();
      }
      this.#lookLater();
    });
  }
}
