/** What the server reads of a request before it knows the client, and the query behind that. */
import { requestHeaderAuthenticator } from '../../../../actors/authentication/request-header.ts';
import {
  bearerTokenAuthenticator,
  websocketProtocolAuthenticator,
} from '../../../../actors/authentication/bearer-token.ts';
import { wantedUser } from '../../../../actors/authentication/impersonation/impersonation-headers.ts';
import { parseCompactToken } from '../../../../actors/authentication/jwt/compact-token.ts';
import { readClaims } from '../../../../actors/authentication/service-accounts/token-claims.ts';
import { UNKNOWN } from '../../../../actors/authentication/authenticator.ts';
import { managerOf } from '../../../../actors/registry/objects/managed-fields.ts';
import type { RoutedRequest } from '../../../../actors/request/request.ts';
import { isMalformed, resolveRequestInfo } from '../../../../actors/request/request-info.ts';
import { parseTraceParent } from '../../../../actors/tracing/request-tracer.ts';
import { parseFieldSelector } from '../../../../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../../../../api/selectors/label-selector.ts';
import { parseDeleteOptions } from '../../../../api/options/options-delete.ts';
import { parseListOptions } from '../../../../api/options/options-list.ts';
import { parseCreateOptions, parsePatchOptions } from '../../../../api/options/options.ts';
import { requestLine } from '../../../../gateway/inbound/request-reader.ts';
import { isWorthCompressing } from '../../../../gateway/responses/compression.ts';
import { parseContinueToken } from '../../../../projections/list/continue-token.ts';
import { requestWithHeaders } from '../../request-with-headers.ts';
import { textCase, type CostCase, type CostStage } from '../cost-case.ts';
import { enumerated, type TextShape, type ShapeChoice } from '../text-shapes.ts';

interface Reader {
  readonly name: string;
  read(text: string): unknown;
}

interface HeaderReader {
  readonly name: string;
  readonly stage: CostStage;
  linesOf(text: string): string;
  read(request: RoutedRequest): unknown;
}

const NO_TOKENS = { authenticateToken: () => UNKNOWN };
const bearer = bearerTokenAuthenticator(NO_TOKENS);
const protocols = websocketProtocolAuthenticator(NO_TOKENS);
const frontProxy = requestHeaderAuthenticator({
  authorities: { problemOf: () => '' },
  allowedNames: [],
  usernameHeaders: ['x-remote-user'],
  uidHeaders: ['x-remote-uid'],
  groupHeaders: ['x-remote-group'],
  extraHeaderPrefixes: ['x-remote-extra-'],
});
const PROXY = {
  commonName: 'proxy',
  remoteAddress: '192.0.2.1',
};

function lineWith(headers: Record<string, string>, target = '/api'): unknown {
  const connection = { remoteAddress: '192.0.2.1', clientCertificate: () => undefined };
  return requestLine({ method: 'GET', target, headers, connection, isWebSocket: false });
}

let nonce = 0;

/** A header of its own each time, since what was read once is kept. */
function afresh(text: string): string {
  nonce += 1;
  return `${text},x/y${String(nonce)}`;
}

const BEFORE: readonly Reader[] = [
  { name: 'Accept', read: (text) => lineWith({ accept: afresh(text) }) },
  { name: 'Accept of one type', read: (text) => lineWith({ accept: `a/b;${afresh(text)}` }) },
  { name: 'User-Agent', read: agentRead },
  {
    name: 'Accept-Encoding',
    read: (text) => isWorthCompressing({ method: 'GET', acceptEncoding: text }, 1e6),
  },
  { name: 'path', read: (text) => isMalformed(resolveRequestInfo('GET', `/${text}`, '')) },
  {
    name: 'path of a resource',
    read: (text) => isMalformed(resolveRequestInfo('GET', `/api/v1/namespaces/${text}`, '')),
  },
  {
    name: 'path below forks',
    read: (text) => isMalformed(resolveRequestInfo('GET', `/forks/${text}/at/5/api/v1/pods`, '')),
  },
  { name: 'query', read: (text) => resolveRequestInfo('GET', '/api/v1/pods', text) },
  {
    name: 'query of a field selector',
    read: (text) => resolveRequestInfo('GET', '/api/v1/pods', `fieldSelector=${text}`),
  },
  { name: 'query of pretty', read: (text) => lineWith({}, `/api?${text}&pretty=1`) },
  { name: 'service account token', read: (text) => tokenRead(text) },
  {
    name: 'payload of a token',
    read: (text) => tokenRead(`e30.${Buffer.from(text).toString('base64url')}.AA`),
  },
  { name: 'traceparent', read: (text) => parseTraceParent(text, '') },
  { name: 'tracestate', read: (text) => parseTraceParent(TRACE, text) },
];

