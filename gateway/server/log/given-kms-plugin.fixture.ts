/** A KMS in memory behind a real server of gRPC, on a unix socket. */
import { type handleUnaryCall, Server, ServerCredentials, status } from '@grpc/grpc-js';

import { encodeWireMessage, WireMessage } from '../../../api/protobuf/wire-message.ts';
import { MemoryKms } from '../../../streams/encryption/given-kms.fixture.ts';

export type RawHandler = handleUnaryCall<Buffer, Buffer>;

/** Resolves when it listens. */
export async function rawPlugin(
  path: string,
  handlers: Readonly<Record<string, RawHandler>>,
): Promise<Server> {
  const server = new Server();
  const pass = (bytes: Buffer): Buffer => bytes;
  const definitions = Object.keys(handlers).map((name) => {
    const call = { requestStream: false as const, responseStream: false as const };
    const codecs = { requestSerialize: pass, requestDeserialize: pass };
    const answers = { responseSerialize: pass, responseDeserialize: pass };
    return [name, { path: `/v2.KeyManagementService/${name}`, ...call, ...codecs, ...answers }];
  });
  server.addService(
    Object.fromEntries(definitions) as Parameters<Server['addService']>[0], // As it was made.
    handlers,
  );
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  return server;
}

/** @param kms answers, and may be told to be down. */
export function givenPlugin(path: string, kms: MemoryKms = new MemoryKms()): Promise<Server> {
  const answer =
    (work: (question: WireMessage) => Promise<Buffer>): RawHandler =>
    ({ request }, done) => {
      work(new WireMessage(request)).then(
        (bytes) => {
          done(null, bytes);
        },
        (error: unknown) => {
          done({ code: status.UNAVAILABLE, details: String(error) });
        },
      );
    };
  return rawPlugin(path, {
    Status: answer(async () => {
      const { version, healthz, keyId } = await kms.status();
      return encodeWireMessage({ 1: version, 2: healthz, 3: keyId });
    }),
    Encrypt: answer(async (question) => {
      const sealed = await kms.encrypt(question.text(2), question.bytes(1));
      return encodeWireMessage({ 1: sealed.ciphertext, 2: sealed.keyId, 3: sealed.annotations });
    }),
    Decrypt: answer(async (question) => {
      const [ciphertext, annotations] = [question.bytes(1), question.map(4)];
      const sealed = { ciphertext, keyId: question.text(3), annotations };
      return encodeWireMessage({ 1: await kms.decrypt(question.text(2), sealed) });
    }),
  });
}
