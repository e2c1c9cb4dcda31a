/**
 * HTTP that is passed on to a backend: the request with its body, and the answer as it comes, as fast as
 * either end takes it. No redirect is followed.
 *
 * In Kubernetes: UpgradeAwareHandler.ServeHTTP, apimachinery/pkg/util/proxy; LocationStreamer,
 * apiserver/pkg/registry/generic/rest.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { Backend } from '../../actors/connect/node-connections.ts';
import {
  badRequest,
  serviceUnavailable,
  type Status,
  unclassifiedFailure,
} from '../../api/meta/status.ts';
import { goProblem } from '../outbound/go-http-problem.ts';
import { AddressNotAllowedError, type BackendRequests, escapedPath } from './backend-requests.ts';
import { LinkRewriter, type PagePlace, rewrittenLink } from './link-rewriting.ts';
import { headersForBackend, headersForClient, hostOf, type RawHeaders } from './passed-headers.ts';

/** Passes on what is no upgrade. */
export async function proxyPlainly(
  requests: BackendRequests,
  request: AuthenticatedRequest,
  to: Backend,
): Promise<Answer> {
  const asked = askedPath(request);
  const path = asked.endsWith('/') && !to.path.endsWith('/') ? `${to.path}/` : to.path;
  if (path === '' && (request.method === 'GET' || request.method === 'HEAD')) {
    return redirectedBelow(request, asked);
  }
  const prefix = prefixOf(asked, to.path);
  const headers = headersForBackend(request, false);
  headers.push('X-Forwarded-Uri', posix.join(prefix, escapedPath(path)));
  let response: IncomingMessage;
  try {
    response = await exchanged(requests, request, { ...to, path }, headers);
  } catch (error) {
    return statusAnswer(proxyProblem(error));
  }
  const backend = to.port === '' ? to.host : `${bracketed(to.host)}:${to.port}`;
  return passedOn(request, response, { prefix, backend, asked: hostOf(request) });
}

/** Below which path the client sees the backend. */
function prefixOf(asked: string, below: string): string {
  const suffix = asked.endsWith('/') && !below.endsWith('/') ? `${below}/` : below;
  return asked.endsWith(suffix) ? asked.slice(0, asked.length - suffix.length) : asked;
}

function askedPath({ info }: AuthenticatedRequest): string {
  return info.path;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Links of a page without a slash at its end would lead to beside it. */
function redirectedBelow({ query }: AuthenticatedRequest, asked: string): Answer {
  const location = `${escapedPath(asked)}/${query === '' ? '' : `?${query}`}`;
  return { kind: 'Document', code: 301, headers: { Location: location }, body: Buffer.alloc(0) };
}

/** Why a backend has not answered. */
function proxyProblem(error: unknown): Status {
  if (error instanceof AddressNotAllowedError) return badRequest(error.message);
  return serviceUnavailable(`error trying to reach service: ${goProblem(error)}`);
}

/** The head of the answer. @throws what came in the way. */
async function exchanged(
  requests: BackendRequests,
  request: AuthenticatedRequest,
  to: Backend,
  headers: RawHeaders,
): Promise<IncomingMessage> {
  const body = request.bodyStream();
  const { method } = request;
  const sent = await requests.open(to, {
    method,
    headers: [...headers, ...framing(request, body)],
  });
  const coming = headOf(sent, request);
  if (body === undefined) sent.end();
  // An answer may come before all of the body has gone; the pipe ends with whichever end breaks.
  else pipeline(body, sent, () => undefined);
  return coming;
}

/** How the length of the body is told. */
function framing(
  { method, headers }: AuthenticatedRequest,
  body: Readable | undefined,
): RawHeaders {
  if (headers['content-length'] !== undefined) return [];
  if (body !== undefined) return ['Transfer-Encoding', 'chunked'];
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    ? []
    : ['Content-Length', '0'];
}

/** Settles with the answer, or with what came in the way: a client that goes ends the request. */
export function headOf(
  sent: ClientRequest,
  request: Pick<AuthenticatedRequest, 'whenGone'>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('unexpected HTTP response: 101 Switching Protocols'));
    });
    sent.on('close', () => {
      reject(new Error('EOF'));
    });
    request.whenGone(() => {
      sent.destroy(new Error('context canceled'));
    });
  });
}

const NO_CONTENT = 204;

/** Others are none of an answer's head, or no protocol passes them on. */
function isPassedOn(code = 0): boolean {
  return code >= 200 && code < 600;
}

/** The answer of a backend, for the client. */
function passedOn(
  request: AuthenticatedRequest,
  response: IncomingMessage,
  place: PagePlace,
): Answer {
  if (!isPassedOn(response.statusCode)) {
    response.destroy();
    const why = `malformed HTTP status code "${String(response.statusCode)}"`;
    return statusAnswer(serviceUnavailable(`error trying to reach service: ${why}`));
  }
  const headers = headersForClient(request, response.rawHeaders);
  if (response.statusCode === NO_CONTENT) delete headers['content-length'];
  const { location } = response.headers;
  if (location !== undefined) headers['location'] = rewrittenLink(location, place);
  const rewriting = location === undefined ? rewritingOf(response, place) : undefined;
  if (rewriting === undefined) return streamed(response, headers);
  delete headers['content-length'];
  return streamed(response, headers, rewriting);
}

/** undefined: the answer is no page whose links can be read. */
function rewritingOf(response: IncomingMessage, place: PagePlace): (() => Readable) | undefined {
  const type = (response.headers['content-type'] ?? '').split(';')[0]?.trim();
  if (type !== 'text/html') return undefined;
  const rewriter = new LinkRewriter(place);
  const joined = (...through: Transform[]) => {
    const next = (from: Readable, to: Transform) => pipeline(from, to, () => undefined);
    return () => through.reduce<Readable>(next, response);
  };
  switch (response.headers['content-encoding']) {
    case undefined:
      return joined(rewriter);
    case 'gzip':
      return joined(createGunzip(), rewriter, createGzip());
    case 'deflate':
      return joined(createInflateRaw(), rewriter, createDeflateRaw());
    default:
      return undefined;
  }
}

/** What comes, as fast as the client takes it. To destroy the stream ends the connection of the backend. */
export function streamed(
  response: IncomingMessage,
  headers: Record<string, string | string[]>,
  through: () => Readable = () => response,
): Answer {
  return {
    kind: 'Stream',
    code: response.statusCode ?? 502,
    headers,
    source: through,
    chunks(signal) {
      const source = through();
      signal.addEventListener('abort', () => source.destroy());
      return source;
    },
  };
}

const SHOWN_MAX = 50_000;

/** A backend that says nothing more is not waited for any longer. */
const SILENT_MS = 10_000;

/**
 * The beginning of a body that is no more than a message, or what has come of it where it breaks off. The
 * connection has ended then. Never rejects.
 */
export async function textOf(response: IncomingMessage, sizeMax = SHOWN_MAX): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  response.setTimeout(SILENT_MS, () => response.destroy());
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= sizeMax) break;
    }
  } catch {
    // A message that is not whole says more than that it is not.
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, sizeMax);
}

/** An answer that is an error of the server, in no class of errors. */
export function unclassified(error: unknown, before = ''): Answer {
  return statusAnswer(unclassifiedFailure(`${before}${goProblem(error)}`));
}
