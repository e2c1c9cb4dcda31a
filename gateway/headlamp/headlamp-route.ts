/**
 * What Headlamp's page asks its backend for, besides the API: its files, which clusters there are, of whom its
 * token is, cookies for a token, and the WebSocket that carries its watches. docs/headlamp.md tells how it is used.
 */
import { UNAUTHENTICATED_GROUP } from '../../actors/authentication/server-authenticator.ts';
import { type Answer, type DocumentAnswer, statusAnswer } from '../../actors/request/answer.ts';
import {
  headlampClusterPath,
  HEADLAMP_CLUSTERS_PATH,
  HEADLAMP_PATH,
  HEADLAMP_SOCKET_PATH,
  isHeadlampFile,
  isHeadlampToken,
} from '../../actors/request/page-paths.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { ownValue } from '../../api/json/own-property.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest, forbidden, methodNotAllowed, unauthorized } from '../../api/meta/status.ts';
import type { PageSettings } from '../flags/sections/page-settings.ts';
import type { LateLiveHub } from '../live/live-hub.ts';
import type { Route } from '../routes/route.ts';
import type { HeadlampClusters } from '../flags/headlamp-clusters.ts';
import { type HeadlampFile, HeadlampFiles } from './headlamp-files.ts';
import { isAskedByThePage } from './headlamp-line.ts';
import { multiplexerAnswer } from './multiplexer.ts';
import { tokenCookies } from './token-cookies.ts';

export interface HeadlampParts {
  readonly files: HeadlampFiles;
  readonly clusters: HeadlampClusters;
  /** Has its hub when a client comes. */
  readonly live: LateLiveHub;
  readonly clock: Clock;
}

/** A token is at most half of it. */
const BODY_BYTES_MAX = 65_536;
const NOTHING = Buffer.alloc(0);

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

function configOf(clusters: HeadlampClusters) {
  return {
    clusters: [...clusters.keys()].map((name) => {
      return { name, auth_type: '', meta_data: { source: 'in_cluster' } };
    }),
    isDynamicClusterEnabled: false,
    allowKubeconfigChanges: false,
  };
}

/** None where it is not served. @throws StartupError when its files are not there. */
export async function headlampRoutes(
  { headlampDir, headlampClusters: clusters }: PageSettings,
  parts: Omit<HeadlampParts, 'files' | 'clusters'>,
): Promise<readonly Route[]> {
  if (headlampDir === undefined) return [];
  return [headlampRoute({ ...parts, clusters, files: await HeadlampFiles.in(headlampDir) })];
}

/** Serves all below {@link HEADLAMP_PATH}; what is asked of the API comes here only where it is refused. */
export function headlampRoute(parts: HeadlampParts): Route {
  const headers = fileHeaders(parts.files);
  return (request) => {
    const { path, at, fork } = request.info;
    if (at !== '' || fork !== '') return undefined;
    if (isHeadlampToken(path)) return keepToken(request, parts);
    if (path === HEADLAMP_SOCKET_PATH) return isOther(request) ?? multiplexerAnswer(request, parts);
    if (path.startsWith(HEADLAMP_CLUSTERS_PATH)) return clusterAnswer(request, parts);
    if (!isHeadlampFile(path)) return undefined;
    if (path.length < HEADLAMP_PATH.length) return REDIRECT;
    return readAnswer(request, parts, headers);
  };
}

function noCluster(clusters: HeadlampClusters): Answer {
  return statusAnswer(badRequest(`the clusters are ${[...clusters.keys()].join(', ')}`));
}

/** The API itself is asked for by another path, unless the page does not ask. */
function clusterAnswer(request: AuthenticatedRequest, { clusters }: HeadlampParts): Answer {
  const refused = isOther(request);
  if (refused !== undefined) return refused;
  const asked = headlampClusterPath(request.info.path);
  const isUser = asked?.rest === '/me' && clusters.has(asked.cluster);
  return isUser ? userAnswer(request) : noCluster(clusters);
}

