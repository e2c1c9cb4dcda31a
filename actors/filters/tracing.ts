/**
 * Tracing: a span for every request that is sampled, from when it came to its last byte. In the chain only where
 * spans are sent.
 *
 * The filter stands behind authentication, because not every user may decide that a trace is kept: only
 * the administrators' and the monitoring's own spans are gone on with. Of all others' a new trace
 * begins, which points to theirs.
 *
 * In Kubernetes: WithTracing, apiserver/pkg/endpoints/filters, around otelhttp.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { AuthenticatedRequest, RequestInfo, UserInfo } from '../request/request.ts';
import { parseTraceParent, type RequestTracer } from '../tracing/request-tracer.ts';

export interface TracingDependencies {
  readonly tracer: RequestTracer;
  readonly clock: Clock;
  readonly faults: Faults;
}

const TRUSTED: ReadonlySet<string> = new Set(['system:masters', 'system:monitoring']);
const AUDIT_ID_MAX = 64;

export function tracing(
  { tracer, clock, faults }: TracingDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticatedRequest> {
  return {
    name: 'tracing',

    receive(request) {
      const { headers, info, user, method } = request;
      const end = tracer.begin({
        name: spanName(method, info),
        startedAt: request.receivedAt,
        attributes: attributesOf(request),
        parent: parseTraceParent(
          String(headers['traceparent'] ?? ''),
          String(headers['tracestate'] ?? ''),
        ),
        trustsParent: isTrusted(user),
      });
      request.atTheEnd((_request, { code, sizeBytes }) => {
        end(code, sizeBytes, clock.now());
      });
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

function isTrusted({ groups }: UserInfo): boolean {
  return groups.some((group) => TRUSTED.has(group));
}

/** The same for all objects of a resource, so that there are not as many names as objects. */
function spanName(method: string, info: RequestInfo): string {
  if (!info.isResourceRequest) return method;
  const { apiPrefix, apiGroup, apiVersion, namespace, resource, name, subresource } = info;
  let path = `/${apiPrefix}`;
  if (apiGroup !== '') path += `/${apiGroup}`;
  path += `/${apiVersion}`;
  if (namespace !== '') path += '/namespaces/{:namespace}';
  path += `/${resource}`;
  if (name !== '') path += '/{:name}';
  if (subresource !== '') path += `/${subresource}`;
  return `${method} ${path}`;
}

function attributesOf(request: AuthenticatedRequest): Record<string, string | number> {
  const { method, path, query, headers, connection, auditID } = request;
  const attributes: Record<string, string | number> = {
    'http.request.method': method,
    'url.scheme': 'https',
    'url.path': path,
    'http.target': query === '' ? path : `${path}?${query}`,
    'network.peer.address': connection.remoteAddress,
    'client.address': clientOf(headers['x-forwarded-for']) || connection.remoteAddress,
    'audit-id': auditID.slice(0, AUDIT_ID_MAX),
  };
  const userAgent = headers['user-agent'];
  if (userAgent !== undefined) attributes['user_agent.original'] = String(userAgent);
  const host = headers['host'] ?? headers[':authority'];
  if (host !== undefined) Object.assign(attributes, serverOf(String(host)));
  return attributes;
}

function clientOf(forwardedFor: string | string[] | undefined): string {
  return (
    String(forwardedFor ?? '')
      .split(',', 1)[0]
      ?.trim() ?? ''
  );
}

const HOST = /^(.*?)(?::(\d{1,5}))?$/;

function serverOf(host: string): Record<string, string | number> {
  const [, address = host, port] = HOST.exec(host) ?? [];
  return {
    'server.address': address.replace(/^\[|\]$/g, ''),
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
  };
}
