/** What makes spans of requests. gateway/tracing has the one that sends them to a collector. */

export interface RequestTracer {
  /** Milliseconds since 1970. Must not throw. */
  begin(span: SpanBeginning): SpanEnd;
}

/** What is known of a span when it begins. */
export interface SpanBeginning {
  /** `GET /api/v1/namespaces/{:namespace}/pods/{:name}` */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** As OpenTelemetry names them. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Of the client; undefined: it said nothing that makes sense. */
  readonly parent: RemoteSpan | undefined;
  /** Whether the span goes on what its parent began. If not it begins anew, and points to it. */
  readonly trustsParent: boolean;
}

/** Must not throw. */
export type SpanEnd = (code: number, sizeBytes: number, endedAt: number) => void;

/** The span of the client, as the header `traceparent` names it. */
export interface RemoteSpan {
  /** 32 hexadecimal digits; `spanId` has 16. */
  readonly traceId: string;
  /** Sixteen hexadecimal digits. */
  readonly spanId: string;
  /** Whether the client's trace is exported, which ours then is too. */
  readonly isSampled: boolean;
  /** What the header `tracestate` says; '' for nothing. */
  readonly state: string;
}

const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const SAMPLED = 1;

/** In the words of W3C Trace Context; undefined where it is none. */
export function parseTraceParent(text: string, state = ''): RemoteSpan | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', more] =
    TRACE_PARENT.exec(text.trim()) ?? [];
  if (version === '' || version === 'ff' || (version === '00' && more !== undefined)) {
    return undefined;
  }
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, state };
}