/** Of headers that node has read: what it makes of their lines is not measured. */
const OF_HEADERS: readonly HeaderReader[] = [
  {
    name: 'bearer token',
    stage: 'before authentication',
    linesOf: (text) => `authorization: Bearer ${inOneLine(text)}`,
    read: authenticated,
  },
  {
    name: 'WebSocket protocol',
    stage: 'before authentication',
    linesOf: (text) => `sec-websocket-protocol: ${inOneLine(text)}`,
    read: authenticated,
  },
  {
    name: 'front proxy headers',
    stage: 'before authentication',
    linesOf: (text) => `x-remote-user: a\n${headerLines('x-remote-group', text)}`,
    read: proxied,
  },
  {
    name: 'front proxy extra',
    stage: 'before authentication',
    linesOf: (text) => `x-remote-user: a\n${headerNames('x-remote-extra-', text)}`,
    read: proxied,
  },
  {
    name: 'impersonated groups',
    stage: 'after authentication',
    linesOf: (text) => `impersonate-user: a\n${headerLines('impersonate-group', text)}`,
    read: wantedUser,
  },
  {
    name: 'impersonated extra',
    stage: 'after authentication',
    linesOf: (text) => `impersonate-user: a\n${headerNames('impersonate-extra-', text)}`,
    read: wantedUser,
  },
];

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const AFTER: readonly Reader[] = [
  { name: 'label selector', read: (text) => selected(text) },
  { name: 'field selector', read: (text) => parseFieldSelector(text) },
  { name: 'continue token', read: (text) => parseContinueToken(text) },
  { name: 'query of a list', read: (text) => parseListOptions(text) },
  { name: 'query of a create', read: (text) => parseCreateOptions(text) },
  { name: 'query of a patch', read: (text) => parsePatchOptions(text, true) },
  { name: 'query of a delete', read: (text) => parseDeleteOptions(text) },
];

const LABELS = { a: 'b', k7: 'v7', app: 'web' };

function selected(text: string): unknown {
  const parsed = parseLabelSelector(text);
  return parsed.ok ? parsed.selector.matches(LABELS) : parsed;
}

function agentRead(text: string): unknown {
  nonce += 1;
  const headers = { 'user-agent': `${text}${String(nonce)}` };
  lineWith(headers);
  return managerOf({ request: { headers }, options: { fieldManager: '' } } as never);
}

function inOneLine(text: string): string {
  return text.replaceAll('\n', '\t');
}

function authenticated(request: RoutedRequest): unknown {
  return [bearer.authenticate(request, []), protocols.authenticate(request, [])];
}

function proxied(request: RoutedRequest): unknown {
  const connection = { ...request.connection, clientCertificate: () => PROXY };
  return frontProxy.authenticate(
    Object.assign(Object.create(request), { connection }) as never,
    [],
  );
}

function caseOfHeaders({ name, stage, linesOf, read }: HeaderReader, shape: TextShape): CostCase {
  return {
    name: `${name}: ${shape.name}`,
    stage,
    make(bytes) {
      const lines = linesOf(shape.textOf(bytes));
      const request = requestWithHeaders(lines);
      const headers = request.headers as Record<string, string>; // As they were made.
      const sent = { ...headers };
      // A reader forgets what it has read.
      const prepare = (): void => {
        Object.assign(headers, sent);
      };
      return { bytes: Buffer.byteLength(lines), prepare, run: () => read(request) };
    },
  };
}

