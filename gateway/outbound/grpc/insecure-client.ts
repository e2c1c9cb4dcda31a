/** A client of gRPC without TLS, at any place that gRPC can name. */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../../api/meta/clock.ts';
import type { GrpcMethod } from './grpc-method.ts';
import { unixClient } from './unix-client.ts';

export interface InsecureClient {
  /** Fails at once while nothing listens there. @throws the error of gRPC. */
  call<Question, Answer>(
    method: GrpcMethod<Question, Answer>,
    question: Question,
    timeoutMs: number,
  ): Promise<Answer>;
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
