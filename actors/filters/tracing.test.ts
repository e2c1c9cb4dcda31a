import { describe, expect, it } from 'vitest';
import {
  givenAuthenticated,
  testClock,
  testFaults,
  sendThrough,
} from '../request/given.fixture.ts';
import { parseTraceParent, type SpanBeginning } from '../tracing/request-tracer.ts';
import { tracing } from './tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PARENT = `00-${TRACE}-${SPAN}-01`;

function traced(url: string, groups: string[] = [], headers: Record<string, string> = {}) {
  const asked = givenAuthenticated({ url, headers }, { groups });
  asked.request.received(5);
  asked.request.auditedAs('i'.repeat(100));
  const spans: SpanBeginning[] = [];
  const ends: number[][] = [];
  const tracer = {
    begin(span: SpanBeginning) {
      spans.push(span);
      return (...end: number[]): void => void ends.push(end);
    },
  };
  const tools = { tracer, clock: testClock(1_000), faults: testFaults() };
  const { passedOn } = sendThrough(asked, (next) => tracing(tools, next));
  asked.request.finish({ code: 200, sizeBytes: 7 });
  return { span: spans[0], ends, passedOn };
}

describe('tracing', () => {
  it('makes a span of a request, from when it came to its last byte', () => {
    const headers = {
      'user-agent': 'kubectl',
      host: '[::1]:6443',
      'x-forwarded-for': '203.0.113.7',
    };
    const { span, ends, passedOn } = traced('/api/v1/namespaces/n/pods/a/log?x=1', [], headers);
    expect(passedOn).toHaveLength(1);
    expect(span).toEqual({
      name: 'GET /api/v1/namespaces/{:namespace}/pods/{:name}/log',
      startedAt: 5,
      attributes: {
        'http.request.method': 'GET',
        'url.scheme': 'https',
        'url.path': '/api/v1/namespaces/n/pods/a/log',
        'http.target': '/api/v1/namespaces/n/pods/a/log?x=1',
        'network.peer.address': '192.0.2.1',
        'client.address': '203.0.113.7',
        'audit-id': 'i'.repeat(64),
        'user_agent.original': 'kubectl',
        'server.address': '::1',
        'server.port': 6443,
      },
      parent: undefined,
      trustsParent: false,
    });
    expect(ends).toEqual([[200, 7, 1_000]]);
  });

  it.each([
    ['/apis/apps/v1/deployments', 'GET /apis/apps/v1/deployments'],
    ['/version', 'GET'],
  ])('calls %s %s', (url, name) => {
    expect(traced(url).span?.name).toBe(name);
  });

  it('goes on with the spans of administrators and of the monitoring alone', () => {
    const headers = { traceparent: PARENT, tracestate: 'a=b' };
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: true, state: 'a=b' };
    for (const [groups, trustsParent] of [
      [['system:masters'], true],
      [['system:monitoring'], true],
      [['system:authenticated'], false],
    ] as [string[], boolean][]) {
      expect(traced('/api/v1/pods', groups, headers).span).toMatchObject({ parent, trustsParent });
    }
  });
});

describe('parseTraceParent', () => {
  it.each([
    '',
    'x',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ])('takes %j for none', (text) => {
    expect(parseTraceParent(text)).toBeUndefined();
  });

  it('reads what later versions add', () => {
    expect(parseTraceParent(`01-${TRACE}-${SPAN}-02-more`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: false,
      state: '',
    });
  });
});