function tokenRead(text: string): unknown {
  const token = parseCompactToken(text);
  return token === undefined ? undefined : readClaims(token.payload);
}

/** One header for each line of a text, of as many as have its size with their names. */
function headerLines(name: string, text: string): string {
  return asMany(text, (line) => `${name}: ${line}`);
}

/** The same of headers whose names end with a line each. */
function headerNames(prefix: string, text: string): string {
  return asMany(text, (line) => `${prefix}${line}: a`);
}

function asMany(text: string, headerOf: (line: string) => string): string {
  const lines: string[] = [];
  let left = text.length;
  for (const line of text.split('\n')) {
    const header = headerOf(line);
    left -= header.length + 1;
    if ((left < 0 && lines.length > 0) || lines.length >= LINES_MAX) break;
    lines.push(header);
  }
  return lines.join('\n');
}

/** A head has no more; see gateway/listener/request-head.ts. */
const LINES_MAX = 4_000;

const MANY: readonly { readonly name: string; readonly textOf: (bytes: number) => string }[] = [
  { name: 'many pairs', textOf: (bytes) => enumerated((at) => `k${String(at)}=v`, bytes, '&') },
  { name: 'one pair again and again', textOf: (bytes) => enumerated(() => 'dryRun=All', bytes, '&') },
  { name: 'many terms', textOf: (bytes) => enumerated((at) => `k${String(at)}=v`, bytes, ',') },
  { name: 'many values', textOf: (bytes) => `a in (${enumerated((at) => `v${String(at)}`, bytes, ',')})` },
  {
    name: 'many types',
    textOf: (bytes) => enumerated((at) => `a/b${String(at)};q=0.${String(at % 9)}`, bytes, ','),
  },
  {
    name: 'wildcards, then types',
    textOf: (bytes) =>
      `${enumerated(() => '*/*', bytes / 2, ',')},${enumerated((at) => `a/b${String(at)}`, bytes / 2, ',')}`,
  },
  {
    name: 'better and better',
    textOf: (bytes) => enumerated((at) => `a/b;q=0.${String(1e8 + at)}`, bytes, ','),
  },
  {
    name: 'weights of all types',
    textOf: (bytes) => enumerated((at) => `*/*;q=0.${String(at)}`, bytes, ','),
  },
  {
    name: 'tables of all types',
    textOf: (bytes) => enumerated((at) => `*/*;as=Table;v=v1;g=meta.k8s.io;q=.${String(at)}`, bytes, ','),
  },
  { name: 'words of compression', textOf: (bytes) => enumerated(() => 'gzip', bytes, ' ') },
  { name: 'one weight again and again', textOf: (bytes) => enumerated(() => 'q=1', bytes, ';') },
  { name: 'many parameters', textOf: (bytes) => enumerated((at) => `p${String(at)}=v`, bytes, ';') },
  { name: 'many lines', textOf: (bytes) => enumerated((at) => `g${String(at)}`, bytes, '\n') },
  { name: 'JSON of many keys', textOf: (bytes) => `{${enumerated((at) => `"k${String(at)}":1`, bytes, ',')}}` },
]; // prettier-ignore

function casesOf(
  stage: CostStage,
  readers: readonly Reader[],
  shapes: readonly TextShape[],
): CostCase[] {
  return readers.flatMap(({ name, read }) =>
    [...MANY, ...shapes].map((shape) =>
      textCase(`${name}: ${shape.name}`, stage, shape.textOf, read),
    ),
  );
}

export function cases({ texts: shapes }: ShapeChoice): CostCase[] {
  return [
    ...OF_HEADERS.flatMap((one) => [...MANY, ...shapes].map((shape) => caseOfHeaders(one, shape))),
    ...casesOf('before authentication', BEFORE, shapes),
    ...casesOf('after authentication', AFTER, shapes),
  ];
}
