/**
 * How much of a request's head is taken, and the refusal of everything else. A head is read whole
 * or the request is answered 431, because a header that was dropped may have been the one that
 * takes rights away (`Impersonate-User`).
 *
 * The surprise: node drops header lines beyond its own count without a word on HTTP/1.1. So its count
 * is set above ours, and ours is judged here.
 *
 * In Kubernetes: MaxHeaderBytes of net/http; why there is a count as well:
 * docs/decisions/0042-heads-are-read-whole.md.
 */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HeadLimits } from '../http2/hpack-decoder.ts';

/** Lines of a head, and fields on HTTP/2. */
export const HEAD_LINES_MAX = 4_096;
/** The name or the value of one field. */
export const FIELD_BYTES_MAX = 64 * 1_024;
/** Go takes 1 MiB, and reads 4 KiB more before it says no. */
const HEAD_BYTES_MAX = 1_024 * 1_024;
const HTTP1_SLACK_BYTES = 4_096;
/** Each field counts 32 bytes more (RFC 9113, section 6.5.2), and Go allows for ten of them. */
const FIELD_OVERHEAD_BYTES = 32;
const LIST_BYTES_MAX = HEAD_BYTES_MAX + 10 * FIELD_OVERHEAD_BYTES;

/** A head that is refused. */
export interface HeadProblem {
  readonly code: 400 | 431;
  /** What Go says on HTTP/1.1, behind the code. */
  readonly reason: string;
}

const TOO_LARGE: HeadProblem = { code: 431, reason: 'Request Header Fields Too Large' };
const HOSTS: HeadProblem = { code: 400, reason: 'Bad Request: too many Host headers' };

/** An HTTP/1.1 server whose requests {@link http1Problem} can judge. */
export function http1Server(options: ServerOptions, listener: RequestListener): Server {
  const maxHeaderSize = HEAD_BYTES_MAX + HTTP1_SLACK_BYTES;
  const server = createServer({ ...options, maxHeaderSize }, listener);
  // It goes on reading behind that and remembers no more, so a head of as many lines may be cut.
  server.maxHeadersCount = HEAD_LINES_MAX;
  return server;
}

/** The same limits for HTTP/2. */
export const HEAD_LIMITS: HeadLimits = {
  fields: HEAD_LINES_MAX - 1,
  fieldBytes: FIELD_BYTES_MAX,
  listBytes: LIST_BYTES_MAX,
};

/** @param rawHeaders names and values by turns. */
export function http1Problem(rawHeaders: readonly string[]): HeadProblem | undefined {
  // At the limit nothing tells a head that is whole from one that was cut.
  if (rawHeaders.length >= 2 * HEAD_LINES_MAX) return TOO_LARGE;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (isLong(name) || isLong(rawHeaders[at + 1])) return TOO_LARGE;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1 ? HOSTS : undefined;
}

const HOST = 'host';

function isLong(text = ''): boolean {
  return text.length > FIELD_BYTES_MAX;
}

/** Answers behind the answers to earlier requests, with Go's words, and ends the connection. */
export function refuseHead(response: ServerResponse, { code, reason }: HeadProblem): void {
  response.on('error', ignore);
  response.writeHead(code, phraseOf(reason), { 'Content-Type': PLAIN, Connection: 'close' });
  response.end(`${String(code)} ${reason}`);
}

/** The same on a socket that has left the HTTP server's hands. */
export function refuseUpgrade(socket: Duplex, { code, reason }: HeadProblem): void {
  socket.on('error', ignore);
  const line = `HTTP/1.1 ${String(code)} ${phraseOf(reason)}`;
  const head = [line, `Content-Type: ${PLAIN}`, 'Connection: close'].join('\r\n');
  socket.end(`${head}\r\n\r\n${String(code)} ${reason}`, () => socket.destroy());
}

/** By node's name for what is wrong; anything else is 400. */
const BROKEN_PHRASES: ReadonlyMap<unknown, string> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);
/** For a client that does not take the refusal. */
const REFUSAL_MS = 1_000;

/**
 * For what is no request of HTTP/1.1. Node cuts the connection right behind its own refusal, which
 * may be lost by that; behind this one the connection ends when it has left.
 *
 * @param answer the last one on this connection: behind its head no other can be sent.
 */
export function refuseBroken(socket: Duplex, error: Error, answer?: ServerResponse): void {
  if (socket.writableEnded) return; // It was refused before, and goes on sending.
  const isAnswering = answer?.headersSent === true && !answer.writableFinished;
  if (!socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  if (socket instanceof Socket) socket.setTimeout(REFUSAL_MS, () => socket.destroy());
  const code = 'code' in error ? error.code : undefined;
  const phrase = BROKEN_PHRASES.get(code) ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${phrase}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}

const PLAIN = 'text/plain; charset=utf-8';

function phraseOf(reason: string): string {
  return reason.split(':', 1)[0] ?? '';
}

function ignore(): void {
  // A client that goes away before it was refused is told by its connection's close.
}

/** The same on HTTP/2. */
export const HTTP2_REFUSAL = {
  code: 431,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: Buffer.from('<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>'),
};
