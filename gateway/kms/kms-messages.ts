/**
 * The messages of a KMS plugin on the wire.
 *
 * In Kubernetes: kms/apis/v2/api.proto.
 */
import { encodeWireMessage, WireMessage } from '../../api/protobuf/wire-message.ts';
import type { KmsSealed, KmsStatus } from '../../streams/encryption/kms-service.ts';
import type { GrpcMethod } from '../outbound/grpc/grpc-method.ts';

export interface EncryptQuestion {
  readonly uid: string;
  readonly plain: Uint8Array;
}

export interface DecryptQuestion {
  readonly uid: string;
  readonly sealed: KmsSealed;
}

export const STATUS: GrpcMethod<undefined, KmsStatus> = {
  path: '/v2.KeyManagementService/Status',
  encode: () => Buffer.alloc(0),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { version: answer.text(1), healthz: answer.text(2), keyId: answer.text(3) };
  },
};

export const ENCRYPT: GrpcMethod<EncryptQuestion, KmsSealed> = {
  path: '/v2.KeyManagementService/Encrypt',
  encode: ({ uid, plain }) => encodeWireMessage({ 1: plain, 2: uid }),
  decode(bytes) {
    const answer = new WireMessage(bytes);
    return { ciphertext: answer.bytes(1), keyId: answer.text(2), annotations: answer.map(3) };
  },
};

export const DECRYPT: GrpcMethod<DecryptQuestion, Buffer> = {
  path: '/v2.KeyManagementService/Decrypt',
  encode: ({ uid, sealed: { ciphertext, keyId, annotations } }) =>
    encodeWireMessage({ 1: ciphertext, 2: uid, 3: keyId, 4: annotations }),
  decode: (bytes) => new WireMessage(bytes).bytes(1),
};
