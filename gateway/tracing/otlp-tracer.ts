/**
 * Sends the spans of requests to a collector, by OTLP over HTTP, or over gRPC without TLS as
 * kube-apiserver does; the client of gRPC is the one that the rest of the server has. This file is loaded
 * where tracing is configured.
 *
 * In Kubernetes: NewProvider, component-base/tracing; in Go: otlptracegrpc.
 */
import { Agent } from 'node:http';

import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';

import type { Clock } from '../../api/meta/clock.ts';
import type { GrpcMethod } from '../../api/protobuf/wire-message.ts';
import { insecureClient, type InsecureClient } from '../outbound/grpc-clients.ts';
import type {
  RemoteSpan,
  RequestTracer,
  SpanBeginning,
} from '../../actors/tracing/request-tracer.ts';
import { TrustingAgent } from '../outbound/trusting-agent.ts';
import type { Collector } from './collector.ts';

const SENT = 0;
const FAILED = 1;
const TIMEOUT_MS = 10_000;

const EXPORT: GrpcMethod<Buffer, undefined> = {
  path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  encode: (question) => question,
  decode: () => undefined, // Which spans a collector did not take is of no use here.
};

interface ExportResult {
  readonly code: typeof SENT | typeof FAILED;
  readonly error?: Error;
}

/** Sends finished spans to a collector over gRPC. */
export class GrpcSpanExporter implements SpanExporter {
  readonly #client: InsecureClient;

  /** @param target as gRPC names it. */
  constructor(target: string, clock: Clock) {
    this.#client = insecureClient(target, clock);
  }

  /** By callback, as the library wants it; it never throws. */
  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    void this.#sent(spans).then(resultCallback);
  }

  async #sent(spans: ReadableSpan[]): Promise<ExportResult> {
    const message = ProtobufTraceSerializer.serializeRequest(spans);
    if (message === undefined) return { code: FAILED };
    try {
      await this.#client.call(EXPORT, Buffer.from(message), TIMEOUT_MS);
      return { code: SENT };
    } catch (error) {
      return { code: FAILED, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  shutdown(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }
}

export interface OtlpTracerOptions {
  readonly collector: Collector;
  /** Of traces that no caller has begun; 0: none. */
  readonly samplingRatePerMillion: number;
  /** What this server is called in traces, among those that serve the same. */
  readonly instance: string;
  readonly clock: Clock;
}

export interface OtlpTracer extends RequestTracer {
  /** Sends what is gathered. Settles in any case. */
  shutdown(): Promise<void>;
}

const MILLION = 1_000_000;

/** A tracer that sends its spans in batches. */
export function otlpTracer(options: OtlpTracerOptions): OtlpTracer {
  const { collector, samplingRatePerMillion, instance, clock } = options;
  const root =
    samplingRatePerMillion === 0
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(samplingRatePerMillion / MILLION);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'apiserver',
      'service.instance.id': instance,
    }),
    sampler: new ParentBasedSampler({ root }),
    spanProcessors: [new BatchSpanProcessor(exporterTo(collector, clock))],
  });
  const tracer = provider.getTracer('everwatch');
  return {
    begin(beginning) {
      const { name, startedAt: startTime, attributes } = beginning;
      const { context, links } = placeOf(beginning);
      const kind = SpanKind.SERVER;
      const span = tracer.startSpan(name, { startTime, attributes, kind, links }, context);
      return (code, sizeBytes, endedAt) => {
        span.setAttribute('http.response.status_code', code);
        span.setAttribute('http.response.body.size', sizeBytes);
        if (code >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(endedAt);
      };
    },
    async shutdown() {
      // A collector that is away must not keep the server from stopping.
      await provider.shutdown().catch(() => undefined);
    },
  };
}

function exporterTo(collector: Collector, clock: Clock): SpanExporter {
  if (collector.protocol === 'grpc') return new GrpcSpanExporter(collector.target, clock);
  return new OTLPTraceExporter({
    url: collector.url,
    httpAgentOptions: (protocol) =>
      protocol === 'https:'
        ? new TrustingAgent({ clock, keepAlive: true })
        : new Agent({ keepAlive: true }),
  });
}

function placeOf({ parent, trustsParent }: SpanBeginning): {
  readonly context: Context;
  readonly links: { readonly context: SpanContext }[];
} {
  if (parent === undefined) return { context: ROOT_CONTEXT, links: [] };
  const remote = spanContextOf(parent);
  return trustsParent
    ? { context: trace.setSpanContext(ROOT_CONTEXT, remote), links: [] }
    : { context: ROOT_CONTEXT, links: [{ context: remote }] };
}

function spanContextOf({ traceId, spanId, isSampled, state }: RemoteSpan): SpanContext {
  return {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...(state === '' ? {} : { traceState: createTraceState(state) }),
  };
}