const REDIRECT: DocumentAnswer = {
  kind: 'Document',
  code: 301,
  headers: { Location: HEADLAMP_PATH },
  body: NOTHING,
};

function isOther(request: AuthenticatedRequest): Answer | undefined {
  if (isAskedByThePage(request)) return undefined;
  const why = 'the request does not come from the page of Headlamp that this server has';
  return statusAnswer(forbidden({ group: '', resource: '' }, '', why));
}

/** Which token that is, is judged when it is used. */
async function keepToken(
  request: AuthenticatedRequest,
  { clusters }: HeadlampParts,
): Promise<Answer> {
  if (request.method !== 'POST') return statusAnswer(methodNotAllowed());
  const refused = isOther(request);
  if (refused !== undefined) return refused;
  const read = await request.readBody(BODY_BYTES_MAX);
  if (!read.ok) return statusAnswer(read.status);
  const body = bodyIn(read.bytes.toString());
  if (body === undefined) return NO_TOKEN;
  const cluster = headlampClusterPath(request.info.path)?.cluster ?? ownValue(body, 'cluster');
  if (typeof cluster !== 'string' || !clusters.has(cluster)) return noCluster(clusters);
  const token = tokenIn(body);
  const cookies = token === undefined ? undefined : tokenCookies(token);
  if (cookies === undefined) return NO_TOKEN;
  const headers = { 'Cache-Control': 'no-store', 'Set-Cookie': [...cookies] };
  return { kind: 'Stream', headers, whole: NOTHING, chunks: nothing };
}

const NO_TOKEN = statusAnswer(badRequest('the body has no token'));

async function* nothing(): AsyncGenerator<Buffer> {
  // All of the answer is its headers.
}

function bodyIn(text: string): JsonObject | undefined {
  try {
    const body = parseJson(text);
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** '' where the token is to be forgotten; undefined: it is no text. */
function tokenIn(body: JsonObject): string | undefined {
  const token = ownValue(body, 'token') ?? '';
  return typeof token === 'string' ? token : undefined;
}

/** As the page shows it above. */
function userAnswer({ user }: AuthenticatedRequest): Answer {
  if (user.groups.includes(UNAUTHENTICATED_GROUP)) return statusAnswer(unauthorized());
  return json({ username: user.name, email: '', groups: user.groups, userInfoURL: '' });
}

function readAnswer(
  request: AuthenticatedRequest,
  { files, clusters }: HeadlampParts,
  headers: Readonly<Record<string, string>>,
): Answer | Promise<Answer> {
  const name = request.info.path.slice(HEADLAMP_PATH.length);
  if (name === 'config') return json(configOf(clusters));
  if (name === 'plugins') return json([]);
  const takesBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const file = files.file(name, takesBrotli);
  if (file === undefined) return fileAnswer(request, files.index, typed(headers, 'html'));
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return file.then((found) => fileAnswer(request, found, typed(headers, ending)));
}

function typed(headers: Readonly<Record<string, string>>, ending: string) {
  return { ...headers, 'Content-Type': TYPES[ending] ?? 'application/octet-stream' };
}

function fileAnswer(
  { headers: asked, method }: AuthenticatedRequest,
  { bytes, tag, isBrotli }: HeadlampFile,
  headers: Readonly<Record<string, string>>,
): DocumentAnswer {
  const isKnown = asked['if-none-match'] === tag;
  return {
    kind: 'Document',
    code: isKnown ? 304 : 200,
    headers: { ...headers, ETag: tag, ...(isBrotli ? { 'Content-Encoding': 'br' } : {}) },
    body: isKnown || method === 'HEAD' ? NOTHING : bytes,
  };
}

function json(value: unknown): DocumentAnswer {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(JSON.stringify(value)) };
}

/** Scripts of this server only, and those that stand in the page; Headlamp's styles are made while it runs. */
function fileHeaders({ inlineScripts }: HeadlampFiles): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'self'",
    ["script-src 'self'", ...inlineScripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
