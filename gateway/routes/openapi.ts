/**
 * `/openapi/v2` and `/openapi/v3`. The documents of v3 are found by addresses that begin at the
 * root of the server, so in a fork or in the past they have that place in front.
 *
 * In Kubernetes: kube-openapi's handler and handler3.
 */
import { queryValue } from '../../api/meta/url-query.ts';
import { prefixOf } from '../../actors/request-place.ts';
import type { Answer } from '../../actors/answer.ts';
import type { ReceivedRequest, RoutedRequest } from '../../actors/request.ts';
import {
  chooseOpenApiV2Form,
  OPENAPI_JSON,
  OPENAPI_V2_PROTOBUF,
} from '../../projections/openapi/openapi-media-types.ts';
import { isWorthCompressing } from '../outbound/compression.ts';
import type { OpenApiBody, OpenApiDocuments } from '../../projections/openapi/openapi-view.ts';

const V3 = '/openapi/v3';
const ONE_YEAR_MS = 365 * 24 * 3_600_000;

/** @param view is asked for where the path is one of OpenAPI's. */
export function openApiRoute(
  view: () => OpenApiDocuments,
  request: RoutedRequest,
): Answer | Promise<Answer> | undefined {
  const { path } = request.info;
  if (path === '/openapi/v2') return v2(view(), request);
  if (path === V3) {
    return answer(request, view().v3Index(prefixOf(request.info)), OPENAPI_JSON);
  }
  if (path.startsWith(`${V3}/`)) return v3(view(), request, path.slice(V3.length + 1));
  return undefined;
}

function v2(view: OpenApiDocuments, request: ReceivedRequest): Answer | Promise<Answer> {
  const form = chooseOpenApiV2Form(String(request.headers['accept'] ?? ''));
  if (form === undefined) return nothing(406);
  const isProtobuf = form === 'protobuf';
  const contentType = isProtobuf ? OPENAPI_V2_PROTOBUF : OPENAPI_JSON;
  const body = isProtobuf ? view.v2Protobuf() : view.v2Json();
  if (!(body instanceof Promise)) return answer(request, body, contentType);
  return body.then((made) => answer(request, made, contentType));
}

/** Upstream's handlers say why by the code alone. */
function nothing(code: number): Answer {
  return { kind: 'Document', code, headers: {}, body: Buffer.alloc(0) };
}

/** With the current hash in the address the document can be kept for ever. */
function v3(view: OpenApiDocuments, request: RoutedRequest, name: string): Answer {
  const body = view.v3(name);
  if (body === undefined) return nothing(404);
  const hash = queryValue(request.query, 'hash');
  if (hash === undefined || hash === '') return answer(request, body, OPENAPI_JSON);
  if (hash !== body.hash) {
    const headers = { Location: prefixOf(request.info) + (view.v3Address(name) ?? '') };
    return { kind: 'Document', code: 301, headers, body: Buffer.alloc(0) };
  }
  return answer(request, body, OPENAPI_JSON, {
    'Cache-Control': 'public, immutable',
    Expires: new Date(request.receivedAt + ONE_YEAR_MS).toUTCString(),
  });
}

function answer(
  { method, headers: asked }: ReceivedRequest,
  document: OpenApiBody,
  contentType: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const headers: Record<string, string> = {
    'Content-Type': contentType,
    ETag: document.etag,
    Vary: 'Accept',
    ...more,
  };
  if (asked['if-none-match'] === document.etag) {
    return { kind: 'Document', code: 304, headers, body: Buffer.alloc(0) };
  }
  const acceptEncoding = String(asked['accept-encoding'] ?? '');
  if (isWorthCompressing({ method, acceptEncoding }, document.bytes.byteLength)) {
    headers['Content-Encoding'] = 'gzip';
    return { kind: 'Document', code: 200, headers, body: document.gzipped() };
  }
  return { kind: 'Document', code: 200, headers, body: document.bytes };
}
