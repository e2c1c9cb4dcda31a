/**
 * The messages of a KMS plugin on the wire.
 *
 * In Kubernetes: kms/apis/v2/api.proto.
 */
import type { KmsSealed, KmsStatus } from '../../../streams/encryption/kms-service.ts';
import { encodeMessage, WireMessage } from '../../../streams/encryption/protobuf-wire.ts';

/** One call: how what is asked is written, and what is answered is read. */
export interface KmsMethod<Question, Answer> {
  readonly path: string;
  readonly encode: (question: Question) => Buffer;
  /** @throws {MalformedMessageError} */
  readonly decode: (answer: Uint8Array) => Answer;
}

export interface EncryptQuestion {
  readonly uid: string;
  readonly plain: Uint8Array;
}

export interface DecryptQuestion {
  readonly uid: string;
  readonly sealed: KmsSealed;
}

export const STATUS: KmsMethod<undefined, KmsStatus> = {
  path: '/v2.KeyManagementService/Status',
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { version: answer.text(1), healthz: answer.text(2), keyId: answer.text(3) };
  },
};

export const ENCRYPT: KmsMethod<EncryptQuestion, KmsSealed> = {
  path: '/v2.KeyManagementService/Encrypt',
  encode: ({ uid, plain }) => encodeMessage({ 1: plain, 2: uid }),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { ciphertext: answer.bytes(1), keyId: answer.text(2), annotations: answer.map(3) };
  },
};

export const DECRYPT: KmsMethod<DecryptQuestion, Buffer> = {
  path: '/v2.KeyManagementService/Decrypt',
  encode: ({ uid, sealed: { ciphertext, keyId, annotations } }) =>
    encodeMessage({ 1: ciphertext, 2: uid, 3: keyId, 4: annotations }),
  decode: (bytes) => new WireMessage(bytes).bytes(1),
};
