/**
 * Asks a KMS plugin over gRPC, on a unix socket. A plugin that is not there is waited for until the
 * call's time is over, and the connection is made anew by itself.
 *
 * In Kubernetes: gRPCService, apiserver/pkg/storage/value/encrypt/envelope/kmsv2.
 */
import {
  Client,
  credentials,
  Metadata,
  status,
  type ClientUnaryCall,
  type ServiceError,
} from '@grpc/grpc-js';
import type { Clock } from '../../../api/meta/clock.ts';
import {
  KmsCallError,
  type KmsMeters,
  type KmsSealed,
  type KmsService,
  type KmsStatus,
} from '../../../streams/encryption/kms-service.ts';
import { DECRYPT, ENCRYPT, STATUS, type KmsMethod } from './kms-messages.ts';

export interface KmsClientParts {
  /** Of the provider, for the figures. */
  readonly name: string;
  /** Of the socket; `@name` is one that lies in no folder. */
  readonly path: string;
  /** For each call. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly meters: Pick<KmsMeters, 'called'>;
}

/** A plugin that comes back is met again this soon. */
const RECONNECT_MS = 1_000;
/** Go's names, which stand in messages and figures. */
const CODES: ReadonlyMap<number, string> = new Map([
  [status.CANCELLED, 'Canceled'],
  [status.UNKNOWN, 'Unknown'],
  [status.INVALID_ARGUMENT, 'InvalidArgument'],
  [status.DEADLINE_EXCEEDED, 'DeadlineExceeded'],
  [status.NOT_FOUND, 'NotFound'],
  [status.ALREADY_EXISTS, 'AlreadyExists'],
  [status.PERMISSION_DENIED, 'PermissionDenied'],
  [status.RESOURCE_EXHAUSTED, 'ResourceExhausted'],
  [status.FAILED_PRECONDITION, 'FailedPrecondition'],
  [status.ABORTED, 'Aborted'],
  [status.OUT_OF_RANGE, 'OutOfRange'],
  [status.UNIMPLEMENTED, 'Unimplemented'],
  [status.INTERNAL, 'Internal'],
  [status.UNAVAILABLE, 'Unavailable'],
  [status.DATA_LOSS, 'DataLoss'],
  [status.UNAUTHENTICATED, 'Unauthenticated'],
]);

export class KmsClient implements KmsService {
  readonly #parts: KmsClientParts;
  readonly #client: Client;

  constructor(parts: KmsClientParts) {
    this.#parts = parts;
    this.#client = new Client(targetOf(parts.path), credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
      // Two providers may ask one plugin; each has a connection that it closes.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.service_config_disable_resolution': 1,
      'grpc.enable_retries': 0,
    });
  }

  status(): Promise<KmsStatus> {
    return this.#call(STATUS, undefined);
  }

  encrypt(uid: string, plain: Uint8Array): Promise<KmsSealed> {
    return this.#call(ENCRYPT, { uid, plain });
  }

  decrypt(uid: string, sealed: KmsSealed): Promise<Buffer> {
    return this.#call(DECRYPT, { uid, sealed });
  }

  close(): void {
    this.#client.close();
  }

  #call<Question, Answer>(
    { path, encode, decode }: KmsMethod<Question, Answer>,
    question: Question,
  ): Promise<Answer> {
    const { clock, meters, name, timeoutMs } = this.#parts;
    const startedAt = clock.now();
    const metadata = new Metadata({ waitForReady: true });
    return new Promise((resolve, reject) => {
      let isLate = false;
      const end = (code: string): void => {
        cancelTimer();
        meters.called(name, path, code, clock.now() - startedAt);
      };
      const fail = (error: KmsCallError): void => {
        end(error.code);
        reject(error);
      };
      const answered = (error: ServiceError | null, answer?: Answer): void => {
        if (error !== null) {
          fail(isLate ? lateError() : callError(error));
        } else if (answer === undefined) {
          fail(new KmsCallError('Internal', 'the plugin answered nothing'));
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
        fail(new KmsCallError('Canceled', error instanceof Error ? error.message : String(error)));
      }
    });
  }
}

function lateError(): KmsCallError {
  return new KmsCallError('DeadlineExceeded', 'context deadline exceeded');
}

function targetOf(path: string): string {
  return `unix:${path.startsWith('@') ? `\0${path.slice(1)}` : path}`;
}

function callError(error: ServiceError): KmsCallError {
  const code = CODES.get(error.code) ?? `Code(${String(error.code)})`;
  return new KmsCallError(code, error.details, { cause: error });
}
