/**
 * Sends the spans of requests to a collector, by OTLP over gRPC or HTTP. It is loaded where tracing is
 * configured and nowhere else.
 *
 * In Kubernetes: NewProvider, component-base/tracing.
 */
import { Agent } from 'node:http';
import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../../api/meta/clock.ts';
import type {
  RemoteSpan,
  RequestTracer,
  SpanBeginning,
} from '../../actors/tracing/request-tracer.ts';
import { TrustingAgent } from '../outbound/trusting-agent.ts';
import type { Collector } from './collector.ts';
import { GrpcSpanExporter } from './grpc-span-exporter.ts';

export interface OtlpTracerOptions {
  readonly collector: Collector;
  /** Of traces that nobody began before us; 0: none. */
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
