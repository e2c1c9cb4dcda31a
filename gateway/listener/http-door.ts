/** The door that one HTTP request came in by, and by which its answer leaves. */
import type { Readable } from 'node:stream';
import {
  badRequest,
  requestEntityTooLarge,
  tooManyRequests,
  type Status,
} from '../../api/meta/status.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { BodyRead, Door, ReceivedRequest } from '../../actors/request/request.ts';
import { writeFault, type AnswerWriter } from '../responses/answer-writer.ts';
import type { Exchange } from '../responses/exchange.ts';

export interface DoorParts {
  readonly writer: AnswerWriter;
  /** Told of an answer that could not be written. */
  readonly writeFailed: (error: unknown) => void;
}

export class HttpDoor implements Door {
  readonly #exchange: Exchange;
  readonly #parts: DoorParts;

  constructor(exchange: Exchange, parts: DoorParts) {
    this.#exchange = exchange;
    this.#parts = parts;
  }

  readBody(bytesMax: number): MaybePromise<BodyRead> {
    return andThen(this.#exchange.readBody(bytesMax), (read) =>
      read.kind === 'whole'
        ? { ok: true, bytes: read.bytes }
        : { ok: false, status: bodyProblem(read.kind, bytesMax) },
    );
  }

  bodyStream(): Readable | undefined {
    return this.#exchange.body;
  }

  whenGone(callback: () => void): void {
    this.#exchange.onClose(callback);
  }

  answer(request: ReceivedRequest, answer: Answer): void {
    const failed = (error: unknown): void => {
      this.#parts.writeFailed(error);
      this.#answerFault(error);
      request.finish({ code: 500, sizeBytes: 0 });
    };
    try {
      const written = this.#parts.writer.write(this.#exchange, request, answer);
      if (written instanceof Promise) written.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** The caller may be the fold, which a throw would end. */
  #answerFault(error: unknown): void {
    try {
      writeFault(this.#exchange, error);
    } catch {
      this.#exchange.abort();
    }
  }
}

function bodyProblem(kind: 'tooLarge' | 'tooMany' | 'brokenOff', bytesMax: number): Status {
  if (kind === 'tooLarge') return requestEntityTooLarge(`limit is ${String(bytesMax)}`);
  if (kind === 'tooMany') return tooManyRequests('too many bodies are being sent at once', 1);
  return badRequest('the body of the request broke off');
}
