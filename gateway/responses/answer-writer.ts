/**
 * Writes answers: whatever a request was answered with leaves here as bytes.
 */
import type { Readable } from 'node:stream';
import { isManyValues, type Parts } from '../../api/json/json-parts.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest, internalError, tooManyRequests, type Status } from '../../api/meta/status.ts';
import type {
  Answer,
  DocumentAnswer,
  ListAnswer,
  ObjectAnswer,
  ValueAnswer,
} from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { whole } from '../../actors/request/large-work.ts';
import { lineOf, sizeOf } from '../../projections/objects/stored-object.ts';
import { compressed, compressedStream, isWorthCompressing } from './compression.ts';
import { answerHeaders } from './answer-headers.ts';
import { objectParts, valueParts } from './answer-parts.ts';
import type { AnswerHeaders, Exchange } from './exchange.ts';
import {
  CONTENT_TYPES,
  encoded,
  formProblem,
  isStoredForm,
  NEWLINE,
  STATUS_TYPE,
} from './object-form.ts';
import { bytesOfAll, CHUNK_BYTES, listInParts, StoredList } from './list-writer.ts';
import { endWhole } from './last-bytes.ts';
import { serialized, serializedChunks } from './serializing.ts';
import { writeStream } from './stream-writer.ts';

/** Opens the stream of a watch; see gateway/watch. */
export type WatchOpener = (
  exchange: Exchange,
  request: ReceivedRequest,
  answer: Extract<Answer, { kind: 'Watch' }>,
) => void;

const JSON_MEDIA: AcceptedMedia = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'Metadata',
};

const NOT_MODIFIED = 304;
/** From here on an answer in one piece is held to be large. */
const LARGE_BYTES = 1024 * 1024;
/** What large answers may hold together while they are made, and while their clients are slow to take them. */
const UNSENT_BYTES_MAX = 256 * 1024 * 1024;

export class AnswerWriter {
  readonly #clock: Clock;
  readonly #openWatch: WatchOpener;
  readonly #compresses: boolean;
  #unsentBytes = 0;

  /** @param compresses Whether large answers may be: upstream's gate APIResponseCompression. */
  constructor(clock: Clock, openWatch: WatchOpener, compresses = true) {
    this.#clock = clock;
    this.#openWatch = openWatch;
    this.#compresses = compresses;
  }

  /** A promise where the answer is large and not there in its form. @throws (or rejects with) why it cannot be made. */
  write(exchange: Exchange, request: ReceivedRequest, answer: Answer): MaybePromise<void> {
    const problem = formProblem(answer, request.accepted);
    if (problem !== undefined) {
      this.#writeStatus(exchange, request, problem);
      return;
    }
    switch (answer.kind) {
      case 'Object':
        return this.#writeObject(exchange, request, answer);
      case 'Status':
        this.#writeStatus(exchange, request, answer.status);
        break;
      case 'Value':
        return this.#writeValue(exchange, request, answer);
      case 'List':
        return this.#writeList(exchange, request, answer);
      case 'Watch':
        this.#openWatch(exchange, request, answer);
        break;
      case 'Document':
        this.#writeDocument(exchange, request, answer);
        break;
      case 'Stream':
        writeStream(exchange, request, answer);
        break;
      case 'Upgrade':
        this.#writeStatus(exchange, request, badRequest('Upgrade request required'));
        break;
    }
  }

