/**
 * Sends spans by OTLP over gRPC, without TLS, as kube-apiserver does. OpenTelemetry writes the
 * messages, and the gRPC client is the one that the rest of the server has.
 *
 * In Go: otlptracegrpc.
 */
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../../api/meta/clock.ts';
import type { GrpcMethod } from '../../api/protobuf/grpc-method.ts';
import { insecureClient, type InsecureClient } from '../outbound/grpc-clients.ts';

const SENT = 0;
const FAILED = 1;
const TIMEOUT_MS = 10_000;

const EXPORT: GrpcMethod<Buffer, undefined> = {
  path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  encode: (question) => question,
  decode: () => undefined, // Which spans a collector did not take is of no use here.
};

export class GrpcSpanExporter implements SpanExporter {
  readonly #client: InsecureClient;

  /** @param target as gRPC names it. */
  constructor(target: string, clock: Clock) {
    this.#client = insecureClient(target, clock);
  }

  export(
    spans: ReadableSpan[],
    done: (result: { code: typeof SENT | typeof FAILED; error?: Error }) => void,
  ): void {
    const message = ProtobufTraceSerializer.serializeRequest(spans);
    if (message === undefined) {
      done({ code: FAILED });
      return;
    }
    this.#client.call(EXPORT, Buffer.from(message), TIMEOUT_MS).then(
      () => {
        done({ code: SENT });
      },
      (error: unknown) => {
        done({ code: FAILED, error: error instanceof Error ? error : new Error(String(error)) });
      },
    );
  }

  shutdown(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }
}
