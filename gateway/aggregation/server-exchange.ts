/**
 * One request to an aggregated server and the head of its answer, over HTTP/2 or HTTP/1.1. One that met
 * a connection which had ended meanwhile is sent once more, where it has no body.
 */
import { StreamError } from '../http2/client/stream-error.ts';
import type { ExchangeEnd } from './exchange-end.ts';
import { UNSENT } from './kept-connections.ts';
import { overHttp1, STALE } from './over-http1.ts';
import { overHttp2 } from './over-http2.ts';
import { CANCELED, ExchangeError, type SentRequest, type ServerAnswer } from './server-answer.ts';
import type { ServerConnections } from './server-connections.ts';
import type { ServerPlace } from './server-place.ts';

/** Ways to a server. */
export interface ServerWay {
  readonly place: ServerPlace;
  /** The host and the port of the place, as `Host` has them. */
  readonly host: string;
  readonly connections: ServerConnections;
}

const ATTEMPTS = 3;

/** @throws Error what came in the way. */
export async function exchange(
  { place, host, connections }: ServerWay,
  sent: SentRequest,
): Promise<ServerAnswer> {
  const isEnded = (): boolean => sent.end.reason !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    if (isEnded()) throw new ExchangeError(CANCELED);
    // What met an old connection is not to meet the next.
    const taken = connections.take(attempt > 1);
    const link = taken instanceof Promise ? await unlessEnded(taken, sent.end) : taken;
    try {
      return await (link.kind === 'kept'
        ? overHttp1(place, link, sent)
        : overHttp2(host, link, sent));
    } catch (error) {
      const isLast = attempt === ATTEMPTS || sent.body !== undefined;
      if (isLast || isEnded() || !maySendAgain(error, sent.method)) throw error;
    }
  }
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** A DELETE without a body is no safe request: a second one could remove a new object. In Go: Request.isReplayable. */
function maySendAgain(error: unknown, method: string): boolean {
  if (error instanceof StreamError) {
    return error.fate === 'unseen' || (error.fate === 'unknown' && SAFE_METHODS.has(method));
  }
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === UNSENT || (code === STALE && SAFE_METHODS.has(method));
}

interface Releasable {
  release(): void;
}

/** A connection that is still being made does not hear of the end; it is there for the next request. */
function unlessEnded<Link extends Releasable>(
  coming: Promise<Link>,
  end: ExchangeEnd,
): Promise<Link> {
  return new Promise((resolve, reject) => {
    end.stops(() => {
      reject(new ExchangeError(CANCELED));
    });
    coming.then((link) => {
      if (end.reason === undefined) resolve(link);
      else link.release();
    }, reject);
  });
}
