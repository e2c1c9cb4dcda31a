/**
 * Clients of gRPC without TLS: for plugins on unix sockets (KMS, external signers), of which
 * each call waits for a plugin that is not there yet, and for collectors of spans at any address.
 */
import {
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type requestCallback,
  type ServiceError,
} from '@grpc/grpc-js';
import type { Clock } from '../../api/meta/clock.ts';
import type { GrpcMethod } from '../../api/protobuf/wire-message.ts';
import { grpcCodeName } from './grpc-codes.ts';

/** From a connection that broke to the next attempt. */
const RECONNECT_MS = 1_000;

/**
 * A connection of its own, which is made anew by itself.
 *
 * @param path of the socket; `@name` is one that lies in no folder.
 */
function unixClient(path: string): Client {
  const target = `unix:${path.startsWith('@') ? `\0${path.slice(1)}` : path}`;
  return new Client(target, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
    // Two clients of one socket each have a connection, which they close.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_retries': 0,
  });
}

interface UnaryClientParts {
  /** Of the socket; `@name` is one that lies in no folder. */
  readonly path: string;
  readonly clock: Clock;
  /** @param code as Go calls it, `DeadlineExceeded`; or `OK`. */
  readonly called: (method: string, code: string, durationMs: number) => void;
  /** What is thrown where there is no answer. */
  readonly failure: (code: string, details: string, options?: ErrorOptions) => Error;
}

/** Calls methods at a unix socket, and waits for a server that is not there until the call's time is over. */
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

/** A client that does not wait for a server. */
export interface InsecureClient {
  /** Fails at once while nothing listens there. @throws the error of gRPC. */
  call<Question, Answer>(
    method: GrpcMethod<Question, Answer>,
    question: Question,
    timeoutMs: number,
  ): Promise<Answer>;
  /** Ends its connection; calls under way fail. */
  close(): void;
}

/** @param target `host:port`, `dns:///host:port`, `unix:///path`, `unix-abstract://name` */
export function insecureClient(target: string, clock: Clock): InsecureClient {
  const client = clientAt(target);
  return {
    call: ({ path, encode, decode }, question, timeoutMs) =>
      new Promise((resolve, reject) => {
        const deadline = { deadline: clock.now() + timeoutMs };
        const answered = (error: Error | null, answer?: Uint8Array): void => {
          if (error !== null) reject(error);
          else resolve(decode(answer ?? new Uint8Array()));
        };
        const read = (bytes: Buffer): Uint8Array => bytes;
        client.makeUnaryRequest(path, encode, read, question, new Metadata(), deadline, answered);
      }),
    close() {
      client.close();
    },
  };
}

function clientAt(target: string): Client {
  const [, scheme, rest = ''] = /^(unix|unix-abstract):(?:\/\/)?(.*)$/.exec(target) ?? [];
  if (scheme !== undefined) return unixClient(scheme === 'unix' ? rest : `@${rest}`);
  return new Client(target, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
  });
}
