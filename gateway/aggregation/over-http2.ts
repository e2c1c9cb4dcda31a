/** A request to an aggregated server as a stream of HTTP/2, and the head of its answer. */
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { pipeline } from 'node:stream';
import type { HeldSession } from './server-connections.ts';
import { CANCELED, ExchangeError, type SentRequest, type ServerAnswer } from './server-answer.ts';
import { hostAndPort, type ServerPlace } from './server-place.ts';

/** @throws Error what came in the way. */
export async function overHttp2(
  place: ServerPlace,
  held: HeldSession,
  { method, path, headers, body, end }: SentRequest,
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
  const cancel = (): void => {
    stream.close(constants.NGHTTP2_CANCEL);
  };
  end.stops(cancel);
  stream.once('close', () => {
    end.stops(undefined);
  });
  const coming = new Promise<ServerAnswer>((resolve, reject) => {
    let isThere = false;
    stream.once('response', (found: IncomingHttpHeaders, _flags: number, raw?: string[]) => {
      isThere = true;
      const code = Number((found as Record<string, unknown>)[':status'] ?? 0);
      const answer = { code, rawHeaders: withoutPseudo(raw ?? []), body: wholeOf(stream) };
      resolve({ ...answer, destroy: cancel });
    });
    stream.on('error', reject);
    stream.once('close', () => {
      if (isThere) return;
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      const error = new ExchangeError(end.reason === undefined ? 'EOF' : CANCELED);
      reject(isRefused ? Object.assign(error, { code: 'ERR_REFUSED_STREAM' }) : error);
    });
  });
  // An answer may come before all of the body has gone; the pipe ends with whichever end breaks.
  if (body !== undefined) pipeline(body, stream, () => undefined);
  return coming;
}

/** What is about one connection only is not there in HTTP/2. */
const NOT_OF_HTTP2: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'te']);

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
