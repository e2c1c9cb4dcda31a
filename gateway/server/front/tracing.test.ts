import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listAt, objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { readTracingConfiguration, startTracing } from './tracing.ts';

const CONFIGURATION = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration' };

describe('a tracing configuration', () => {
  it.each([
    [{}, { protocol: 'grpc', target: 'localhost:4317' }, 0],
    [
      { endpoint: 'collector:4317', samplingRatePerMillion: 100 },
      { protocol: 'grpc', target: 'collector:4317' },
      100,
    ],
    [{ endpoint: 'dns:///c:1' }, { protocol: 'grpc', target: 'dns:///c:1' }, 0],
    [{ endpoint: 'unix:///a' }, { protocol: 'grpc', target: 'unix:///a' }, 0],
    [{ endpoint: 'http://c:4318' }, { protocol: 'http', url: 'http://c:4318/v1/traces' }, 0],
    [
      { endpoint: 'https://c.example/otlp' },
      { protocol: 'http', url: 'https://c.example/otlp' },
      0,
    ],
  ])('%j sends spans to %j', (given, collector, samplingRatePerMillion) => {
    const read = readTracingConfiguration({ ...CONFIGURATION, ...given });
    expect(read).toEqual({ collector, samplingRatePerMillion });
  });

  it.each([
    [null, `unable to decode tracing configuration data: Object 'Kind' is missing in '{}'`],
    [{ ...CONFIGURATION, kind: 'Policy' }, 'no kind "Policy" is registered for version'],
    [{ ...CONFIGURATION, rate: 1 }, 'strict decoding error: unknown field "rate"'],
    [
      { ...CONFIGURATION, samplingRatePerMillion: -1 },
      'failed to validate tracing configuration: samplingRatePerMillion: Invalid value: -1: ' +
        'sampling rate must be positive',
    ],
    [
      { ...CONFIGURATION, samplingRatePerMillion: 1_000_001 },
      'sampling rate per million must be less than or equal to one million',
    ],
    [
      { ...CONFIGURATION, endpoint: 'ftp://a' },
      'endpoint: Invalid value: "ftp://a": unsupported scheme: ftp.  Options are none, dns, unix, ' +
        'or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md',
    ],
  ])('%j is refused', (given, why) => {
    expect(() => readTracingConfiguration(given)).toThrow(why);
  });
});

describe('spans', () => {
  it('come to the collector', async () => {
    const bodies: JsonObject[] = [];
    const collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(JSON.parse(Buffer.concat(chunks).toString()) as JsonObject);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-tracing-'));
    const file = join(folder, 'tracing.json');
    const endpoint = `http://127.0.0.1:${String(port)}`;
    writeFileSync(file, JSON.stringify({ ...CONFIGURATION, endpoint }));
    try {
      const { tracer, flush } = await startTracing({ tracingConfigFile: file });
      const parent = {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
        isSampled: true,
        state: '',
      };
      const span = { name: 'GET', startedAt: 1_000, attributes: { 'audit-id': 'a' }, parent };
      // Only clients that are trusted to can ask for samples.
      tracer?.begin({ ...span, trustsParent: false })(200, 1, 1_500);
      tracer?.begin({ ...span, trustsParent: true })(500, 7, 1_500);
      await flush();
      const [resource] = listAt(bodies[0], 'resourceSpans') as JsonObject[];
      const [scope] = listAt(resource, 'scopeSpans') as JsonObject[];
      const spans = listAt(scope, 'spans') as JsonObject[];
      expect(spans.map((one) => [stringAt(one, 'traceId'), stringAt(one, 'parentSpanId')])).toEqual(
        [[parent.traceId, parent.spanId]],
      );
      expect(objectAt(spans[0], 'status')).toEqual({ code: 2 });
      expect(JSON.stringify(spans[0])).toContain('"http.response.status_code"');
      expect(JSON.stringify(resource)).toContain('"apiserver"');
    } finally {
      collector.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
