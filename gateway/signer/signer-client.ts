/**
 * Calls a signer of tokens over gRPC. This file is loaded where one is configured, as it needs the
 * package of gRPC.
 *
 * In Kubernetes: externaljwt/apis/v1/api.proto.
 */
import type {
  FetchedKeys,
  SignedHeader,
  SignerService,
} from '../../actors/authentication/service-accounts/external-signer.ts';
import {
  encodeWireMessage,
  type GrpcMethod,
  WireMessage,
} from '../../api/protobuf/wire-message.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { SignerCallError } from './signer-call-error.ts';
import { UnaryClient } from '../outbound/grpc-clients.ts';

const SERVICE = '/v1.ExternalJWTSigner';
const NANOSECONDS = 1_000_000_000;
/** From here on a number of 64 bits is a negative one. */
const NEGATIVE_FROM = 2 ** 63;

/** Signs claims, base64url; answers header and signature. */
export const SIGN: GrpcMethod<string, SignedHeader> = {
  path: `${SERVICE}/Sign`,
  encode: (claims) => encodeWireMessage({ 1: claims }),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { header: answer.text(1), signature: answer.text(2) };
  },
};

/** The public keys that tokens may be signed with. */
export const FETCH_KEYS: GrpcMethod<undefined, FetchedKeys> = {
  path: `${SERVICE}/FetchKeys`,
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    const keys = answer.messages(1).map((key) => ({
      id: key.text(1),
      key: key.bytes(2),
      isExcluded: key.number(3) !== 0,
    }));
    const at = answer.messages(2).at(-1);
    const timestampSeconds =
      at === undefined ? undefined : signed(at.number(1)) + at.number(2) / NANOSECONDS;
    return { keys, timestampSeconds, refreshSeconds: signed(answer.number(3)) };
  },
};

/** How long the signer's tokens may live, in seconds. */
export const METADATA: GrpcMethod<undefined, number> = {
  path: `${SERVICE}/Metadata`,
  encode: () => Buffer.alloc(0),
  decode: (bytes) => signed(new WireMessage(bytes).number(1)),
};

function signed(value: number): number {
  return value >= NEGATIVE_FROM ? Number(BigInt.asIntN(64, BigInt(value))) : value;
}

const TIMEOUT_MS = 60_000;
const METADATA_TIMEOUT_MS = 10_000;

/** A signer behind a unix socket. */
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
