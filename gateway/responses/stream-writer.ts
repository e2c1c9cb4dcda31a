/**
 * Answers that are made while they are read: one chunk at a time, the next one when the client has
 * taken the last. A client that goes ends the making; what cannot be made is broken off.
 */
import type { Readable } from 'node:stream';
import type { StreamAnswer } from '../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { answerHeaders } from './answer-headers.ts';
import type { AnswerHeaders, Exchange } from './exchange.ts';
import { endWhole } from './last-bytes.ts';

const CODE = 200;
/** Without one an exception with its stack is made for each answer. */
const GONE = 'the client has gone, or has all of it';

export function writeStream(
  exchange: Exchange,
  request: ReceivedRequest,
  { code = CODE, headers, chunks, whole, source, held }: StreamAnswer,
): void {
  if (whole !== undefined) {
    exchange.head(code, headersOf(request, headers));
    endWhole(exchange, request, { code, bytes: whole.length === 0 ? undefined : whole });
    return;
  }
  if (source !== undefined) {
    exchange.head(code, headersOf(request, headers));
    passOn(exchange, request, source(), code);
    return;
  }
  const gone = new AbortController();
  let sizeBytes = 0;
  let drained: () => void = nothing;
  const letGo = held?.(() => {
    exchange.abort();
  });
  exchange.onClose(() => {
    letGo?.();
    gone.abort(GONE);
    drained();
    request.finish({ code, sizeBytes });
  });
  exchange.onDrain(() => {
    drained();
  });

  async function pump(): Promise<void> {
    for await (const chunk of chunks(gone.signal)) {
      if (gone.signal.aborted) return;
      sizeBytes += chunk.length;
      if (exchange.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    request.ending({ code, sizeBytes });
    exchange.end();
  }

  exchange.head(code, headersOf(request, headers));
  pump().catch(() => {
    exchange.abort();
  });
}

/**
 * Each chunk in the turn in which it comes: a promise for each, and for each that asks for it, costs as much as all
 * that is done with a line of a log.
 */
function passOn(
  exchange: Exchange,
  request: ReceivedRequest,
  source: Readable,
  code: number,
): void {
  let sizeBytes = 0;
  exchange.onClose(() => {
    source.destroy();
    request.finish({ code, sizeBytes });
  });
  exchange.onDrain(() => {
    source.resume();
  });
  source.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (!exchange.write(chunk)) source.pause();
  });
  source.once('end', () => {
    request.ending({ code, sizeBytes });
    exchange.end();
  });
  source.once('error', nothing);
  source.once('close', () => {
    if (!source.readableEnded && !exchange.closed) exchange.abort();
  });
}

/** Without a prototype, since names are the backend's; behind a spread, Node 20 adds each key by a call of about 1 µs. */
function headersOf(request: ReceivedRequest, headers: StreamAnswer['headers']): AnswerHeaders {
  const all = Object.create(null) as AnswerHeaders;
  const own = answerHeaders(request);
  for (const name in own) all[name] = own[name] as AnswerHeaders[string];
  for (const name in headers) all[name] = headers[name] as AnswerHeaders[string];
  return all;
}

function nothing(): void {
  // No chunk waits for room.
}
