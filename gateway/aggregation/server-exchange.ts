/**
 * One request to an aggregated server and the head of its answer, over HTTP/2 or HTTP/1.1. One that met
 * a connection which had ended meanwhile is sent once more, where it has no body.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { pipeline, type Readable } from 'node:stream';
import { secureRequest, type TrustingAgent } from '../outbound/trusting-agent.ts';
import type { RawHeaders } from '../node-streams/passed-headers.ts';
import type { HeldSession, ServerConnections } from './server-connections.ts';
import { connectionOptions, hostAndPort, type ServerPlace } from './server-place.ts';

/** What is sent. */
export interface SentRequest {
  readonly method: string;
  /** Escaped, with its query. */
  readonly path: string;
  /** Without `Host`. */
  readonly headers: RawHeaders;
  readonly body: Readable | undefined;
  /** Its abort ends the exchange. */
  readonly signal: AbortSignal;
}

/** What has come. */
export interface ServerAnswer {
  readonly code: number;
  readonly rawHeaders: readonly string[];
  /** Ends without an error only when all of it has come. */
  readonly body: AsyncIterable<Buffer>;
  /** Lets go of the answer, of which no more is wanted. */
  readonly destroy: () => void;
}

/** Ways to a server. */
export interface ServerWay {
  readonly place: ServerPlace;
  readonly connections: ServerConnections;
  /** Of connections of HTTP/1.1. */
  readonly agent: TrustingAgent;
}

/** The request came to an end before there was an answer. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
}

const ATTEMPTS = 3;

/** @throws what came in the way. */
export async function exchange(way: ServerWay, sent: SentRequest): Promise<ServerAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    if (sent.signal.aborted) throw new ExchangeError('context canceled');
    const held = await way.connections.take();
    try {
      return await (held === undefined ? overHttp1(way, sent) : overHttp2(way, held, sent));
    } catch (error) {
      const isLast = attempt === ATTEMPTS || sent.body !== undefined || sent.signal.aborted;
      if (isLast || !maySendAgain(error, sent.method)) throw error;
    }
  }
}

/** With these the server has not acted on the request. */
const UNSEEN: ReadonlySet<string> = new Set([
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_REFUSED_STREAM',
]);
/** With these the connection ended, and the server may have acted on the request. */
const UNKNOWN: ReadonlySet<string> = new Set(['ERR_HTTP2_SESSION_ERROR', 'ERR_STALE_CONNECTION']);
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** A DELETE without a body is no safe request: a second one could remove a new object. In Go: Request.isReplayable. */
function maySendAgain(error: unknown, method: string): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return UNSEEN.has(code) || (UNKNOWN.has(code) && SAFE_METHODS.has(method));
}

async function overHttp2(
  { place }: ServerWay,
  held: HeldSession,
  { method, path, headers, body, signal }: SentRequest,
): Promise<ServerAnswer> {
  let stream: ClientHttp2Stream;
  try {
    const head = headersOfHttp2(headers);
    head[':method'] = method;
    head[':path'] = path;
    head[':scheme'] = 'https';
    head[':authority'] = hostAndPort(place);
    stream = held.session.request(head, { endStream: body === undefined });
  } catch (error) {
    held.release();
    throw error;
  }
  stream.once('close', held.release);
  const end = (): void => {
    stream.close(constants.NGHTTP2_CANCEL);
  };
  signal.addEventListener('abort', end, { once: true });
  stream.once('close', () => {
    signal.removeEventListener('abort', end);
  });
  const coming = new Promise<ServerAnswer>((resolve, reject) => {
    let isThere = false;
    stream.once('response', (found: IncomingHttpHeaders, _flags: number, raw?: string[]) => {
      isThere = true;
      const code = Number((found as Record<string, unknown>)[':status'] ?? 0);
      const answer = { code, rawHeaders: withoutPseudo(raw ?? []), body: wholeOf(stream) };
      resolve({ ...answer, destroy: end });
    });
    stream.on('error', reject);
    stream.once('close', () => {
      if (isThere) return;
      const why = signal.aborted ? 'context canceled' : 'EOF';
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      const error = new ExchangeError(why);
      reject(isRefused ? Object.assign(error, { code: 'ERR_REFUSED_STREAM' }) : error);
    });
  });
  // An answer may come before all of the body has gone; the pipe ends with whichever end breaks.
  if (body !== undefined) pipeline(body, stream, () => undefined);
  return coming;
}

/** What is about one connection only is not there in HTTP/2. */
const NOT_OF_HTTP2: ReadonlySet<string> = new Set(['host', 'transfer-encoding', 'expect', 'te']);

/** Of several headers of one name that is not the user's, one is made. */
function headersOfHttp2(raw: readonly string[]): OutgoingHttpHeaders {
  const headers = Object.create(null) as OutgoingHttpHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    if (NOT_OF_HTTP2.has(name)) continue;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (name.startsWith('x-remote-')) headers[name] = [before, value].flat().map(String);
    else headers[name] = `${String(before)}, ${value}`;
  }
  return headers;
}

function withoutPseudo(raw: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!name.startsWith(':')) headers.push(name, raw[at + 1] ?? '');
  }
  return headers;
}

/** Node ends a stream that was reset as if it were whole. */
async function* wholeOf(stream: ClientHttp2Stream): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield chunk as Buffer;
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || stream.aborted) {
    throw new ExchangeError('unexpected EOF');
  }
}

async function* wholeMessage(response: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of response) yield chunk as Buffer;
  if (!response.complete) throw new ExchangeError('unexpected EOF');
}

function overHttp1(
  { place, agent }: ServerWay,
  { method, path, headers, body, signal }: SentRequest,
): Promise<ServerAnswer> {
  const head = ['Host', hostAndPort(place), ...headers];
  const options = connectionOptions(place, ['http/1.1']);
  const sent = secureRequest({ ...options, method, path, headers: head, agent });
  const coming = headOfHttp1(sent, signal);
  if (body === undefined) sent.end();
  else pipeline(body, sent, () => undefined);
  return coming;
}

function headOfHttp1(sent: ClientRequest, signal: AbortSignal): Promise<ServerAnswer> {
  return new Promise((resolve, reject) => {
    let come: IncomingMessage | undefined;
    const end = (): void => {
      // The connection of an answer that is complete may be another request's by now.
      if (come === undefined) sent.destroy(new ExchangeError('context canceled'));
      else come.destroy();
    };
    signal.addEventListener('abort', end, { once: true });
    sent.once('close', () => {
      signal.removeEventListener('abort', end);
    });
    sent.on('response', (response: IncomingMessage) => {
      come = response;
      const { statusCode: code = 0, rawHeaders } = response;
      // A reader is told; an answer that is let go of has none.
      response.on('error', () => undefined);
      resolve({ code, rawHeaders, body: wholeMessage(response), destroy: end });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
      reject(isStale ? Object.assign(error, { code: 'ERR_STALE_CONNECTION' }) : error);
    });
  });
}
