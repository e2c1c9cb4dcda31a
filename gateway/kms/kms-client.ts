/**
 * Asks a KMS plugin over gRPC, on a unix socket. A plugin that is not there is waited for until the
 * call's time is over, and the connection is made anew by itself.
 *
 * In Kubernetes: gRPCService, apiserver/pkg/storage/value/encrypt/envelope/kmsv2.
 */
import type { Clock } from '../../api/meta/clock.ts';
import {
  KmsCallError,
  type KmsMeters,
  type KmsSealed,
  type KmsService,
  type KmsStatus,
} from '../../streams/encryption/kms-service.ts';
import { UnaryClient } from '../outbound/grpc/unary-client.ts';
import { DECRYPT, ENCRYPT, STATUS } from './kms-messages.ts';

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

export class KmsClient implements KmsService {
  readonly #timeoutMs: number;
  readonly #client: UnaryClient;

  constructor({ name, path, timeoutMs, clock, meters }: KmsClientParts) {
    this.#timeoutMs = timeoutMs;
    this.#client = new UnaryClient({
      path,
      clock,
      called: (method, code, durationMs) => {
        meters.called(name, method, code, durationMs);
      },
      failure: (code, details, options) => new KmsCallError(code, details, options),
    });
  }

  status(): Promise<KmsStatus> {
    return this.#client.call(STATUS, undefined, this.#timeoutMs);
  }

  encrypt(uid: string, plain: Uint8Array): Promise<KmsSealed> {
    return this.#client.call(ENCRYPT, { uid, plain }, this.#timeoutMs);
  }

  decrypt(uid: string, sealed: KmsSealed): Promise<Buffer> {
    return this.#client.call(DECRYPT, { uid, sealed }, this.#timeoutMs);
  }

  close(): void {
    this.#client.close();
  }
}
