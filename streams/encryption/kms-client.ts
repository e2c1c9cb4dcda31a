/**
 * A KMS plugin, by its three methods. The client of gRPC is handed in, as the one that other plugins of
 * the server are called with too: this file only knows the messages and their fields' numbers.
 *
 * In Kubernetes: gRPCService, apiserver/pkg/storage/value/encrypt/envelope/kmsv2; kms/apis/v2/api.proto.
 */
import {
  encodeWireMessage,
  type GrpcMethod,
  WireMessage,
} from '../../api/protobuf/wire-message.ts';
import type { KmsSealed, KmsService, KmsStatus } from './kms-service.ts';

/** A connection to one plugin. */
export interface KmsCaller {
  /** @throws KmsCallError where there is no answer within the time. */
  call<Question, Answer>(
    method: GrpcMethod<Question, Answer>,
    question: Question,
    timeoutMs: number,
  ): Promise<Answer>;
  /** Ends the connection; calls under way are rejected. */
  close(): void;
}

/** What a plugin is asked to encrypt. */
interface EncryptQuestion {
  /** Of the request, for the plugin's log. */
  readonly uid: string;
  readonly plain: Uint8Array;
}

/** What a plugin is asked to decrypt. */
interface DecryptQuestion {
  /** Of the request, for the plugin's log. */
  readonly uid: string;
  readonly sealed: KmsSealed;
}

/** How the plugin is, and with which key it encrypts. */
export const STATUS: GrpcMethod<undefined, KmsStatus> = {
  path: '/v2.KeyManagementService/Status',
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { version: answer.text(1), healthz: answer.text(2), keyId: answer.text(3) };
  },
};

/** Encrypts with the key of now. */
export const ENCRYPT: GrpcMethod<EncryptQuestion, KmsSealed> = {
  path: '/v2.KeyManagementService/Encrypt',
  encode: ({ uid, plain }) => encodeWireMessage({ 1: plain, 2: uid }),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { ciphertext: answer.bytes(1), keyId: answer.text(2), annotations: answer.map(3) };
  },
};

/** Decrypts with the key that is named with the ciphertext. */
export const DECRYPT: GrpcMethod<DecryptQuestion, Buffer> = {
  path: '/v2.KeyManagementService/Decrypt',
  encode: ({ uid, sealed: { ciphertext, keyId, annotations } }) =>
    encodeWireMessage({ 1: ciphertext, 2: uid, 3: keyId, 4: annotations }),
  decode: (bytes) => new WireMessage(bytes).bytes(1),
};

/** The plugin behind a connection. */
export class KmsClient implements KmsService {
  readonly #caller: KmsCaller;
  readonly #timeoutMs: number;

  /** @param timeoutMs of each call. */
  constructor(caller: KmsCaller, timeoutMs: number) {
    this.#caller = caller;
    this.#timeoutMs = timeoutMs;
  }

  status(): Promise<KmsStatus> {
    return this.#caller.call(STATUS, undefined, this.#timeoutMs);
  }

  encrypt(uid: string, plain: Uint8Array): Promise<KmsSealed> {
    return this.#caller.call(ENCRYPT, { uid, plain }, this.#timeoutMs);
  }

  decrypt(uid: string, sealed: KmsSealed): Promise<Buffer> {
    return this.#caller.call(DECRYPT, { uid, sealed }, this.#timeoutMs);
  }

  close(): void {
    this.#caller.close();
  }
}
