/** Spans that a server of gRPC takes, which reads their bytes as the protocol has them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, status, type ServiceDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { otlpTracer } from './otlp-tracer.ts';

const folder = mkdtempSync(join(tmpdir(), 'spans-'));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** As opentelemetry/proto/trace/v1/trace.proto numbers what is looked at. */
const REQUEST = protobuf
  .parse(
    `syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message KeyValue { string key = 1; Value value = 2; }
  message Value { string string_value = 1; int64 int_value = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
  }`,
  )
  .root.lookupType('Request');

const SERVICE: ServiceDefinition = {
  Export: {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
};

interface Attribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

interface Received {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly parentSpanId: string;
        readonly name: string;
        readonly startTimeUnixNano: string;
        readonly attributes: readonly Attribute[];
      }[];
    }[];
  }[];
}

async function collector(address: string, code = status.OK) {
  const received: Received[] = [];
  const server = new Server();
  servers.push(server);
  server.addService(SERVICE, {
    Export: (
      { request }: { request: Buffer },
      answer: (error: { code: status } | null, bytes?: Buffer) => void,
    ) => {
      const shown = REQUEST.toObject(REQUEST.decode(request), { bytes: String, longs: String });
      received.push(shown as Received);
      answer(code === status.OK ? null : { code }, Buffer.alloc(0));
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { received, port };
}

const STARTED_AT = Date.UTC(2026, 10, 21);
const PARENT = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  isSampled: true,
  state: '',
};

async function sendTo(target: string): Promise<void> {
  const tracer = otlpTracer({
    collector: { protocol: 'grpc', target },
    samplingRatePerMillion: 0,
    instance: 'one',
    clock: testClock(Date.now()),
  });
  const attributes = { 'audit-id': 'a' };
  const span = { name: 'GET /x', startedAt: STARTED_AT, attributes, parent: PARENT };
  tracer.begin({ ...span, trustsParent: true })(200, 7, STARTED_AT + 500);
  await tracer.shutdown();
}

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

describe('a collector of OTLP over gRPC', () => {
  it('gets the spans, with the resource and the attributes that they have', async () => {
    const { received, port } = await collector('127.0.0.1:0');
    await sendTo(`127.0.0.1:${String(port)}`);
    expect(received).toHaveLength(1);
    const [{ resource, scopeSpans } = { resource: undefined, scopeSpans: [] }] =
      received[0]?.resourceSpans ?? [];
    expect(resource?.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'apiserver' },
    });
    const [span] = scopeSpans[0]?.spans ?? [];
    expect(hexOf(span?.traceId ?? '')).toBe(PARENT.traceId);
    expect(hexOf(span?.parentSpanId ?? '')).toBe(PARENT.spanId);
    expect([span?.name, span?.startTimeUnixNano]).toEqual([
      'GET /x',
      `${String(STARTED_AT)}000000`,
    ]);
    expect(span?.attributes).toContainEqual({ key: 'audit-id', value: { stringValue: 'a' } });
  });

  it('is reached on a socket too', async () => {
    const path = join(folder, 'collector.sock');
    const { received } = await collector(`unix:${path}`);
    await sendTo(`unix://${path}`);
    expect(received).toHaveLength(1);
  });

  it('does not keep the server from stopping where it is away or refuses', async () => {
    await sendTo('127.0.0.1:1');
    const { received, port } = await collector('127.0.0.1:0', status.UNAVAILABLE);
    await sendTo(`127.0.0.1:${String(port)}`);
    expect(received).toHaveLength(1);
  });
});