  /** Its own headers win: what can be kept must not be told not to be. */
  #writeDocument(exchange: Exchange, request: ReceivedRequest, answer: DocumentAnswer): void {
    const { code, headers, body } = answer;
    const sizeBytes = body.byteLength;
    const length = code === NOT_MODIFIED ? {} : { 'content-length': sizeBytes };
    exchange.head(code, { ...answerHeaders(request), ...headers, ...length });
    endWhole(exchange, request, { code, bytes: body });
  }

  #writeObject(
    exchange: Exchange,
    request: ReceivedRequest,
    { served, object, code }: ObjectAnswer,
  ): MaybePromise<void> {
    const media = request.accepted ?? JSON_MEDIA;
    if (isStoredForm(served, media)) {
      this.#send(exchange, request, { code, media, bytes: lineOf(object) });
      return undefined;
    }
    const parts = objectParts({ served, object }, media, this.#nowFor(request));
    return this.#make(exchange, request, { code, media, parts, sizeBytes: sizeOf(object) });
  }

  #writeValue(
    exchange: Exchange,
    request: ReceivedRequest,
    answer: ValueAnswer,
  ): MaybePromise<void> {
    const media = request.accepted ?? JSON_MEDIA;
    const { code, json, served } = answer;
    if (json !== undefined && served !== undefined && isStoredForm(served, media)) {
      this.#send(exchange, request, { code, media, bytes: Buffer.concat([json, NEWLINE]) });
      return undefined;
    }
    const parts = valueParts(answer, media, this.#nowFor(request));
    const sizeBytes = json?.length ?? (isManyValues(answer.value) ? LARGE_BYTES : 0);
    return this.#make(exchange, request, { code, media, parts, sizeBytes });
  }

  /** Makes the bytes and sends them: at once, or a part in each turn of the event loop, as long as the client is there. */
  #make(
    exchange: Exchange,
    request: ReceivedRequest,
    { code, media, parts, sizeBytes }: ToMake,
  ): MaybePromise<void> {
    const startedAt = this.#clock.now();
    const making = whole(sizeBytes, whileOpen(exchange, parts));
    return andThen(this.#heldWhile(making, sizeBytes), (bytes) => {
      request.took('serialize-response-object', this.#clock.now() - startedAt);
      if (bytes === undefined) request.finish({ code, sizeBytes: 0 });
      else this.#send(exchange, request, { code, media, bytes });
    });
  }

  /** What is being made holds about as much as it is made from. */
  #heldWhile<Made>(making: MaybePromise<Made>, sizeBytes: number): MaybePromise<Made> {
    if (!(making instanceof Promise)) return making;
    this.#unsentBytes += sizeBytes;
    return making.finally(() => {
      this.#unsentBytes -= sizeBytes;
    });
  }

  /**
   * What ages are told from. In the past they are as of then: an object that was a minute old is
   * shown as a minute old, and the table of a moment is the same whenever it is asked for.
   */
  #nowFor({ momentTime }: ReceivedRequest): number {
    return momentTime ?? this.#clock.now();
  }

  #writeStatus(exchange: Exchange, request: ReceivedRequest, status: Status): void {
    const accepted = request.acceptance.status;
    const media = accepted ?? JSON_MEDIA;
    const seconds = status.details?.retryAfterSeconds;
    if (seconds !== undefined) request.responseHeaders['Retry-After'] = String(seconds);
    const bytes = statusBytes(status, accepted);
    this.#send(exchange, request, { code: status.code, media, bytes });
  }

  #writeList(exchange: Exchange, request: ReceivedRequest, answer: ListAnswer): MaybePromise<void> {
    const media = request.accepted ?? JSON_MEDIA;
    if (isStoredForm(answer.served, media)) {
      this.#writeStoredList(exchange, request, answer);
      return undefined;
    }
    if (this.#unsentBytes > UNSENT_BYTES_MAX) {
      const why = 'too many large answers wait for their clients to take them';
      this.#writeStatus(exchange, request, tooManyRequests(why, 1));
      return undefined;
    }
    const sizeBytes = bytesOfAll(answer.items);
    const parts = listInParts(answer, media, this.#nowFor(request));
    return this.#make(exchange, request, { code: 200, media, parts, sizeBytes });
  }

  #writeStoredList(exchange: Exchange, request: ReceivedRequest, answer: ListAnswer): void {
    const media = request.accepted ?? JSON_MEDIA;
    const timed = { clock: this.#clock, request };
    const stored = serialized(timed, () => new StoredList(answer));
    if (this.#isPulled(exchange, stored)) {
      pull(exchange, request, stored);
      return;
    }
    const chunks = serializedChunks(timed, stored.chunks());
    const first = chunks.next();
    if (first.done === true) return; // There is always a first: the frame of the list.
    const isFull = first.value.length === CHUNK_BYTES;
    if (isFull && stored.knownBytes === undefined) {
      // There may be no more than an end: to find that out would take as long again.
      this.#stream(exchange, request, media, rejoined([first.value], chunks));
      return;
    }
    const second = chunks.next();
    if (second.done === true) {
      this.#send(exchange, request, { code: 200, media, bytes: first.value });
      return;
    }
    this.#stream(exchange, request, media, rejoined([first.value, second.value], chunks));
  }

  /** Small enough to be sent whole. */
  #send(exchange: Exchange, request: ReceivedRequest, { code, media, bytes }: Whole): void {
    if (bytes.length > LARGE_BYTES) this.#holdUntilTaken(exchange, bytes.length);
    const contentType = CONTENT_TYPES[media.type];
    const sendWhole = (body: Buffer, others: AnswerHeaders): void => {
      // These stand first: behind a spread, Node 20 adds each key by a call of about 1 µs.
      exchange.head(code, {
        'content-type': contentType,
        'content-length': body.length,
        ...others,
      });
      endWhole(exchange, request, { code, bytes: body });
    };
    const headers = answerHeaders(request);
    if (!this.#compresses || !isWorthCompressing(exchange, bytes.length)) {
      sendWhole(bytes, headers);
      return;
    }
    headers['Vary'] = 'Accept-Encoding';
    const sendCompressed = async (): Promise<void> => {
      const small = await compressed(bytes);
      if (small !== undefined) headers['content-encoding'] = 'gzip';
      sendWhole(small ?? bytes, headers);
    };
    sendCompressed().catch(() => {
      // No caller on the stack could answer, so the client is cut off.
      exchange.abort();
      request.finish({ code, sizeBytes: 0 });
    });
  }

  #holdUntilTaken(exchange: Exchange, sizeBytes: number): void {
    this.#unsentBytes += sizeBytes;
    exchange.onClose(() => {
      this.#unsentBytes -= sizeBytes;
    });
  }

  /** Whether it is too large for one piece, and nothing is made of its bytes. */
  #isPulled(exchange: Exchange, { knownBytes: sizeBytes }: StoredList): boolean {
    if (exchange.endFrom === undefined || sizeBytes === undefined) return false;
    if (sizeBytes <= CHUNK_BYTES) return false;
    return !this.#compresses || !isWorthCompressing(exchange, sizeBytes);
  }

  /** Chunk by chunk, as fast as the client takes them, with room for others in between. */
  #stream(
    exchange: Exchange,
    request: ReceivedRequest,
    media: AcceptedMedia,
    chunks: Generator<Buffer>,
  ): void {
    const headers = answerHeaders(request);
    headers['content-type'] = CONTENT_TYPES[media.type];
    if (this.#compresses && isWorthCompressing(exchange, Number.POSITIVE_INFINITY)) {
      headers['Vary'] = 'Accept-Encoding';
      headers['content-encoding'] = 'gzip';
      exchange.head(200, headers);
      pipeOut(exchange, request, compressedStream(chunks));
      return;
    }
    exchange.head(200, headers);
    let sizeBytes = 0;
    let ended = false;
    const finish = (): void => {
      if (ended) return;
      ended = true;
      request.finish({ code: 200, sizeBytes });
    };
    exchange.onClose(finish);
    const goOn = (): void => {
      if (ended || exchange.closed) return;
      const next = nextOf(chunks);
      if (next === undefined) {
        exchange.abort();
        return;
      }
      if (next.done === true) {
        request.ending({ code: 200, sizeBytes });
        exchange.end();
        finish();
        return;
      }
      sizeBytes += next.value.length;
      if (exchange.write(next.value)) setImmediate(goOn);
    };
    exchange.onDrain(goOn);
    goOn();
  }
}

