/**
 * `/openapi/v2` and `/openapi/v3`. The documents of v3 are found by addresses that begin at the
 * root of the server, so in a fork or in the past they have that place in front.
 *
 * In Kubernetes: kube-openapi's handler and handler3.
 */
import { queryValue } from '../../api/meta/web-addresses.ts';
import { prefixOf } from '../../actors/request/request-info.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { IncomingHeaders } from '../../actors/request/request-line.ts';
import type { ReceivedRequest, RoutedRequest } from '../../actors/request/request.ts';
import {
  chooseOpenApiV2Form,
  chooseOpenApiV3Form,
  OPENAPI_JSON,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V3_PROTOBUF,
} from '../../projections/openapi/openapi-media-types.ts';
import { protobufOf } from '../../projections/openapi/openapi-v3-protobuf.ts';
import { isWorthCompressing } from '../responses/compression.ts';
import type { OpenApiBody, OpenApiDocuments } from '../../projections/openapi/openapi-view.ts';

const V3 = '/openapi/v3';
/** Upstream says no type of its index, and Go's server guesses this one from the first bytes. */
const UNNAMED = 'text/plain; charset=utf-8';
const ONE_YEAR_MS = 365 * 24 * 3_600_000;

/** @param view is asked for where the path is one of OpenAPI's. */
export function openApiRoute(
  view: () => OpenApiDocuments,
  request: RoutedRequest,
): Answer | Promise<Answer> | undefined {
  const { path } = request.info;
  if (path === '/openapi/v2') return v2(view(), request);
  if (path === V3) {
    return answer(request, view().v3Index(prefixOf(request.info)), UNNAMED);
  }
  if (path.startsWith(`${V3}/`)) return v3(view(), request, path.slice(V3.length + 1));
  return undefined;
}

function v2(view: OpenApiDocuments, request: ReceivedRequest): Answer | Promise<Answer> {
  const form = chooseOpenApiV2Form(String(request.headers['accept'] ?? ''));
  if (form === undefined) return NOT_ACCEPTABLE;
  const isProtobuf = form === 'protobuf';
  const contentType = isProtobuf ? OPENAPI_V2_PROTOBUF : OPENAPI_JSON;
  const body = isProtobuf ? view.v2Protobuf() : view.v2Json();
  if (!(body instanceof Promise)) return answer(request, body, contentType);
  return body.then((made) => answer(request, made, contentType));
}

/** Upstream's handlers say why by the code alone. */
const NOT_FOUND: Answer = { kind: 'Document', code: 404, headers: {}, body: Buffer.alloc(0) };
const NOT_ACCEPTABLE: Answer = {
  kind: 'Document',
  code: 406,
  headers: { Vary: 'Accept' },
  body: Buffer.alloc(0),
};

/** With the current hash in the address the document can be kept for ever. */
function v3(view: OpenApiDocuments, request: RoutedRequest, name: string): Answer {
  const json = view.v3(name);
  if (json === undefined) return NOT_FOUND;
  const form = chooseOpenApiV3Form(String(request.headers['accept'] ?? ''));
  if (form === undefined) return NOT_ACCEPTABLE;
  const hash = queryValue(request.query, 'hash');
  const isUnnamed = hash === undefined || hash === '';
  if (!isUnnamed && hash !== json.hash) {
    const headers = { Location: prefixOf(request.info) + (view.v3Address(name) ?? '') };
    return { kind: 'Document', code: 301, headers, body: Buffer.alloc(0) };
  }
  const kept = {
    'Cache-Control': 'public, immutable',
    Expires: new Date(request.receivedAt + ONE_YEAR_MS).toUTCString(),
  };
  const [body, contentType] =
    form === 'json' ? [json, OPENAPI_JSON] : [protobufOf(json), OPENAPI_V3_PROTOBUF];
  return answer(request, body, contentType, isUnnamed ? {} : kept);
}

/** Its dates count where no ETag is given, as in Go's http.ServeContent. */
function answer(
  { method, headers: asked, receivedAt }: ReceivedRequest,
  document: OpenApiBody,
  contentType: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const modified = document.servedSince(receivedAt);
  const kept = { ETag: document.etag, Vary: 'Accept', ...more };
  if (isKnown(asked, document.etag, modified)) {
    return { kind: 'Document', code: 304, headers: kept, body: Buffer.alloc(0) };
  }
  const headers: Record<string, string> = {
    ...kept,
    'Content-Type': contentType,
    'Last-Modified': new Date(modified * 1_000).toUTCString(),
  };
  const acceptEncoding = String(asked['accept-encoding'] ?? '');
  if (isWorthCompressing({ method, acceptEncoding }, document.bytes.byteLength)) {
    headers['Content-Encoding'] = 'gzip';
    return { kind: 'Document', code: 200, headers, body: document.gzipped() };
  }
  return { kind: 'Document', code: 200, headers, body: document.bytes };
}

function isKnown(asked: IncomingHeaders, etag: string, modified: number): boolean {
  const { 'if-none-match': known } = asked;
  if (known !== undefined && known !== '') return known === etag;
  const since = Date.parse(String(asked['if-modified-since'] ?? ''));
  return modified * 1_000 <= since;
}
