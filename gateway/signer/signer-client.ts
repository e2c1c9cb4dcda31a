/** Asks a signer of tokens over gRPC. This file is loaded where there is one. */
import type {
  FetchedKeys,
  SignedHeader,
  SignerService,
} from '../../actors/authentication/service-accounts/signer-service.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { SignerCallError } from './signer-call-error.ts';
import { UnaryClient } from '../outbound/grpc-clients.ts';
import { FETCH_KEYS, METADATA, SIGN } from './signer-messages.ts';

const TIMEOUT_MS = 60_000;
const METADATA_TIMEOUT_MS = 10_000;

export class SignerClient implements SignerService {
  readonly #client: UnaryClient;

  /** @param path of the socket; `@name` is one that lies in no folder. */
  constructor(
    path: string,
    clock: Clock,
    called: (method: string, code: string, durationMs: number) => void,
  ) {
    const failure = (code: string, details: string, options?: ErrorOptions): Error =>
      new SignerCallError(code, details, options);
    this.#client = new UnaryClient({ path, clock, called, failure });
  }

  sign(claims: string): Promise<SignedHeader> {
    return this.#client.call(SIGN, claims, TIMEOUT_MS);
  }

  fetchKeys(): Promise<FetchedKeys> {
    return this.#client.call(FETCH_KEYS, undefined, TIMEOUT_MS);
  }

  maxTokenSeconds(): Promise<number> {
    return this.#client.call(METADATA, undefined, METADATA_TIMEOUT_MS);
  }

  close(): void {
    this.#client.close();
  }
}