/** Made where it is sent from, as fast as the client takes it. */
function pull(exchange: Exchange, request: ReceivedRequest, list: StoredList): void {
  exchange.head(200, { 'content-type': CONTENT_TYPES.json, ...answerHeaders(request) });
  exchange.onClose(() => {
    request.finish({ code: 200, sizeBytes: list.movedBytes });
  });
  exchange.endFrom?.(list);
}

/** Bytes that are still to be made. */
interface ToMake {
  readonly code: number;
  readonly media: AcceptedMedia;
  readonly parts: Parts<Buffer>;
  /** Of what they are made from: those of a large object or list are made in turns. */
  readonly sizeBytes: number;
}

/** undefined: it cannot be made. The caller has no caller that would catch a throw. */
function nextOf(chunks: Generator<Buffer>): IteratorResult<Buffer> | undefined {
  try {
    return chunks.next();
  } catch {
    return undefined;
  }
}

/** Sends a stream as fast as the client takes it; a client that goes ends it. */
function pipeOut(exchange: Exchange, request: ReceivedRequest, stream: Readable): void {
  let sizeBytes = 0;
  exchange.onDrain(() => stream.resume());
  exchange.onClose(() => {
    stream.destroy();
    request.finish({ code: 200, sizeBytes });
  });
  stream.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (!exchange.write(chunk)) stream.pause();
  });
  stream.on('end', () => {
    request.ending({ code: 200, sizeBytes });
    exchange.end();
  });
  stream.on('error', () => {
    exchange.abort();
  });
}

/** An answer that is sent in one piece. */
interface Whole {
  readonly code: number;
  readonly media: AcceptedMedia;
  readonly bytes: Buffer;
}

/** A client that accepts nothing that there is gets it indented, as upstream writes it past its codecs. */
function statusBytes(status: Status, accepted: AcceptedMedia | undefined): Buffer {
  if (accepted === undefined) return Buffer.from(formatJson(status, 2));
  return encoded(status, STATUS_TYPE, accepted);
}

/** undefined: its client went away. */
function* whileOpen<Made>(exchange: Exchange, parts: Parts<Made>): Parts<Made | undefined> {
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) return part.value;
    if (exchange.closed) return undefined;
    yield;
  }
}

/** The answer when even writing it failed: if something was sent already, the client is cut off. */
export function writeFault(exchange: Exchange, error: unknown): void {
  if (exchange.headSent) {
    exchange.abort();
    return;
  }
  const bytes = encoded(internalError(error), STATUS_TYPE, JSON_MEDIA);
  exchange.head(500, { 'content-type': CONTENT_TYPES.json, 'content-length': bytes.length });
  exchange.end(bytes);
}

function* rejoined<T>(taken: readonly (T | undefined)[], rest: Iterator<T>): Generator<T> {
  for (const one of taken) if (one !== undefined) yield one;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}
