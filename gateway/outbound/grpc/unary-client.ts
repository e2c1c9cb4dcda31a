/**
 * Asks over gRPC, on a unix socket, one question at a time with one answer each. Who is not there is
 * waited for until the call's time is over, and the connection is made anew by itself.
 */
import {
  Metadata,
  type Client,
  type ClientUnaryCall,
  type requestCallback,
  type ServiceError,
} from '@grpc/grpc-js';
import type { Clock } from '../../../api/meta/clock.ts';
import { grpcCodeName } from './grpc-codes.ts';
import type { GrpcMethod } from './grpc-method.ts';
import { unixClient } from './unix-client.ts';

export interface UnaryClientParts {
  /** Of the socket; `@name` is one that lies in no folder. */
  readonly path: string;
  readonly clock: Clock;
  /** @param code as Go calls it, `DeadlineExceeded`; or `OK`. */
  readonly called: (method: string, code: string, durationMs: number) => void;
  /** What is thrown where there is no answer. */
  readonly failure: (code: string, details: string, options?: ErrorOptions) => Error;
}

export class UnaryClient {
  readonly #parts: UnaryClientParts;
  readonly #client: Client;

  constructor(parts: UnaryClientParts) {
    this.#parts = parts;
    this.#client = unixClient(parts.path);
  }

  close(): void {
    this.#client.close();
  }

  /** @throws what `failure` makes. */
  call<Question, Answer>(
    { path, encode, decode }: GrpcMethod<Question, Answer>,
    question: Question,
    timeoutMs: number,
  ): Promise<Answer> {
    const { clock, called, failure } = this.#parts;
    const startedAt = clock.now();
    const metadata = new Metadata({ waitForReady: true });
    return new Promise((resolve, reject) => {
      let isLate = false;
      const end = (code: string): void => {
        cancelTimer();
        called(path, code, clock.now() - startedAt);
      };
      const fail = (code: string, details: string, cause?: Error): void => {
        end(code);
        reject(failure(code, details, { cause }));
      };
      const answered: requestCallback<Answer> = (error: ServiceError | null, answer) => {
        if (error !== null && isLate) {
          fail('DeadlineExceeded', 'context deadline exceeded');
        } else if (error !== null) {
          fail(grpcCodeName(error.code), error.details, error);
        } else if (answer === undefined) {
          fail('Internal', 'the plugin answered nothing');
        } else {
          end('OK');
          resolve(answer);
        }
      };
      // A deadline of gRPC's own would be reckoned in another time than ours.
      const cancelTimer = clock.after(timeoutMs, () => {
        isLate = true;
        call?.cancel();
      });
      let call: ClientUnaryCall | undefined;
      try {
        call = this.#client.makeUnaryRequest(path, encode, decode, question, metadata, answered);
      } catch (error) {
        // It is closed.
        fail('Canceled', error instanceof Error ? error.message : String(error));
      }
    });
  }
}
